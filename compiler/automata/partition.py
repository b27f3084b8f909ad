"""Alphabets cut into classes whose members no automaton tells apart (minterms).

Invariant: the ranges are sorted, disjoint and cover the alphabet exactly; two neighbouring ranges
have different classes; classes are numbered 0..size-1 in the order of their first member. So equal
partitions are equal objects, and everything numbered by them is deterministic.

The same type serves code points (alphabet `SCALARS`) and bytes (alphabet `BYTES`): the byte classes
of a lowered automaton are its partition.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from langc.compiler.unicode.intervals import IntervalSet, Range, union


@dataclass(frozen=True)
class Partition:
    """`ranges[i]` belongs to class `ids[i]`."""

    ranges: tuple[Range, ...]
    ids: tuple[int, ...]

    @classmethod
    def of(cls, alphabet: IntervalSet, sets: Iterable[IntervalSet] = ()) -> Partition:
        """The coarsest partition of `alphabet` in which every set is a union of classes."""
        return cls._labelled(_sweep(alphabet, tuple(sets)))

    @classmethod
    def _labelled(cls, pieces: Iterable[tuple[int, int, Hashable]]) -> Partition:
        """Sorted pieces with labels: equal labels make a class, equal neighbours make a range."""
        numbers: dict[Hashable, int] = {}
        ranges: list[Range] = []
        ids: list[int] = []
        for low, high, label in pieces:
            number = numbers.setdefault(label, len(numbers))
            if ids and ids[-1] == number and ranges[-1][1] + 1 == low:
                ranges[-1] = (ranges[-1][0], high)
            else:
                ranges.append((low, high))
                ids.append(number)
        return cls(tuple(ranges), tuple(ids))

    @cached_property
    def size(self) -> int:
        """The number of classes."""
        return max(self.ids, default=-1) + 1

    @cached_property
    def alphabet(self) -> IntervalSet:
        """The union of all classes."""
        return IntervalSet(self.ranges)

    @cached_property
    def members(self) -> tuple[IntervalSet, ...]:
        """The members of each class."""
        grouped: list[list[Range]] = [[] for _ in range(self.size)]
        for r, number in zip(self.ranges, self.ids, strict=True):
            grouped[number].append(r)
        return tuple(IntervalSet(tuple(g)) for g in grouped)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(low for low, _ in self.ranges)

    def class_of(self, symbol: int) -> int:
        """The class of a symbol. Raises ValueError outside the alphabet (a surrogate, say)."""
        i = bisect_right(self._starts, symbol) - 1
        if i < 0 or symbol > self.ranges[i][1]:
            raise ValueError(f"{symbol:#x} is not in the alphabet")
        return self.ids[i]

    def classes_in(self, symbols: IntervalSet) -> tuple[int, ...]:
        """The classes whose union is `symbols`. Raises ValueError if `symbols` cuts a class."""
        inside = tuple(c for c, m in enumerate(self.members) if m.first() in symbols)
        if union(self.members[c] for c in inside) != symbols & self.alphabet:
            raise ValueError("the set is not a union of classes")
        return inside

    def refine(self, other: Partition) -> tuple[Partition, tuple[int, ...], tuple[int, ...]]:
        """The coarsest common refinement, and its classes' numbers in each of the two."""
        if self.alphabet == other.alphabet and (self == other or 1 in (self.size, other.size)):
            fine = self if other.size == 1 else other
            same, one = tuple(range(fine.size)), (0,) * fine.size
            return fine, same if self == fine else one, same if other == fine else one
        ranges = tuple(IntervalSet((r,)) for r in (*self.ranges, *other.ranges))
        pieces = _sweep(self.alphabet, ranges)
        fine = Partition._labelled((low, high, (self.class_of(low), other.class_of(low))) for low, high, _ in pieces)
        firsts = [m.first() for m in fine.members]
        return fine, tuple(map(self.class_of, firsts)), tuple(map(other.class_of, firsts))

    def merged(self, labels: Iterable[Hashable]) -> tuple[Partition, tuple[int, ...]]:
        """Classes with equal labels become one; also an old class for each new one."""
        by_class = tuple(labels)
        coarse = Partition._labelled(
            (low, high, by_class[c]) for (low, high), c in zip(self.ranges, self.ids, strict=True)
        )
        return coarse, tuple(self.class_of(m.first()) for m in coarse.members)


def _sweep(alphabet: IntervalSet, sets: tuple[IntervalSet, ...]) -> Iterator[tuple[int, int, Hashable]]:
    """The alphabet's ranges, cut wherever a set begins or ends, each with the sets that hold it."""
    changes: dict[int, list[int]] = {}
    for number, members in enumerate(sets):
        for low, high in members.ranges:
            changes.setdefault(low, []).append(number)
            changes.setdefault(high + 1, []).append(number)
    cuts = sorted(changes)
    active: set[int] = set()
    at = 0
    for low, high in alphabet.ranges:
        while low <= high:
            while at < len(cuts) and cuts[at] <= low:
                active ^= set(changes[cuts[at]])
                at += 1
            end = min(high, cuts[at] - 1) if at < len(cuts) else high
            yield low, end, frozenset(active)
            low = end + 1
