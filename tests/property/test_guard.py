"""The stream guard and mending, against their definition: what comes out, whatever the chunks, and when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product, takewhile
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.checking.guard import PolicyViolation, StreamGuard
from langc.compiler.checking.mending import mend
from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from tests.oracle.mending import Mending, mending
from tests.oracle.phrases import Wanted
from tests.property.rule_worlds import escaped, letters, phrases

pytestmark = pytest.mark.slow

W = Wanted
NEUTRAL = "xé1 .\u0301"
POOL = "aAbBsß가각中 ._\u200b"


class Rules(NamedTuple):
    """What is denied and what stands for it (None: nothing does), terms, and phrases with what stands for them."""

    denied: str = ""
    instead: str | None = None
    terms: tuple[Wanted, ...] = ()
    banned: tuple[tuple[Wanted, str | None], ...] = ()

    def policy(self) -> Policy:
        """The policy."""
        sets = _line(f"[{escaped(self.denied)}]", self.instead, ";")
        found = (_line(f'phrase "{escaped(w.text)}"', instead, w.options) for w, instead in self.banned)
        terms = (f'allow "{escaped(t.text)}" {t.options}' for t in self.terms)
        return langc.parse_policy(f"policy p {{ {sets} {' '.join(found)} {' '.join(terms)} }}")

    def referee(self) -> Mending:
        """The definition."""
        pieces = NEUTRAL + self.denied + letters((*self.terms, *(w for w, _ in self.banned)))
        return mending(self.denied, self.instead, self.terms, self.banned, pieces)


def _line(what: str, instead: str | None, end: str) -> str:
    return f"deny {what} {end}" if instead is None else f'replace {what} with "{escaped(instead)}" {end}'


RULES: dict[str, Rules] = {
    "a set": Rules("b"),
    "a set that is replaced": Rules("b", "-"),
    "a set that is left out, and what that makes": Rules("b", "", (), ((W("aa"), None),)),
    "terms": Rules("ab", "*", (W("aba"), W("ac"))),
    "terms that let nothing else pass": Rules("ab", None, (W("aba"), W("ac"))),
    "a phrase that begins inside a term": Rules("b", None, (W("aba"),), ((W("ac"), None),)),
    "one that is replaced": Rules("b", None, (W("aba"), W("abc")), ((W("ac"), "x"),)),
    "a phrase": Rules(banned=((W("abc"), None),)),
    "phrases that are replaced": Rules(banned=((W("ab"), "c"), (W("cc"), "a"))),
    "phrases that overlap": Rules(banned=((W("abc"), "x"), (W("bca"), None), (W("cab"), ""))),
    "boundaries": Rules(banned=((W("ab", left="word", right="word"), "x y"), (W("ba", right="word"), None))),
    "a phrase made by leaving one out": Rules(banned=((W("ab"), ""),)),
    "both": Rules("c", "ab", (W("cc"),), ((W("abab"), ""), (W("bb", case=True), "B."))),
    "what does not count": Rules(banned=((W("a b", space="any", invisible=True), "x"),)),
}


@cache
def _made(name: str) -> tuple[Policy, Mending]:
    return RULES[name].policy(), RULES[name].referee()


def _alphabet(rules: Rules) -> str:
    return "ab \u200b" if rules == RULES["what does not count"] else "abc."


def _guarded(policy: Policy, chunks: Sequence[bytes]) -> Iterator[str]:
    """What comes out for each chunk and at the end."""
    guard = StreamGuard(policy, "stop")
    yield from (guard.feed(chunk).decode() for chunk in chunks)
    yield guard.finish().decode()


@pytest.mark.parametrize("name", RULES)
def test_every_text(name: str) -> None:
    """Character by character, every text over an alphabet that hits the rules."""
    policy, referee = _made(name)
    for text in map("".join, product(_alphabet(RULES[name]), repeat=5)):
        shown = "".join(_guarded(policy, [c.encode() for c in text]))
        assert shown == referee.guarded(text), text
        assert not shown or referee.judge.accepts(shown), text
        assert mend(text, policy)[0] == referee.mended(text), text


def _common(texts: Iterable[str]) -> str:
    """The longest beginning that all have."""
    return "".join(c[0] for c in takewhile(lambda c: len(set(c)) == 1, zip(*texts, strict=False)))


@pytest.mark.parametrize(
    "name", [n for n, r in RULES.items() if r.instead is None and all(i is None for _, i in r.banned)]
)
def test_nothing_is_held_back_that_is_safe(name: str) -> None:
    """What was handed on behind every beginning is what all its continuations have in common, no less and no more."""
    policy, referee = _made(name)
    alphabet = _alphabet(RULES[name])
    more = ["".join(t) for size in range(4) for t in product(alphabet + "x", repeat=size)]
    for text in ("".join(t) for size in range(5) for t in product(alphabet, repeat=size)):
        guard = StreamGuard(policy, "stop")
        assert guard.feed_text(text) == _common(referee.guarded(text + rest) for rest in more), text


def _cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    ends = sorted(p % (len(data) + 1) for p in places)
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]


@st.composite
def _rules(draw: st.DrawFn, characters: str) -> Rules:
    instead = st.none() | st.text(st.sampled_from(characters + "-"), max_size=2)
    banned = st.lists(st.tuples(phrases(characters), instead), max_size=2).map(tuple)
    terms = st.lists(st.builds(W, st.text(st.sampled_from(characters), min_size=2, max_size=3)), max_size=1).map(tuple)
    denied = draw(st.sampled_from(["", characters[0], characters[:2]]))
    return Rules(denied, draw(instead) if denied else None, draw(terms) if denied else (), draw(banned))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_drawn_rules(data: st.DataObject) -> None:
    """Drawn rules and texts, cut anywhere: the chunks make no difference, and the definition has the same."""
    characters = "".join(data.draw(st.lists(st.sampled_from(POOL), min_size=3, max_size=4, unique=True)))
    rules = data.draw(_rules(characters))
    try:
        policy = rules.policy()
        policy.dfa  # noqa: B018 -- some permit nothing
    except PolicyError:
        assume(False)
    referee = rules.referee()
    text = data.draw(st.text(st.sampled_from(characters + "x ."), max_size=9))
    places = data.draw(st.lists(st.integers(0, 40), max_size=6))
    shown = "".join(_guarded(policy, _cut(text.encode(), places)))

    assert shown == referee.guarded(text)
    assert shown == "".join(_guarded(policy, [text.encode()]))
    assert not shown or policy.accepts(shown)
    assert mend(text, policy)[0] == referee.mended(text)
    if referee.judge.accepts(text):
        assert shown == text


REGIONED = langc.parse_policy("""policy p {
    deny [x]; replace [z] with "-"; replace phrase "ab" with "c" { boundary right; } stop before phrase "END";
    region code = fence | inline_code { any }
    region think = between "<t>" "</t>" { deny phrase "aa"; }
    region gloss = after [a] between "(" ")" { any }
    region note = between "[" "ENZ" { deny phrase "b" { boundary right; } }
    region kept = between "{" "}" { replace [z] with "y"; deny [x]; }
    unclosed think: allow; unclosed note: allow;
}""")
PIECES = [
    "x",
    "z",
    "a",
    "b",
    "ab",
    "`",
    "```\n",
    "\n",
    "<t>",
    "</t>",
    "<",
    "(",
    ")",
    "EN",
    "D",
    "Z",
    "[",
    "[b",
    "{",
    "{z",
    "}",
    "가",
    " ",
]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=10).map("".join), st.lists(st.integers(0, 60), max_size=6), st.booleans()
)
def test_regions(text: str, places: list[int], raises: bool) -> None:
    """With regions of all kinds: whatever the chunks, the same comes out, a permitted text at any time."""
    guard, shown = StreamGuard(REGIONED, "raise" if raises else "stop"), ""
    try:
        for chunk in [*_cut(text.encode(), places), None]:
            shown += (guard.finish() if chunk is None else guard.feed(chunk)).decode()
            assert not shown or REGIONED.accepts(shown)
    except PolicyViolation as error:
        shown += error.text
        assert raises
    assert not shown or REGIONED.accepts(shown)
    whole = StreamGuard(REGIONED, "stop")

    assert shown == whole.feed_text(text) + whole.finish_text()
    assert guard.violation == whole.violation
    if REGIONED.accepts(text):
        assert (shown, guard.violation) == (text, None)
