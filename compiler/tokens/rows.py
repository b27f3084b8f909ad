"""Dense rows over the vocabulary, made when first asked for and kept within a budget of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)

ROW_CACHE_BYTES = 64 << 20


class RowCache(Generic[Scalar]):
    """State to row; the row used longest ago goes first. Rows are read-only."""

    def __init__(self, make: Callable[[int], npt.NDArray[Scalar]], budget: int = ROW_CACHE_BYTES) -> None:
        self._make = make
        self._budget = budget
        self._rows: OrderedDict[int, npt.NDArray[Scalar]] = OrderedDict()
        self._bytes = 0

    def __getitem__(self, state: int) -> npt.NDArray[Scalar]:
        row = self._rows.get(state)
        if row is None:
            return self._add(state)
        self._rows.move_to_end(state)
        return row

    def _add(self, state: int) -> npt.NDArray[Scalar]:
        row = self._make(state)
        row.setflags(write=False)
        self._rows[state] = row
        self._bytes += row.nbytes
        while self._bytes > self._budget and len(self._rows) > 1:
            self._bytes -= self._rows.popitem(last=False)[1].nbytes
        return row
