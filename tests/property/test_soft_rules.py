"""Soft rules and stop phrases: rows of costs on small vocabularies that cut characters, against the definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from tests.oracle.bounded import Scope, Stopping
from tests.oracle.phrases import Wanted
from tests.oracle.reader import Opening, Reader, Regioned
from tests.oracle.soft import Decoder, Discouraged
from tests.oracle.trying import Trying
from tests.property.rule_worlds import (
    World,
    allow_terms,
    compare,
    deny_phrases,
    escaped,
    letters,
    phrases,
    policy_of,
    slices,
)

pytestmark = pytest.mark.slow

W = Wanted
NEUTRAL = "xé힣1\u0323 -.字カ"
"""One neighbour of each kind that no rule is about, so that every boundary can be kept and broken."""
POOL = "aAbBßsÅ\u030a가각Ａﾊ\u200b 中文_."


class Rules(NamedTuple):
    """The rules of a policy: what is denied, permitted, stops and costs. A text of one character costs as a set."""

    denied: str = ""
    terms: tuple[Wanted, ...] = ()
    banned: tuple[Wanted, ...] = ()
    stops: tuple[Wanted, ...] = ()
    soft: tuple[tuple[float, Wanted | str], ...] = ()

    @property
    def text(self) -> str:
        """The lines of the policy."""
        stops = (f'stop on phrase "{escaped(p.text)}" {p.options}' for p in self.stops)
        soft = (_soft_line(cost, what) for cost, what in self.soft)
        lines = (f"deny [{escaped(self.denied)}];", allow_terms(self.terms), deny_phrases(self.banned), *stops, *soft)
        return " ".join(lines)

    @property
    def pieces(self) -> str:
        """What continuations are made of."""
        soft = [w for _, w in self.soft if isinstance(w, Wanted)]
        sets = "".join(w for _, w in self.soft if isinstance(w, str))
        return NEUTRAL + self.denied + sets + letters((*self.terms, *self.banned, *self.stops, *soft))

    def hard(self) -> Trying:
        """The referee of what is permitted."""
        scope = Scope(lambda c: c not in self.denied, self.terms, self.banned).trying(self.pieces)
        return Stopping(scope, self.stops).trying(self.pieces) if self.stops else scope

    def discouraged(self) -> list[Discouraged]:
        """The referees of what costs."""
        return [Discouraged(_unbroken(w).trying(self.pieces), cost) for cost, w in self.soft]


def _soft_line(cost: float, what: Wanted | str) -> str:
    if isinstance(what, str):
        return f"discourage [{escaped(what)}] by {cost};"
    return f'discourage phrase "{escaped(what.text)}" by {cost} {what.options}'


def _unbroken(what: Wanted | str) -> Scope:
    return Scope(banned=(what,)) if isinstance(what, Wanted) else Scope(lambda c: c not in what)


def _world(rules: Rules, tokens: Sequence[bytes]) -> World:
    decoder = Decoder(rules.hard(), rules.discouraged(), (*tokens, b""), len(tokens))
    return World(policy_of(rules.text), decoder)


def _cut(text: str, *sizes: int) -> Iterator[bytes]:
    data = text.encode()
    for size in sizes:
        yield data[:size]
        yield data[size:]


Z = tuple(_cut("中", 1, 2))
WORLDS: dict[str, tuple[Rules, tuple[bytes, ...], int]] = {
    "several rules on one token": (
        Rules(soft=((3, W("ab", case=True, right="word")), (2.5, W("中a")), (1, "中文"))),
        (b"a", b"b", b"ab", b"A", b"aB. ", *Z, "b中".encode(), b"ab ab ", b"."),
        3,
    ),
    "hard and soft": (
        Rules(denied="b", terms=(W("aba"),), soft=((2, "中"), (4, W("aa")))),
        (b"a", b"b", b"ab", b"ba", Z[2], Z[3], b"aa", b"aaaa"),
        4,
    ),
    "a beginning of a character that can only cost": (Rules(soft=((2, "中"), (1, "가각"))), (b"a", *Z, b"\xb8\xad"), 4),
    "a phrase that a mark undoes": (
        Rules(soft=((2, W("a", normalization="nfc", left="word")),)),
        (b"a", b"\xcc", b"\x81", b"\xcc\x81a", b" a", b"."),
        4,
    ),
    "stop in halves": (
        Rules(denied="x", stops=(W("중가"),), soft=((2, W("가중")),)),
        (*_cut("중", 1), *_cut("가", 2), "가중".encode(), b"."),
        4,
    ),
    "stop at a boundary": (
        Rules(stops=(W("end", case=True, left="word", right="word"),)),
        (b"END", b"e", b"nd", b"s", b"end.", b" ", b"d"),
        4,
    ),
}


@pytest.mark.parametrize("name", WORLDS)
def test_small_worlds(name: str) -> None:
    """The rows behind every history of some tokens."""
    rules, tokens, steps = WORLDS[name]

    assert _world(rules, tokens).walk(steps) >= 20


@st.composite
def _rules(draw: st.DrawFn, characters: str) -> Rules:
    some = st.lists(phrases(characters), max_size=1).map(tuple)
    denied = draw(st.sampled_from(["", "", characters[0], characters[:2]]))
    term = W(
        draw(st.text(st.sampled_from(characters), min_size=2, max_size=3)), right=draw(st.sampled_from(["", "word"]))
    )
    soft = st.tuples(st.sampled_from([1.0, 2.0, 3.5]), st.one_of(phrases(characters), st.sampled_from(characters)))
    return Rules(
        denied, (term,) if denied else (), draw(some), draw(some), tuple(draw(st.lists(soft, min_size=1, max_size=3)))
    )


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_drawn_rules(data: st.DataObject) -> None:
    """Histories of drawn tokens, which cut and glue the characters of the rules."""
    characters = "".join(data.draw(st.lists(st.sampled_from(POOL), min_size=4, max_size=4, unique=True)))
    rules = data.draw(_rules(characters))
    tokens = data.draw(slices(characters))
    try:
        world = _world(rules, tokens)
    except PolicyError:
        assume(False)
    for _ in range(2):
        history: list[int] = []
        while len(history) < 5 and (allowed := world.compare(history)):
            history.append(data.draw(st.sampled_from(allowed)))


STOPS: dict[str, tuple[str, int, Rules]] = {
    "plain": ("ab.", 7, Rules(stops=(W("ab"), W("b.b")))),
    "boundaries": ("aAb.", 6, Rules(stops=(W("ab", case=True, left="word", right="word"),))),
    "beside a ban": ("ab.", 7, Rules(banned=(W("ba"),), stops=(W("ab", right="word"), W("..")))),
    "inside a term": ("ab.", 7, Rules(denied="b", terms=(W("aba"),), stops=(W("ab"), W("b")))),
    "a mark behind it": ("aå\u0301.", 6, Rules(stops=(W("a", normalization="nfc"),))),
}


@pytest.mark.parametrize("name", STOPS)
def test_stop_phrases(name: str) -> None:
    """Every text over an alphabet that hits the rule: it ends where a phrase first ends, if not before."""
    alphabet, length, rules = STOPS[name]

    assert compare(policy_of(rules.text), rules.hard(), alphabet, length) >= 100


@dataclass(frozen=True)
class InScope(Discouraged):
    """A soft rule outside (scope 0) or inside (scope 1) the regions from `<` to `>`: borders end what it reads."""

    scope: int

    def after(self, text: str) -> tuple[int, str]:
        """The violations so far, and the text since the last of them, or since the border."""
        count, stretch, scope = 0, "", 0
        for character in text:
            if character == "<>"[scope]:
                count += scope == self.scope and not self.unbroken.accepts(stretch)
                scope, stretch = 1 - scope, ""
            elif scope == self.scope:
                broken = not self.unbroken.viable(stretch + character)
                count, stretch = (count + 1, "") if broken else (count, stretch + character)
        return count, stretch


def test_soft_rules_of_regions() -> None:
    """Each holds in its scope alone, and goes on there after a violation."""
    inside, outside = (W("ab", right="word"), 2.0), (W("ba", left="word"), 3.0)
    lines = [_soft_line(cost, wanted) for wanted, cost in (outside, inside)]
    tokens = [b"a", b"b", b"<", b">", b"ab", b"a>b", b"ba<ab", b" "]
    reader = Reader([Opening("between", "<", ">")])
    hard = Regioned(reader, (Scope(), Scope())).trying("ab ", 1)
    rules = [
        InScope(Scope(banned=(w,)).trying("ab "), cost, number) for number, (w, cost) in enumerate((outside, inside))
    ]
    policy = policy_of(f'{lines[0]} region r = between "<" ">" {{ {lines[1]} }}')
    world = World(policy, Decoder(hard, rules, (*tokens, b""), len(tokens)))

    assert world.walk(4) >= 400


STRUCTURAL = "<>`\n"


@dataclass(frozen=True)
class InPlace(Discouraged):
    """A rule beside regions of any kinds: behind a violation all text is harmless, but for what makes the regions."""

    def after(self, text: str) -> tuple[int, str]:
        """The violations so far, and a text that breaks nothing and leads to the same place."""
        count, stretch = 0, ""
        for character in text:
            stretch += character
            if not self.unbroken.viable(stretch):
                count += 1
                stretch = "".join(c if c in STRUCTURAL else "." for c in stretch)
        return count, stretch


class Regional(NamedTuple):
    """Regions in the order of their scopes, what is denied outside them, and what costs in which scope."""

    openings: tuple[Opening, ...]
    denied: str
    soft: tuple[tuple[int, float, Wanted | str], ...]
    tokens: tuple[bytes, ...]
    glossed: str = ""
    """What regions behind a character hold only."""


CODE, THINK = Opening("inline_code"), Opening("between", "<", ">")
GLOSS = Opening("after", "(", ")", after="가", most=2)
REGIONAL: dict[str, Regional] = {
    "code": Regional((CODE,), "x", ((0, 3.0, W("ab")),), (b"`", b"a", b"ab", b"x", b"\n", b"b`", b"``")),
    "code and think": Regional(
        (CODE, THINK), "x", ((0, 3.0, W("ab")), (2, 2.0, "b")), (b"`", b"ab", b"a", b"b", b"<", b">", b"x", b"\n")
    ),
    "several rules": Regional(
        (CODE, THINK), "", ((0, 3.0, W("ab")), (0, 4.0, W("ba")), (0, 1.0, "b")), (b"`", b"a", b"b", b"<", b">", b"\n")
    ),
    "boundaries": Regional(
        (THINK,),
        "x",
        ((0, 3.0, W("ab", right="word")), (1, 2.0, W("ab", left="word"))),
        (b"ab", b"b", b" ", b"<", b">", b"x"),
    ),
    "gloss": Regional(
        (GLOSS, THINK),
        "x",
        ((0, 3.0, W("ab")),),
        ("가".encode(), "가(".encode(), b"ab", b"x", b")", b"<", b">", b"b"),
        "xb",
    ),
}


@pytest.mark.parametrize("mode", ["hard", "soft"])
@pytest.mark.parametrize("name", REGIONAL)
def test_soft_rules_beside_regions(name: str, mode: str) -> None:
    """The rows behind every history of some tokens; in soft mode the policy itself is one more rule."""
    case = REGIONAL[name]
    ticks = [".`", ".``", ".```", "`.`", "`.``"] if CODE in case.openings else []
    pieces = [*"ab. ", *case.denied, *ticks]
    openings = [replace(opening, scope=number) for number, opening in enumerate(case.openings, 1)]
    inner = [Scope(lambda c: c in case.glossed) if o.kind == "after" else Scope() for o in openings]
    outer = Scope(lambda c: c not in case.denied)
    reader = Reader(openings)
    permitted = Regioned(reader, (outer, *inner)).trying(pieces, 2)
    rules = []
    for scope, cost, what in case.soft:
        scopes = [Scope(), *inner]
        scopes[scope] = _unbroken(what)
        rules.append(InPlace(Regioned(reader, tuple(scopes)).trying(pieces, 2), cost))
    if mode == "soft":
        rules.append(InPlace(permitted, 2.5))
        permitted = Trying(lambda text: True, pieces, 1)
    world = World(_regional(case, mode), Decoder(permitted, rules, (*case.tokens, b""), len(case.tokens)))

    assert world.walk(4) >= 100


def _regional(case: Regional, mode: str) -> Policy:
    lines = [f"deny [{escaped(case.denied)}];"]
    lines += [_soft_line(cost, what) for scope, cost, what in case.soft if not scope]
    for number, opening in enumerate(case.openings, 1):
        own = " ".join(_soft_line(cost, what) for scope, cost, what in case.soft if scope == number)
        only = f"only [{case.glossed}] up to {opening.most};" if opening.kind == "after" else ""
        kinds = {"inline_code": "inline_code", "after": f'after [{opening.after}] between "(" ")"'}
        kind = kinds.get(opening.kind, 'between "<" ">"')
        lines.append(f"region r{number} = {kind} {{ {only or own or 'any'} }}")
    return policy_of(" ".join(lines)).with_(mode=mode, bias=2.5 if mode == "soft" else None)
