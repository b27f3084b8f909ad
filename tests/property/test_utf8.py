"""UTF-8 sequences of scalar ranges against Python's own encoder, and their two promises."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.unicode import properties
from langc.compiler.unicode.intervals import MAX_SYMBOL, SCALARS, SURROGATES, IntervalSet, Range
from langc.compiler.unicode.utf8 import ByteRanges, sequences

SETS = {
    "every scalar value": SCALARS,
    "the whole code space": IntervalSet(((0, MAX_SYMBOL),)),
    "Han": properties.script("Han"),
    "all but Han": properties.script("Han").complement(),
    "Emoji": properties.lookup(None, "Emoji"),
    "unassigned": properties.lookup(None, "Cn"),
    "every third": IntervalSet.of(*range(0, 0x20000, 3)),
}

BORDERS = [0, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF]
BORDERS += [0x40000, 0xFFFFF, 0x100000, MAX_SYMBOL]
near_borders = st.builds(
    lambda at, by: min(max(at + by, 0), MAX_SYMBOL), st.sampled_from(BORDERS), st.integers(-70, 70)
)
ends = st.one_of(near_borders, st.integers(0, MAX_SYMBOL))
some_sets = st.lists(st.tuples(ends, ends).map(lambda p: (min(p), max(p))), max_size=5).map(
    lambda found: IntervalSet(tuple(found))
)


def size(sequence: ByteRanges) -> int:
    """How many byte strings a sequence matches."""
    return prod(high - low + 1 for low, high in sequence)


def first(sequence: ByteRanges) -> bytes:
    """The least byte string of a sequence."""
    return bytes(low for low, _ in sequence)


def last(sequence: ByteRanges) -> bytes:
    """The greatest byte string of a sequence."""
    return bytes(high for _, high in sequence)


def matches(found: list[ByteRanges], text: bytes) -> bool:
    """Whether one of the sequences, which come in order, matches the whole of `text`."""
    at = bisect_right([first(s) for s in found], text)
    sequence = found[at - 1] if at else ((256, 256),)
    return len(sequence) == len(text) and all(low <= b <= high for b, (low, high) in zip(text, sequence, strict=True))


def spelled(members: IntervalSet) -> list[bytes]:
    """The encodings of all members, by Python's encoder."""
    return [chr(c).encode() for c in members & SCALARS]


@pytest.mark.parametrize("name", SETS)
def test_every_encoding_matches_exactly_one_sequence(name: str) -> None:
    """Exhaustively: as many products as members; and the sequences, expanded, are the encodings in order."""
    found = list(sequences(SETS[name]))

    expanded = [bytes(b) for s in found for b in product(*(range(low, high + 1) for low, high in s))]

    assert sum(map(size, found)) == len(SETS[name] & SCALARS)
    assert expanded == spelled(SETS[name])


@given(some_sets)
def test_the_sequences_are_in_order_and_apart(members: IntervalSet) -> None:
    """Each ends before the next begins, as byte strings compare; and the number of texts is that of the members."""
    found = list(sequences(members))

    assert all(last(a) < first(b) for a, b in pairwise(found))
    assert all(len(s) == len(first(s).decode().encode()) for s in found)
    assert sum(map(size, found)) == len(members & SCALARS)


@given(some_sets, ends)
def test_membership_is_that_of_the_set(members: IntervalSet, symbol: int) -> None:
    """An encoding matches iff its code point is a member; a surrogate's would-be encoding never does."""
    found = list(sequences(members))

    text = chr(symbol).encode("utf-8", "surrogatepass")

    assert matches(found, text) == (symbol in members and symbol not in SURROGATES)


def test_all_scalar_values_take_the_nine_rows_of_the_standard() -> None:
    """Table 3-7 of the Unicode Standard, which says what well-formed UTF-8 is."""
    tail: Range = (0x80, 0xBF)
    expected = [
        ((0x00, 0x7F),),
        ((0xC2, 0xDF), tail),
        ((0xE0, 0xE0), (0xA0, 0xBF), tail),
        ((0xE1, 0xEC), tail, tail),
        ((0xED, 0xED), (0x80, 0x9F), tail),
        ((0xEE, 0xEF), tail, tail),
        ((0xF0, 0xF0), (0x90, 0xBF), tail, tail),
        ((0xF1, 0xF3), tail, tail, tail),
        ((0xF4, 0xF4), (0x80, 0x8F), tail, tail),
    ]

    assert expected == list(sequences(SCALARS))


@pytest.mark.parametrize(
    "text",
    [
        *(bytes([b]) for b in (*range(0x80, 0xC2), *range(0xF5, 0x100))),
        b"\xc0\x80",
        b"\xc1\xbf",
        b"\xe0\x80\x80",
        b"\xe0\x9f\xbf",
        b"\xf0\x80\x80\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xf8\x88\x80\x80\x80",
        b"\xe4\xb8",
        b"\xe4",
        b"",
    ],
    ids=lambda b: b.hex() or "empty",
)
def test_what_is_not_utf8_never_matches(text: bytes) -> None:
    """Overlong forms, surrogates, bytes that no encoding has, and halves, even when every code point is a member."""
    found = list(sequences(IntervalSet(((0, MAX_SYMBOL),))))

    assert not matches(found, text)


def test_what_begins_no_encoding_begins_no_sequence() -> None:
    """No sequence has C0, C1 or F5 to FF anywhere."""
    used = IntervalSet(tuple(r for s in sequences(SCALARS) for r in s))

    assert used.isdisjoint(IntervalSet.of((0xC0, 0xC1), (0xF5, 0xFF)))


def test_a_carry_cuts_the_range() -> None:
    """The example of the module's text."""
    expected = [((0xC3, 0xC3), (0xA0, 0xBF)), ((0xC4, 0xC4), (0x80, 0xBF)), ((0xC5, 0xC5), (0x80, 0x85))]

    assert expected == list(sequences(IntervalSet.of((0xE0, 0x145))))


def test_nothing_gives_nothing() -> None:
    """The empty set and the surrogates have no encodings."""
    assert list(sequences(IntervalSet())) == []
    assert list(sequences(SURROGATES)) == []
