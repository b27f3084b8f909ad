"""The rows of ids of the last call, and which of them a new row goes on with.

Invariant: `find` compares ids with ids, every one of them, so what it says depends on the rows alone. It takes one pass
over a row at the speed of memory where the row has grown behind itself or another (beams), and one over all rows where
it has not. The rows are copied, whatever was copied before only once: the caller may write to his own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
PROBE = 4
"""Ids that are compared first; beams differ in their last ones."""
LEAST_WIDTH = 64


class Match(NamedTuple):
    """The first `length` ids are those of the row `row`."""

    row: int
    length: int


UNSEEN = Match(0, 0)


class SeenRows:
    """Rows of one width; none at first."""

    def __init__(self) -> None:
        self._ids: Ids = np.empty((0, 0), dtype=np.int64)
        """With room for more rows, and for longer ones."""
        self.count, self.width = 0, 0

    def find(self, rows: Ids) -> list[Match]:
        """For each row of int64 [B, T] a seen one that shares as many ids as any, from the start on."""
        size = min(self.width, rows.shape[1])
        if not size or not self.count:
            return [UNSEEN] * len(rows)
        seen, wanted = self._ids[: self.count, :size], rows[:, :size]
        if len(rows) == self.count and np.array_equal(seen, wanted):
            return [Match(number, size) for number in range(self.count)]
        return [_best(seen, row, number) for number, row in enumerate(wanted)]

    def keep(self, rows: Ids, found: list[Match]) -> None:
        """Take the place of the last rows, given what `find` has found for these."""
        count, width = rows.shape
        if count > self._ids.shape[0] or width > self._ids.shape[1]:
            self._grow(count, width)
        for number, (row, match) in enumerate(zip(rows, found, strict=True)):
            shared = match.length if match.row == number else 0
            self._ids[number, shared:width] = row[shared:]
        self.count, self.width = count, width

    def _grow(self, count: int, width: int) -> None:
        larger = np.empty((count, max(width + width // 2, LEAST_WIDTH)), dtype=np.int64)
        kept = min(count, self.count)
        larger[:kept, : self.width] = self._ids[:kept, : self.width]
        self._ids = larger


def _best(seen: Ids, row: Ids, number: int) -> Match:
    if number < len(seen) and np.array_equal(seen[number], row):
        return Match(number, len(row))
    for other in np.flatnonzero((seen[:, -PROBE:] == row[-PROBE:]).all(axis=1)).tolist():
        if np.array_equal(seen[other], row):
            return Match(other, len(row))
    differs = seen != row
    lengths = np.where(differs.any(axis=1), differs.argmax(axis=1), len(row))
    best = int(lengths.argmax())
    return Match(best, int(lengths[best]))
