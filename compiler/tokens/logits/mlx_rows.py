"""States applied to arrays of mlx, which cannot be changed: what comes back is new.

Invariant: as for `Applier`. The bits of refused logits are replaced, on whatever device the array is, so that NaN does
not matter; mlx's own choice between two arrays takes ten times as long on a CPU. mlx is never imported here but for an
array that somebody has made with it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.logits.costs import Bias
from langc.compiler.tokens.rows import KeptRows

Flags = npt.NDArray[np.bool_]
LOWEST = {"float16": ("uint16", 0xFC00), "bfloat16": ("uint16", 0xFF80), "float32": ("uint32", 0xFF800000)}
"""Of each format the integers as wide, and −∞ among them."""


class MlxApplier:
    """What applies the states of a machine; arguments as for `Applier`."""

    def __init__(self, mask: Callable[[int], Flags], bias: Callable[[int], Bias] | None) -> None:
        self._mask, self._bias = mask, bias
        self._rows: KeptRows[tuple[int, str, int], _Row] = KeptRows(self._make)

    def applied(self, logits: Any, states: int | Sequence[int]) -> Any:
        """New logits [V] or [B, V], under one state for all rows, or one a row. Raises TypeError for other formats."""
        name = str(logits.dtype).removeprefix("mlx.core.")
        if name not in LOWEST:
            raise TypeError(f"logits of mlx are float16, bfloat16 or float32, not {name}")
        distinct = [states] if isinstance(states, int) else list(dict.fromkeys(states))
        rows = [self._rows[state, name, logits.shape[-1]] for state in distinct]
        if not rows:
            return logits
        which = None if isinstance(states, int) or len(rows) == 1 else [distinct.index(state) for state in states]
        if any(row.costs is not None for row in rows):
            logits = logits + _gathered([row.summand() for row in rows], which)
        kept, barred = (_gathered([getattr(row, part) for row in rows], which) for part in ("kept", "barred"))
        return ((logits.view(kept.dtype) & kept) | barred).view(logits.dtype)

    def _make(self, key: tuple[int, str, int]) -> _Row:
        mx, (state, name, width) = sys.modules["mlx.core"], key
        integers, lowest = LOWEST[name]
        dtype = np.dtype(integers).type
        allowed = np.zeros(width, dtype=np.bool_)
        mask = self._mask(state)
        allowed[: len(mask)] = mask
        kept, barred = np.where(allowed, ~dtype(0), dtype(0)), np.where(allowed, dtype(0), dtype(lowest))
        return _Row(mx.array(kept), mx.array(barred), self._costs(state, name, width), getattr(mx, name))

    def _costs(self, state: int, name: str, width: int) -> Any:
        if self._bias is None:
            return None
        bias = self._bias(state)
        costs = np.full(width, -0.0, dtype=np.float32)
        is_cost = np.isfinite(bias) & (bias != 0)
        costs[: len(bias)][is_cost] = bias[is_cost]
        mx = sys.modules["mlx.core"]
        return mx.array(costs).astype(getattr(mx, name)) if is_cost.any() else None


@dataclass(frozen=True)
class _Row:
    """Arrays [V] of one state."""

    kept: Any
    """All ones, and 0 for refused tokens."""
    barred: Any
    """0, and −∞ for refused tokens."""
    costs: Any
    """−0 for what costs nothing; None if nothing costs."""
    dtype: Any

    @property
    def nbytes(self) -> int:
        return sum(int(array.nbytes) for array in (self.kept, self.barred, self.costs) if array is not None)

    def summand(self) -> Any:
        """The costs, or what changes nothing."""
        mx = sys.modules["mlx.core"]
        return mx.full(self.kept.shape, -0.0, dtype=self.dtype) if self.costs is None else self.costs


def _gathered(rows: list[Any], which: list[int] | None) -> Any:
    """The arrays [V] for a whole batch: one for all, or one for each row of it."""
    if which is None:
        return rows[0]
    mx = sys.modules["mlx.core"]
    return mx.stack(rows)[mx.array(which)]
