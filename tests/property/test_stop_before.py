"""`stop before`: which tokens it takes and what end-of-sequence gets for them, against two brute-force referees.

One referee knows the phrases as denied and one does not know them. A token would complete a phrase iff the second
allows it and the first does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.errors import PolicyError
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.oracle.bounded import Barred, Scope
from tests.oracle.phrases import Wanted
from tests.oracle.reader import Opening, Reader, Regioned
from tests.oracle.soft import FORBIDDEN, Decoder, Discouraged
from tests.property.rule_worlds import allow_terms, deny_phrases, escaped, letters, phrases, slices
from tests.unit.tokens.toys import BYTES_AND_EOS

pytestmark = pytest.mark.slow

W = Wanted
NEUTRAL = "xé1 ."
POOL = "aAbBsß가각中 ._"
ROWS = 2
"""Rows of the model beyond the tokenizer's."""


class Rules(NamedTuple):
    """What is denied and permitted, what costs, and before what a text is to stop. Regions go from `<` to `>`."""

    denied: str = ""
    terms: tuple[Wanted, ...] = ()
    banned: tuple[Wanted, ...] = ()
    before: tuple[Wanted, ...] = ()
    soft: tuple[tuple[float, Wanted], ...] = ()
    regions: bool = False

    def text(self, is_stopping: bool = True) -> str:
        """The policy."""
        soft = (f'discourage phrase "{escaped(w.text)}" by {cost} {w.options}' for cost, w in self.soft)
        stops = (f'stop before phrase "{escaped(w.text)}" {w.options}' for w in self.before if is_stopping)
        region = 'region r = between "<" ">" { any }' if self.regions else ""
        lines = (f"deny [{escaped(self.denied)}];", allow_terms(self.terms), deny_phrases(self.banned), *soft, *stops)
        return f"policy p {{ {' '.join(lines)} {region} }}"

    def decoder(self, tokens: Sequence[bytes], is_stopping: bool) -> Decoder:
        """The referee of a vocabulary whose last id is end-of-sequence."""
        wanted = (*self.terms, *self.banned, *self.before, *(w for _, w in self.soft))
        pieces = NEUTRAL + self.denied + letters(wanted) + "<>" * self.regions
        scope = Scope(lambda c: c not in self.denied, self.terms, self.banned)
        hard = scope.trying(pieces)
        if self.regions:
            hard = Regioned(Reader([Opening("between", "<", ">")]), (scope, Scope())).trying(pieces, 1)
        if is_stopping:
            hard = Barred(hard, self.before).trying(pieces, hard.depth)
        soft = [Discouraged(Scope(banned=(w,)).trying(pieces), cost) for cost, w in self.soft]
        return Decoder(hard, soft, (*tokens, b""), len(tokens))


class World:
    """A policy over a vocabulary, and both referees."""

    def __init__(self, rules: Rules, tokens: Sequence[bytes]) -> None:
        self.tokens, self.eos = tokens, len(tokens)
        vocabulary = Vocabulary("toy", (*tokens, b""), {self.eos: "<eos>"}, frozenset({self.eos}))
        self.policy = langc.parse_policy(rules.text())
        self.matcher = Matcher(self.policy, vocabulary, self.eos + 1 + ROWS)
        self.processor = langc.arrays.PolicyProcessor(self.policy, vocabulary, 0)
        self.bound, self.free = (rules.decoder(tokens, stops) for stops in (True, False))
        self.stopped = self.ended = 0

    def compare(self, history: Sequence[int], seed: int = 0) -> list[int]:
        """Compare everything behind a permitted history; the tokens that may follow."""
        assert self.matcher.sync(history)
        row, free = self.bound.row(history), self.free.row(history)
        assert self.matcher.bias().tolist() == row + [FORBIDDEN] * ROWS, [self.tokens[i] for i in history]
        wanted = [i for i in range(self.eos) if row[i] == FORBIDDEN != free[i]]
        assert self.matcher.stopping() == tuple(wanted)
        logits = np.random.default_rng(seed).normal(size=self.eos + 1 + ROWS).astype(np.float32)
        expected = [float(logit) for logit in logits]
        if wanted and row[self.eos] != FORBIDDEN:
            taken = max(float(np.float32(logits[i] + np.float32(free[i]))) for i in wanted)
            self.ended += taken > expected[self.eos]
            expected[self.eos] = max(expected[self.eos], taken)
        expected = [
            float(np.float32(logit + cost)) for logit, cost in zip(expected, row + [FORBIDDEN] * ROWS, strict=True)
        ]
        assert self.processor(list(history), logits).tolist() == expected
        self.stopped += bool(wanted)
        return [i for i, cost in enumerate(row) if cost != FORBIDDEN and i != self.eos]

    def walk(self, steps: int) -> None:
        """Compare behind every history of fewer tokens."""
        layer: list[tuple[int, ...]] = [()]
        for _ in range(steps):
            layer = [(*h, token) for n, h in enumerate(layer) for token in self.compare(h, n)]


A, B = "中".encode()[:1], "中".encode()[1:]
WORLDS: dict[str, tuple[Rules, tuple[bytes, ...], int]] = {
    "plain": (Rules(before=(W("ab"),)), (b"a", b"b", b"ab", b"c", b"cab", b"ba"), 4),
    "boundaries": (
        Rules(before=(W("ab", case=True, left="word", right="word"),)),
        (b"a", b"B", b"ab", b" ", b"c", b". ", b"ab "),
        4,
    ),
    "halves of a character": (Rules(before=(W("a中"),)), (b"a", A, B, b"\xb8", b"\xad", "中".encode()), 4),
    "beside a ban and a term": (
        Rules("b", (W("abab"),), (W("aaa"),), (W("ba"),)),
        (b"a", b"b", b"ab", b"abab", b"c"),
        4,
    ),
    "costs": (
        Rules(before=(W("ab"), W("ca")), soft=((2.0, W("b")), (3.5, W("cc")), (1.0, W("a", right="word")))),
        (b"a", b"b", b"c", b"bc", b"ab", b" "),
        4,
    ),
    "inside a region that must close": (
        Rules("x", (), (), (W("ab"),), (), True),
        (b"<", b">", b"a", b"b", b"x", b"b>"),
        4,
    ),
    "a phrase that nothing else can avoid": (Rules("c", (W("acb"),), (), (W("cb"),)), (b"a", b"c", b"b", b"ac"), 4),
}


@pytest.mark.parametrize("name", WORLDS)
def test_small_worlds(name: str) -> None:
    """Everything behind every history of some tokens."""
    rules, tokens, steps = WORLDS[name]
    world = World(rules, tokens)
    world.walk(steps)

    assert world.stopped >= 10
    assert world.ended >= 2


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_drawn_rules(data: st.DataObject) -> None:
    """Histories of drawn tokens, which cut and glue the characters of the rules."""
    characters = "".join(data.draw(st.lists(st.sampled_from(POOL), min_size=4, max_size=4, unique=True)))
    before = tuple(data.draw(st.lists(phrases(characters), min_size=1, max_size=2)))
    banned = tuple(data.draw(st.lists(phrases(characters), max_size=1)))
    denied = data.draw(st.sampled_from(["", characters[0]]))
    tokens = data.draw(slices(characters))
    try:
        world = World(Rules(denied, (), banned, before), tokens)
    except PolicyError:
        assume(False)
    for seed in range(2):
        history: list[int] = []
        while len(history) < 5 and (allowed := world.compare(history, seed)):
            history.append(data.draw(st.sampled_from(allowed)))


def test_every_target_denies() -> None:
    """`stop before` and `replace` in regions and outside, compiled to every target and read back."""
    policy = langc.parse_policy(
        r'policy p { stop before phrase "User:" { boundary none; } replace \p{Script=Han} with "*";'
        r' replace phrase "big" with "large"; region r = between "<" ">" { replace [x] with "y" } }'
    )
    report = langc.verify(policy, BYTES_AND_EOS)

    assert report.ok
    assert len([t for t in report.targets if t.language is not None]) >= 8
    assert all(langc.compile(policy, t).fidelity.over is None for t in ("gbnf", "regex", "xgrammar", "llguidance"))
