"""Tokens that are allowed together, as ids and as a row of flags.

Invariant: both say the same. The row, bool [V], is only made of large parts, once: it is set into a mask faster than so
many ids, one by one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from langc.compiler.surfaces.masks.heads import Ints

LARGE = 1_024
"""Ids; from so many on a part is shared between masks and not copied."""


class Ids:
    """See the module."""

    __slots__ = ("_row", "ids")

    def __init__(self, ids: Ints) -> None:
        self.ids = ids
        self._row: npt.NDArray[np.bool_] | None = None

    @property
    def is_large(self) -> bool:
        """Whether it is worth a row."""
        return self.ids.size >= LARGE

    @property
    def nbytes(self) -> int:
        """The memory that it holds."""
        return self.ids.nbytes + (0 if self._row is None else self._row.nbytes)

    def row(self, size: int) -> npt.NDArray[np.bool_]:
        """bool [size], read-only."""
        if self._row is None:
            self._row = np.zeros(size, dtype=np.bool_)
            self._row[self.ids] = True
        return self._row


def row_of(parts: Iterable[Ids], size: int) -> npt.NDArray[np.bool_]:
    """bool [size], new: the tokens of all parts."""
    row: npt.NDArray[np.bool_] | None = None
    small = []
    for part in parts:
        if not part.is_large:
            small.append(part.ids)
        elif row is None:
            row = part.row(size).copy()
        else:
            row |= part.row(size)
    if row is None:
        row = np.zeros(size, dtype=np.bool_)
    for ids in small:
        row[ids] = True
    return row


def joined(parts: Iterable[Ids]) -> tuple[Ids, ...]:
    """The same parts, those that are small as one."""
    large, small = [], []
    for part in parts:
        if part.is_large:
            large.append(part)
        elif part.ids.size:
            small.append(part.ids)
    if small:
        large.append(Ids(small[0] if len(small) == 1 else np.concatenate(small)))
    return tuple(dict.fromkeys(large))
