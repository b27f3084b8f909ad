"""The share of denied characters that bans a fragment: against counting with `str.encode` and `unicodedata2`."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache

import pytest
import unicodedata2
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.tokens.characters.code_points import flags_of
from langc.compiler.tokens.static_bias.ban import LOOSE, TIGHT, StaticBan, fragments_with_share
from langc.compiler.unicode.intervals import IntervalSet
from tests.property.static_bias.test_ban import chosen
from tests.property.static_bias.toys import text_of

pytestmark = pytest.mark.slow

BORDERS = (
    *(0x100, 0x13F, 0x140, 0xFFF, 0x1000, 0x103F, 0x1040, 0x10FF),
    *(0x9FC0, 0xA000, 0x1F000, 0x1F03F, 0x1F1FF, 0x30000, 0x40000),
)
"""Where the beginnings of encodings change, and what is assigned ends."""
BEGINNINGS = tuple(
    sorted({e[:size] for e in (chr(c).encode() for c in BORDERS) for size in range(1, len(e))} | {b"\xf1", b"\xe9\xbf"})
)
points = st.sampled_from(BORDERS)
spans = st.builds(lambda a, b: (min(a, b), max(a, b)), points, points | points.map(lambda c: c + 17))
denied_sets = st.lists(spans.filter(lambda s: s[1] - s[0] < 0x1000), max_size=4).map(lambda s: IntervalSet.of(*s))
tokens = st.builds(bytes.__add__, st.sampled_from([b"", b"a", "é".encode(), b"\x80"]), st.sampled_from(BEGINNINGS))
vocabularies = st.frozensets(tokens | st.sampled_from([b"a", b"\xbf"]), min_size=1, max_size=12).map(sorted)


def beginnings(character: int) -> list[bytes]:
    """The proper beginnings of an encoding."""
    encoded = chr(character).encode()
    return [encoded[:size] for size in range(1, len(encoded))]


@cache
def assigned() -> Counter[bytes]:
    """How many assigned characters each beginning can become."""
    characters = (c for c in range(0x110000) if unicodedata2.category(chr(c)) not in ("Cn", "Co", "Cs"))
    return Counter(b for c in characters for b in beginnings(c))


def shares(denied: IntervalSet) -> dict[bytes, Fraction]:
    """For each beginning of a denied character, the share of denied ones among those that count."""
    inside = Counter(b for c in denied for b in beginnings(c))
    more = Counter(b for c in denied if unicodedata2.category(chr(c)) in ("Cn", "Co") for b in beginnings(c))
    return {b: Fraction(n, assigned()[b] + more[b]) for b, n in inside.items()}


def ending(token: bytes, found: dict[bytes, Fraction]) -> Fraction | None:
    """The share of the beginning that a token ends in; None if it ends in none."""
    return next((found[token[-size:]] for size in (1, 2, 3) if token[-size:] in found), None)


@settings(max_examples=60)
@given(vocabularies, denied_sets, st.data())
def test_a_fragment_is_banned_from_its_share_on(words: list[bytes], denied: IntervalSet, data: st.DataObject) -> None:
    """At exactly its share it is, above it is not; a share that some beginning has is tried as often as another."""
    found = shares(denied)
    exact = sorted(set(found.values())) or [Fraction(1)]
    least = data.draw(st.sampled_from(exact) | st.fractions(Fraction(1, 1_000), 1, max_denominator=1_000))
    text = text_of(words)
    banned = {w for w in words if (share := ending(w, found)) is not None and share >= least}

    assert chosen(text, fragments_with_share(text, flags_of(denied), least)) == banned


@settings(max_examples=60)
@given(vocabularies, denied_sets, st.fractions(0, 1), st.fractions(0, 1))
def test_from_tight_to_loose(words: list[bytes], denied: IntervalSet, one: Fraction, other: Fraction) -> None:
    """Next to 0 all fragments are banned, above 1 none, and in between fewer as the share grows."""
    text, flags = text_of(words), flags_of(denied)
    ban = StaticBan.of(text, flags)
    low, high = sorted((one, other))

    def banned(share: Fraction) -> set[bytes]:
        return {text.token(int(k)) for k in ban.ranked(text, fragments_with_share(text, flags, share))}

    assert banned(TIGHT) == banned(Fraction(1, 0x110000)) == chosen(text, ban.tight)
    assert banned(LOOSE) == banned(Fraction(0x110001, 0x110000)) == chosen(text, ban.whole)
    assert banned(low) >= banned(high)


def test_the_shares_that_are_tried_differ() -> None:
    """The cases hold shares of 0 to 1, of assigned characters and of others."""
    found = shares(IntervalSet.of((0x1000, 0x1040), (0x9FC0, 0xA000), (0x30000, 0x30000 + 64)))

    assert found[b"\xe1\x80"] == 1
    assert found[b"\xe1\x81"] == Fraction(1, 64)
    assert 0 < found[b"\xe1"] < Fraction(1, 10)
