"""Tokens that are allowed together, as ids and as a row of flags.

Invariant: both say the same. A row, bool [V], is only made of large parts, and kept: it is set into a mask faster than
so many ids, one by one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from langc.compiler.surfaces.masks.heads import Ints
from langc.compiler.tokens.rows import KeptRows

LARGE = 1_024
"""Ids; from so many on a part is shared between masks and not copied."""
ROWS_BYTES = 32 << 20
Row = npt.NDArray[np.bool_]


class Ids:
    """Some tokens; compared by identity."""

    __slots__ = ("ids",)

    def __init__(self, ids: Ints) -> None:
        self.ids = ids

    @property
    def is_large(self) -> bool:
        """Whether it is worth a row."""
        return self.ids.size >= LARGE

    @property
    def nbytes(self) -> int:
        """The memory that it holds."""
        return self.ids.nbytes


class Rows:
    """The rows of parts, over a vocabulary of some size."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._large: KeptRows[Ids, Row] = KeptRows(self._of, ROWS_BYTES)

    def together(self, parts: Iterable[Ids]) -> Row:
        """bool [size], new: the tokens of all parts."""
        row: Row | None = None
        small = []
        for part in parts:
            if not part.is_large:
                small.append(part.ids)
            elif row is None:
                row = self._large[part].copy()
            else:
                row |= self._large[part]
        if row is None:
            row = np.zeros(self._size, dtype=np.bool_)
        for ids in small:
            row[ids] = True
        return row

    def _of(self, part: Ids) -> Row:
        row = np.zeros(self._size, dtype=np.bool_)
        row[part.ids] = True
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
