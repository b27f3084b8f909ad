"""Ranges of scalar values as sequences of byte ranges in UTF-8 (RFC 3629)."""

from __future__ import annotations

from collections.abc import Iterator

from langc.compiler.unicode.intervals import SCALARS, IntervalSet, Range

_LENGTH_ENDS = (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)


def sequences(members: IntervalSet) -> Iterator[tuple[Range, ...]]:
    """Every scalar of `members` matches exactly one of the sequences; they come in lexicographic order."""
    stack = [r for r in reversed((members & SCALARS).ranges)]
    while stack:
        low, high = stack.pop()
        cut = _cut(low, high)
        if cut is None:
            yield tuple(zip(chr(low).encode(), chr(high).encode(), strict=True))
        else:
            stack += [(cut + 1, high), (low, cut)]


def _cut(low: int, high: int) -> int | None:
    """Where the range must be split, or None if its encodings are one product of byte ranges."""
    for end in _LENGTH_ENDS:
        if low <= end < high:
            return end
    for bits in (6, 12, 18):
        mask = (1 << bits) - 1
        if high < 0x80 or low & ~mask == high & ~mask:
            continue
        if low & mask:
            return low | mask
        if high & mask != mask:
            return (high & ~mask) - 1
    return None
