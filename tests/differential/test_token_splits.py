"""Every way to cut every small byte string into tokens: the matcher against the referee.

The vocabulary of a string is all its substrings, so each of the 2^(n-1) cuts is a row of tokens. What is
allowed, what it costs and where a text may end must not depend on the cut.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import complement, concat, cover, literal, repetition
from langc.compiler.policy import Policy
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests.oracle.tokens import FORBIDDEN, TokenReferee
from tests.oracle.worlds import byte_strings
from tests.property.languages import policy_for

DENIED = IntervalSet.of((0x7F, 0x80), (0x800, 0xD7FF), (0x10000, 0x10FFFE))
HARD = (
    policy_for(cover(SCALARS - DENIED)),
    policy_for(cover(DENIED)),
    policy_for(cover(SCALARS - DENIED, ("\u0800\x00", "\U00010000\ud7ff"))),
    policy_for(concat(repetition(complement(literal("\x80")), 0, 1), cover(SCALARS - IntervalSet.of("\u07ff")))),
)
SOFT = tuple(p.with_(mode="soft", bias=3) for p in HARD[:3])


def cuts(data: bytes) -> Iterator[tuple[bytes, ...]]:
    """Every way to write `data` as a row of pieces that are not empty."""
    if not data:
        yield ()
    for size in range(1, len(data) + 1):
        yield from ((data[:size], *rest) for rest in cuts(data[size:]))


def compare(policy: Policy, data: bytes) -> int:
    """Walk all cuts of one string; how many were walked."""
    pieces = sorted({data[i:j] for i in range(len(data)) for j in range(i + 1, len(data) + 1)})
    eos = len(pieces)
    vocabulary = Vocabulary("substrings", (*pieces, b""), {eos: "<eos>"}, frozenset({eos}))
    referee = TokenReferee(policy, vocabulary)
    try:
        start = Matcher(policy, vocabulary)
    except PolicyError:
        assert not any(referee.mask([])[:eos]), (policy, data)
        return 0
    ids = {piece: i for i, piece in enumerate(pieces)}
    return sum(_walk(start.fork(), referee, ids, cut) for cut in cuts(data))


def _walk(matcher: Matcher, referee: TokenReferee, ids: dict[bytes, int], cut: tuple[bytes, ...]) -> int:
    text = b""
    for piece in cut:
        expected = referee.row(text)
        assert matcher.bias().tolist() == expected, (text, cut)
        assert matcher.advance(ids[piece]) == (expected[ids[piece]] != FORBIDDEN)
        if expected[ids[piece]] == FORBIDDEN:
            return 1
        text += piece
    assert matcher.bias().tolist() == referee.row(text)
    return 1


@pytest.mark.parametrize("policy", HARD + SOFT)
def test_two_characters(policy: Policy) -> None:
    """All boundary characters and malformed pieces, alone and in pairs."""
    walked = sum(compare(policy, data) for data in byte_strings(2) if data)

    assert walked >= 500


@pytest.mark.exhaustive
@pytest.mark.parametrize("policy", HARD + SOFT)
def test_three_characters(policy: Policy) -> None:
    """Three pieces of up to nine bytes in all, with up to 256 cuts each."""
    walked = sum(compare(policy, data) for data in dict.fromkeys(byte_strings(3)) if 0 < len(data) <= 9)

    assert walked >= 50_000
