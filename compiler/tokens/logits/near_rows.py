"""Rows that are those of another state less few tokens, so that nothing as wide as the vocabulary is kept for them.

Invariant: a state's mask is the mask of its `Near.state` without `Near.refused`, exactly: the two were compared when
the pair was made. A state with a mask of its own is near itself, with nothing refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.rows import ROW_CACHE_BYTES, KeptRows, RowCache, Scalar

Flags = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.intp]
FEW = 2_048
"""Tokens that are taken out of another state's row; with more of them a state has a row of its own."""
_OVERHEAD = 256
"""Bytes that a pair takes beside its ids."""


@dataclass(frozen=True)
class Near:
    """What a mask is made of."""

    state: int
    refused: Ids
    """The other state's tokens that are refused here."""

    @property
    def nbytes(self) -> int:
        """The memory that it holds."""
        return self.refused.nbytes + _OVERHEAD


NearStates = KeptRows[int, Near]


class NearRows(RowCache[Scalar]):
    """Rows that depend on the mask alone; states of one mask share theirs."""

    def __init__(
        self, near: NearStates, make: Callable[[int], npt.NDArray[Scalar]], budget: int = ROW_CACHE_BYTES
    ) -> None:
        super().__init__(make, budget)
        self._near = near

    def __getitem__(self, state: int) -> npt.NDArray[Scalar]:
        near = self._near[state]
        return super().__getitem__(state if near.refused.size else near.state)


def itself(state: int) -> Near:
    """What a state with a mask of its own is near to."""
    return Near(state, np.zeros(0, dtype=np.intp))


def compared(state: int, row: Flags, other: int, others: Flags) -> Near:
    """What `state` is near to, given its mask and that of a state that may be close; bool [rows] each."""
    differs = np.flatnonzero(row != others)
    is_near = len(differs) <= FEW and bool(others[differs].all())
    return Near(other, differs) if is_near else itself(state)
