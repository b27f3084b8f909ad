"""Sets of integers (scalar values or bytes) as sorted ranges.

Invariant: `ranges` is sorted, bounds are inclusive, and no two ranges overlap *or touch*. So two sets
are equal iff their ranges are, and the number of ranges is the least possible. Every constructor
except `_from_canonical` establishes the invariant; nothing can break it, the class is immutable.

Surrogates are not scalar values: `SCALARS` leaves them out, and so does every complement.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Range = tuple[int, int]


def _canonical(ranges: Iterable[Range]) -> tuple[Range, ...]:
    merged: list[Range] = []
    for low, high in sorted(ranges):
        if low > high:
            raise ValueError(f"range {low:X}..{high:X} ends before it starts")
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


@dataclass(frozen=True)
class IntervalSet:
    """An immutable set of integers. `in`, `|`, `&`, `-`, `^`, `len` and `bool` act as on a frozenset."""

    ranges: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranges", _canonical(self.ranges))

    @classmethod
    def of(cls, *members: int | str | Range) -> IntervalSet:
        """A set of code points, of the characters of strings, and of inclusive ranges."""
        ranges: list[Range] = []
        for member in members:
            if isinstance(member, str):
                ranges.extend((ord(c), ord(c)) for c in member)
            else:
                ranges.append((member, member) if isinstance(member, int) else member)
        return cls(tuple(ranges))

    @classmethod
    def _from_canonical(cls, ranges: tuple[Range, ...]) -> IntervalSet:
        new = object.__new__(cls)
        object.__setattr__(new, "ranges", ranges)
        return new

    def __contains__(self, symbol: int) -> bool:
        i = bisect_right(self.ranges, (symbol, MAX_SYMBOL)) - 1
        return i >= 0 and symbol <= self.ranges[i][1]

    def __iter__(self) -> Iterator[int]:
        for low, high in self.ranges:
            yield from range(low, high + 1)

    def __hash__(self) -> int:
        found: int | None = self.__dict__.get("_hash")  # sets are keys of many caches, and may have hundreds of ranges
        if found is None:
            found = hash(self.ranges)
            object.__setattr__(self, "_hash", found)
        return found

    def __len__(self) -> int:
        return sum(high - low + 1 for low, high in self.ranges)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __or__(self, other: IntervalSet) -> IntervalSet:
        return IntervalSet(self.ranges + other.ranges)

    def __and__(self, other: IntervalSet) -> IntervalSet:
        out: list[Range] = []
        i = j = 0
        while i < len(self.ranges) and j < len(other.ranges):
            a, b = self.ranges[i], other.ranges[j]
            low, high = max(a[0], b[0]), min(a[1], b[1])
            if low <= high:
                out.append((low, high))
            i, j = (i + 1, j) if a[1] < b[1] else (i, j + 1)
        return IntervalSet._from_canonical(tuple(out))

    def __sub__(self, other: IntervalSet) -> IntervalSet:
        return self & other._gaps()

    def __xor__(self, other: IntervalSet) -> IntervalSet:
        return (self - other) | (other - self)

    def __le__(self, other: IntervalSet) -> bool:
        return not self - other

    def isdisjoint(self, other: IntervalSet) -> bool:
        """Whether no member is shared."""
        return not self & other

    def complement(self) -> IntervalSet:
        """All scalar values that are not in this set."""
        return SCALARS - self

    def first(self) -> int:
        """The least member. Raises ValueError on the empty set."""
        if not self.ranges:
            raise ValueError("the empty set has no first member")
        return self.ranges[0][0]

    def _gaps(self) -> IntervalSet:
        """Everything from 0 to `MAX_SYMBOL` that is not in this set, surrogates included."""
        out: list[Range] = []
        start = 0
        for low, high in self.ranges:
            if start < low:
                out.append((start, low - 1))
            start = high + 1
        if start <= MAX_SYMBOL:
            out.append((start, MAX_SYMBOL))
        return IntervalSet._from_canonical(tuple(out))


MAX_SYMBOL = 0x10FFFF
EMPTY_SET = IntervalSet()
SCALARS = IntervalSet(((0, 0xD7FF), (0xE000, MAX_SYMBOL)))
SURROGATES = IntervalSet(((0xD800, 0xDFFF),))
BYTES = IntervalSet(((0, 0xFF),))


def union(sets: Iterable[IntervalSet]) -> IntervalSet:
    """The union of any number of sets, in one merge."""
    return IntervalSet(tuple(r for s in sets for r in s.ranges))
