"""Every way to cut every small byte string into tokens: the matcher against the referee.

The vocabulary of a string is all its substrings, so each of the 2^(n-1) cuts is a row of tokens. What is
allowed, what it costs and where a text may end must not depend on the cut.

The cuts of a string form a tree, which the matcher walks forth and back: cuts that begin alike are compared once, and
`rollback` is put to the test on the way.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import Language, complement, concat, cover, literal, repetition
from langc.compiler.policy import Policy
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests.oracle.residual import Referee
from tests.oracle.tokens import FORBIDDEN, TokenReferee
from tests.oracle.worlds import languages, languages_up_to, small_strings
from tests.property.languages import policy_for

pytestmark = pytest.mark.slow

DENIED = IntervalSet.of((0x7F, 0x80), (0x800, 0xD7FF), (0x10000, 0x10FFFE))
HARD = (
    policy_for(cover(SCALARS - DENIED)),
    policy_for(cover(DENIED)),
    policy_for(cover(SCALARS - DENIED, ("\u0800\x00", "\U00010000\ud7ff"))),
    policy_for(concat(repetition(complement(literal("\x80")), 0, 1), cover(SCALARS - IntervalSet.of("\u07ff")))),
)
SOFT = tuple(p.with_(mode="soft", bias=3) for p in HARD[:3])


def compare(policy: Policy, data: bytes) -> int:
    """Walk all cuts of one string; how many beginnings of cuts had their row compared."""
    pieces = sorted({data[i:j] for i in range(len(data)) for j in range(i + 1, len(data) + 1)})
    eos = len(pieces)
    vocabulary = Vocabulary("substrings", (*pieces, b""), {eos: "<eos>"}, frozenset({eos}))
    referee = TokenReferee(policy, vocabulary)
    try:
        matcher = Matcher(policy, vocabulary)
    except PolicyError:
        assert not any(referee.mask([])[:eos]), (policy, data)
        return 0
    return _walk(matcher, referee, {piece: i for i, piece in enumerate(pieces)}, data, 0)


def _walk(matcher: Matcher, referee: TokenReferee, ids: dict[bytes, int], data: bytes, at: int) -> int:
    """Compare the row behind `data[:at]`, then go on with each piece that comes next there."""
    expected = referee.row(data[:at])
    assert matcher.bias().tolist() == expected, (data, matcher.ids)
    compared = 1
    for end in range(at + 1, len(data) + 1):
        token = ids[data[at:end]]
        allowed = expected[token] != FORBIDDEN
        assert matcher.advance(token) == allowed, (data, matcher.ids, token)
        if allowed:
            compared += _walk(matcher, referee, ids, data, end)
            matcher.rollback(1)
    return compared


def compare_all(languages: Sequence[Language], soft: bool, length: int, most_bytes: int = 12) -> int:
    """Walk all cuts of all small strings under each language that holds anything; how many rows were compared."""
    compared = 0
    for language in languages:
        if Referee(language).viable(""):
            policy = policy_for(language, 3.0 if soft else None)
            compared += sum(compare(policy, data) for data in small_strings(length, most_bytes))
    return compared


@pytest.mark.parametrize("policy", HARD + SOFT)
def test_two_characters(policy: Policy) -> None:
    """All boundary characters and malformed pieces, alone and in pairs."""
    compared = sum(compare(policy, data) for data in small_strings(2))

    assert compared >= 800


@pytest.mark.parametrize("share", range(2))
@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
def test_expressions_of_up_to_two_nodes(soft: bool, share: int) -> None:
    """Every policy of that size, on every string of up to two pieces, in every cut."""
    compared = compare_all(languages_up_to(2)[share::2], soft, 2)

    assert compared >= 20_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("share", range(8))
@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
def test_expressions_of_three_nodes(soft: bool, share: int) -> None:
    """Every policy of that size, on every string of up to two pieces, in every cut."""
    compared = compare_all(languages(3)[share::8], soft, 2)

    assert compared >= 20_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("policy", HARD + SOFT)
def test_three_characters(policy: Policy) -> None:
    """Three pieces of up to nine bytes in all, with up to 256 cuts each."""
    compared = sum(compare(policy, data) for data in small_strings(3, 9))

    assert compared >= 50_000
