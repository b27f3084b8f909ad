"""What tokens cost, added to numpy's float16: looked up, since there are only 65,536 such numbers.

Invariant: the sums are those of numpy's own addition, bit for bit, which the tables are made with; that addition takes
some nanoseconds a number. What costs nothing is not touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.logits.layout import Array

Ids = npt.NDArray[np.intp]
Halves = npt.NDArray[np.float16]
MOST_TABLES = 16
"""Different costs of one state; a policy has no more, joined ones may have."""
TABLES_KEPT = 64
"""Of 128 KiB each."""


@dataclass(frozen=True)
class HalfCosts:
    """For views [..., rows] of float16 as uint16."""

    groups: tuple[tuple[Ids, Array], ...]
    """The tokens of each cost, and for each number what it becomes, uint16 [65,536]."""

    @property
    def nbytes(self) -> int:
        """The memory of the tokens; the tables are shared."""
        return sum(ids.nbytes for ids, _ in self.groups)

    def add(self, source: Array, out: Array) -> None:
        """Write the sums."""
        if source is not out:
            np.copyto(out, source)
        for ids, table in self.groups:
            if source.ndim == 1:
                out[ids] = table.take(source.take(ids))
            else:
                out[..., ids] = table.take(source[..., ids])


def half_costs(costs: Halves) -> HalfCosts | None:
    """For costs [rows], 0 or −0 where there is none; None if too many are different."""
    ids = np.flatnonzero(costs)
    different, which = np.unique(costs[ids], return_inverse=True)
    if len(different) > MOST_TABLES:
        return None
    groups = ((ids[which == number], _sums(cost)) for number, cost in enumerate(different.tolist()))
    return HalfCosts(tuple(groups))


@lru_cache(TABLES_KEPT)
def _sums(cost: float) -> Array:
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return (numbers + np.float16(cost)).view(np.uint16)
