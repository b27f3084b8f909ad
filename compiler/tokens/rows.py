"""What is made for a state when it is first asked for, and kept within a budget of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

ROW_CACHE_BYTES = 16 << 20


class Sized(Protocol):
    """Something that knows how much memory it holds, as arrays do."""

    @property
    def nbytes(self) -> int:
        """In bytes."""


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Sized)
Kept = TypeVar("Kept")
Scalar = TypeVar("Scalar", bound=np.generic)


class Remembered(Generic[Key, Kept]):
    """A pure function's values. When there are too many, all are forgotten.

    Unlike those of `lru_cache`, plain keys and values are not walked by Python's collections of garbage.
    """

    def __init__(self, make: Callable[[Key], Kept], limit: int) -> None:
        self._make, self._limit = make, limit
        self._kept: dict[Key, Kept] = {}

    def __call__(self, key: Key) -> Kept:
        """The value."""
        found = self._kept.get(key)
        return self._add(key) if found is None else found

    def _add(self, key: Key) -> Kept:
        made = self._make(key)
        if len(self._kept) >= self._limit:
            self._kept.clear()
        self._kept[key] = made
        return made

    def forget(self) -> None:
        """All of them."""
        self._kept.clear()


class KeptRows(Generic[Key, Value]):
    """Key to value; the value used longest ago goes first. The last one is kept whatever its size.

    While less than half of the budget is used, uses are not noted: what was made first then counts as used first.
    """

    def __init__(self, make: Callable[[Key], Value], budget: int = ROW_CACHE_BYTES) -> None:
        self._make = make
        self._budget = budget
        self._rows: OrderedDict[Key, Value] = OrderedDict()
        self._sizes: dict[Key, int] = {}
        """As they were counted: a value may grow later."""
        self._bytes = 0
        self._noted = budget // 2

    def __getitem__(self, key: Key) -> Value:
        row = self._rows.get(key)
        if row is None:
            return self._add(key)
        if self._bytes > self._noted:
            self._rows.move_to_end(key)
        return row

    def has_room(self, size: int) -> bool:
        """Whether a value of this size can be kept without another being dropped."""
        return self._bytes + size <= self._budget

    def keep(self, key: Key, row: Value) -> None:
        """Keep what was made elsewhere; it must be what would be made here."""
        if key not in self._rows:
            self._insert(key, row)

    def _add(self, key: Key) -> Value:
        row = self._make(key)
        self._insert(key, row)
        return row

    def _insert(self, key: Key, row: Value) -> None:
        self._rows[key] = row
        self._sizes[key] = row.nbytes
        self._bytes += self._sizes[key]
        while self._bytes > self._budget and len(self._rows) > 1:
            self._bytes -= self._sizes.pop(self._rows.popitem(last=False)[0])


class RowCache(KeptRows[int, npt.NDArray[Scalar]], Generic[Scalar]):
    """Dense rows over the vocabulary, by state; they are read-only."""

    def __init__(self, make: Callable[[int], npt.NDArray[Scalar]], budget: int = ROW_CACHE_BYTES) -> None:
        super().__init__(make, budget)

    def _insert(self, key: int, row: npt.NDArray[Scalar]) -> None:
        row.setflags(write=False)
        super()._insert(key, row)
