"""Proper beginnings of encodings: one to three bytes, the first a lead byte, and more to come.

Invariant: as in `code_points.Cells`, there is one array for each kind of lead and each length, with an axis for each
byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.characters.code_points import Cells, Flags, Ints, any_of_last, count_of_last

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class Beginnings:
    """A set of beginnings; the field `three_two` holds those of two bytes whose character has three."""

    two_one: Flags
    """bool [32]"""
    three_one: Flags
    """bool [16]"""
    three_two: Flags
    """bool [16, 64]"""
    four_one: Flags
    """bool [5]"""
    four_two: Flags
    """bool [5, 64]"""
    four_three: Flags
    """bool [5, 64, 64]"""

    @classmethod
    def empty(cls) -> Beginnings:
        """No beginnings; `add` fills it."""
        shapes: tuple[tuple[int, ...], ...] = ((32,), (16,), (16, 64), (5,), (5, 64), (5, 64, 64))
        return cls(*(np.zeros(shape, dtype=np.bool_) for shape in shapes))

    @classmethod
    def of(cls, members: Flags) -> Beginnings:
        """Every proper beginning of the encoding of a member."""
        return cls(*_behind_each(Cells.of(members), any_of_last))

    @classmethod
    def with_share(cls, members: Flags, among: Flags, least: Fraction) -> Beginnings:
        """The proper beginnings for which, of the characters in `among` behind them, at least a share are members.

        `among` holds all members. A beginning with no member behind it is never in the set, whatever the share.
        """
        inside = _behind_each(Cells.of(members), count_of_last)
        every = _behind_each(Cells.of(among), count_of_last)
        return cls(*(_reaches(i, e, least) for i, e in zip(inside, every, strict=True)))

    def add(self, rows: npt.NDArray[np.uint8]) -> None:
        """Put in the rows of uint8 [m, 1..3] that can begin a character; the others are passed over."""
        for array, index in self._indices(rows):
            array[index[1:]] = True

    def look_up(self, rows: npt.NDArray[np.uint8]) -> Flags:
        """bool [m]: which rows of uint8 [m, 1..3] are in the set."""
        found = np.zeros(len(rows), dtype=np.bool_)
        for array, index in self._indices(rows):
            found[index[0]] = array[index[1:]]
        return found

    def _indices(self, rows: npt.NDArray[np.uint8]) -> list[tuple[Flags, tuple[npt.NDArray[np.int64], ...]]]:
        """For each array: which rows have its shape of bytes, and where each stands in it."""
        lead = rows[:, 0]
        follows = ((rows[:, 1:] & 0xC0) == 0x80).all(axis=1)
        found = []
        for array, low, high in self._arrays(rows.shape[1]):
            number = np.flatnonzero(follows & (lead >= low) & (lead <= high))
            rest = (rows[number, i].astype(np.int64) & 0x3F for i in range(1, rows.shape[1]))
            found.append((array, (number, lead[number].astype(np.int64) - low, *rest)))
        return found

    def _arrays(self, length: int) -> tuple[tuple[Flags, int, int], ...]:
        """The arrays of one length with their first and last lead bytes."""
        two, three, four = (0xC0, 0xDF), (0xE0, 0xEF), (0xF0, 0xF4)
        match length:
            case 1:
                return ((self.two_one, *two), (self.three_one, *three), (self.four_one, *four))
            case 2:
                return ((self.three_two, *three), (self.four_two, *four))
            case _:
                return ((self.four_three, *four),)


def _behind_each(cells: Cells, fold: Callable[[Flags, int], npt.NDArray[Scalar]]) -> tuple[npt.NDArray[Scalar], ...]:
    """What a fold makes of the characters behind each beginning: an array for each field of `Beginnings`."""
    two, three, four = cells.two, cells.three, cells.four
    return (fold(two, 1), fold(three, 2), fold(three, 1), fold(four, 3), fold(four, 2), fold(four, 1))


def _reaches(inside: Ints, every: Ints, least: Fraction) -> Flags:
    """Whether inside / every is at least a share. In whole numbers, so that 9 of 10 are 0.9 of them."""
    wanted = np.frompyfunc(lambda size: -(-size * least.numerator // least.denominator), 1, 1)(every)
    found: Flags = (inside > 0) & (inside >= wanted).astype(np.bool_)
    return found
