"""Comparison of masks, with engines that are wrong on purpose in one way each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

import langc
from langc.compiler.pipeline import compile_policy
from langc.compiler.target import EXACT, Fidelity
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.engines.bias import Bias
from langc.compiler.verify.engines.machine import Machine
from langc.compiler.verify.engines.protocol import Look, PrefixRefusedError, Whole, pack, unpack
from langc.compiler.verify.engines.python_re import PythonRe
from langc.compiler.verify.masks import compare
from langc.compiler.verify.reference import Reference
from langc.compiler.verify.report import Masks, Witness
from langc.compiler.verify.texts import compare_texts, texts
from langc.compiler.verify.walks import Walk, Walks, walks

TOY = Vocabulary(
    "toy",
    (*(bytes([b]) for b in range(256)), b"ab", b"", b"", b""),
    {257: "<end>", 258: "<stop>", 259: "<note>"},
    frozenset({257, 258}),
)
END, STOP, NOTE, PADDING = 257, 258, 259, 263
POLICY = 'policy p { only [a-z가-힣]; allow "漢江"; }'


@cache
def reference() -> Reference:
    """The policy over 260 ids and 264 rows."""
    return Reference(langc.parse_policy(POLICY), TOY, 264)


@cache
def chosen() -> Walks:
    """All states, and some beginnings of characters."""
    return walks(reference().tables, TOY, 100)


class Wrong(Whole):
    """The matcher, but for one id behind one prefix."""

    name = "wrong"

    def __init__(self, prefix: bytes = b"", token: int | None = None) -> None:
        self.rows = 264
        self._prefix = list(prefix)
        self._token = token
        self._right = Machine("right", reference().tables, 264)

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """The right one with a bit turned."""
        look = self._right.look(prefix, ids)
        if self._token is None or list(prefix) != self._prefix:
            return look
        mask = unpack(look.mask, 264).copy()
        mask[self._token] = not mask[self._token]
        return Look(pack(mask, 264), [bool(mask[i]) for i in ids])


def test_an_exact_engine() -> None:
    """Everything is counted, and nothing is found."""
    found = compare(Wrong(), reference(), chosen(), version="1.0")

    assert found == Masks("wrong", "1.0", len(chosen().rows), chosen().reachable, chosen().reachable)
    assert len(chosen().rows) == 100


HAN = "漢".encode()


@pytest.mark.parametrize(
    ("prefix", "token", "witness"),
    [
        (b"", ord("a"), Witness(b"a", "policy", (ord("a"),))),
        (b"", ord("A"), Witness(b"A", "wrong", (ord("A"),))),
        (b"", END, Witness(b"", "policy", (END,))),
        (b"", STOP, Witness(b"", "policy", (STOP,))),
        (b"", NOTE, Witness(b"", "wrong", (NOTE,))),
        (b"", PADDING, Witness(b"", "wrong", (PADDING,))),
        (b"", 256, Witness(b"ab", "policy", (256,))),
        (HAN, END, Witness(HAN, "wrong", (*HAN, END))),
        (HAN, 0xE6, Witness(HAN + b"\xe6", "policy", (*HAN, 0xE6))),
        (HAN[:2], END, Witness(HAN[:2], "wrong", (*HAN[:2], END))),
        (b"\xea", 0x7F, Witness(b"\xea\x7f", "wrong", (0xEA, 0x7F))),
    ],
)
def test_one_bit_is_found(prefix: bytes, token: int, witness: Witness) -> None:
    """Whatever bit is turned in a state that walks lead to: one mask is wrong, and the witness is that bit."""
    found = compare(Wrong(prefix, token), reference(), chosen())

    assert (found.unexplained, found.witness, found.error) == (1, witness, None)


class WrongBehindTheTerm(Wrong):
    """Offers `!` wherever the term stands in the text."""

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """The right one with `!` where the term was."""
        look = self._right.look(prefix, ids)
        if "漢江".encode() not in bytes(t for t in prefix if t < 256):
            return look
        mask = unpack(look.mask, 264).copy()
        mask[ord("!")] = True
        return Look(pack(mask, 264), [bool(mask[i]) for i in ids])


def test_the_witness_is_made_short() -> None:
    """Tokens that do not matter are left out of the prefix."""
    term = tuple("漢江".encode())
    start = reference().machine.start
    walk = Walk((*b"abc", *term, *b"xy"), start, (start, b""))
    found = compare(WrongBehindTheTerm(), reference(), Walks((walk,), 1))

    assert found.witness == Witness(bytes(term) + b"!", "wrong", (*term, ord("!")))


class Torn(Wrong):
    """Takes a special id everywhere, and does not offer it."""

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """The right mask."""
        look = self._right.look(prefix, ids)
        taken = [t or (i == NOTE) for t, i in zip(look.taken, ids, strict=True)]
        return Look(look.mask, taken)


def test_what_is_taken_must_be_offered() -> None:
    """An engine that accepts what its mask refuses is found, though the mask is right."""
    found = compare(Torn(), reference(), chosen())

    assert found.unexplained > 0
    assert found.error == "it takes another token than it offers"


class Broken(Wrong):
    """Fails in the middle of the term."""

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """Fails."""
        if list(prefix[:1]) == [0xE6]:
            raise RuntimeError("out of memory")
        return self._right.look(prefix, ids)


def test_a_failing_engine() -> None:
    """Its failure counts as a difference wherever it fails, and its message is kept."""
    found = compare(Broken(), reference(), chosen())
    behind = sum(walk.tokens[:1] == (0xE6,) for walk in chosen().rows)

    assert (found.unexplained, found.error) == (behind, "RuntimeError: out of memory")
    assert found.witness == Witness(b"\xe6", "policy", (0xE6,))
    assert behind >= 3


class Short(Wrong):
    """Refuses to begin the term."""

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """Refuses E6, and does not offer it."""
        if 0xE6 in prefix:
            raise PrefixRefusedError(list(prefix).index(0xE6))
        mask = unpack(self._right.look(prefix).mask, 264).copy()
        mask[0xE6] = False
        return Look(pack(mask, 264), [bool(mask[i]) for i in ids])


def test_a_refused_prefix() -> None:
    """A prefix that the engine does not let through is a difference in its first refused token."""
    found = compare(Short(), reference(), chosen())

    assert found.unexplained >= 4
    assert found.witness == Witness(b"\xe6", "policy", (0xE6,))


class Endless(Wrong):
    """Goes on behind an end."""

    def taken_after_end(self, prefix: Sequence[int], end: int, ids: Sequence[int]) -> Sequence[bool]:
        """Everything."""
        return [True] * len(ids)


def test_nothing_may_follow_an_end() -> None:
    """An engine that takes text behind an end token is found."""
    found = compare(Endless(), reference(), chosen())

    assert found.unexplained > 0
    assert found.error == "it takes tokens behind the end of the text"


def test_progress() -> None:
    """It is told how far it is, from the start."""
    told: list[tuple[int, int]] = []
    compare(Wrong(), reference(), chosen(), progress=lambda done, total: told.append((done, total)))

    assert told == [(0, 100), (64, 100)]


def test_known_faults_are_counted_by_name() -> None:
    """What a predicate explains is no unexplained difference: here llama.cpp's way with NUL."""

    class Nul(Wrong):
        name = "llama.cpp"

    policy = langc.parse_policy("policy p { deny script Han; }")
    own = Reference(policy, TOY, 264)
    engine = Nul(b"", 0)
    engine._right = Machine("right", own.tables, 264)
    found = compare(engine, own, walks(own.tables, TOY, 60))

    assert (dict(found.faults), found.unexplained) == ({"nul": 1}, 0)


def bias(fidelity: Fidelity | None = None) -> Masks:
    """The comparison of a static bias, with what it admits or less."""
    policy = langc.parse_policy("policy p { only [a-zé가-힣]; }")
    own = Reference(policy, TOY, 264)
    artifact = compile_policy(policy, "logit-bias", TOY, allow=["under"], dialect="llama.cpp")
    assert artifact.text is not None
    return compare(Bias(artifact.text, 264), own, walks(own.tables, TOY, 200), fidelity=fidelity or artifact.fidelity)


def test_a_static_bias_is_explained_by_its_header() -> None:
    """It bans pieces of permitted characters, writes no text with special ids, and lets malformed text through."""
    found = bias()

    assert (found.unexplained, found.witness) == (0, None)
    assert set(found.faults) == {"ill-formed", "under", "writes-nothing"}


@pytest.mark.parametrize("fidelity", [EXACT, Fidelity(under="é"), Fidelity(over="a")])
def test_a_static_bias_with_another_header(fidelity: Fidelity) -> None:
    """What the header does not admit stays unexplained."""
    assert bias(fidelity).unexplained > 0


def test_a_soft_policy_is_compared_by_what_costs_nothing() -> None:
    """Under a soft policy all is permitted at a price; a cost put on one more token is found."""
    soft = langc.parse_policy(POLICY).with_(mode="soft", bias=3)
    own = Reference(soft, TOY, 264)
    found = walks(own.tables, TOY, 100)
    right = Machine("processor", own.tables, 264)

    assert compare(right, own, found).unexplained == 0
    assert int(np.unpackbits(own.packed(own.machine.start)).sum()) < 200


def test_whole_texts() -> None:
    """An engine for whole texts is asked at the ends of each range; one end moved by one is found."""
    policy = langc.parse_policy('policy p { only [a-f]; allow "漢江"; }')
    right = compare_texts(PythonRe("(?:[a-f]|漢江)*"), policy.dfa, 100, version="3")
    wrong = compare_texts(PythonRe("(?:[a-g]|漢江)*"), policy.dfa, 100)

    assert (right.texts, right.unexplained, right.prefixes) == (len(list(texts(policy.dfa))), 0, 0)
    assert wrong.witness == Witness(b"g", "python-re")
