"""Applying states to logits: in place or into new ones, one row or a batch, on the CPU or on a device.

Invariant: the logits become those plus the state's row: 0 for a token that costs nothing, -X for one with a cost, −∞
for a refused one. But a refused token has −∞ even where NaN or +∞ stood, and −0 stays −0. Columns beyond the machine's
rows are refused. Rows of a batch do not influence one another, and nothing is written if a state of the batch is a dead
end.

On the CPU everything is done by numpy over the logits' own memory, those of torch too: its kernels may wait for a pool
of threads, which takes longer than the work. A large batch is shared among threads of our own, which nobody waits for
but while they work. A device gets each state's row once, and applies it with torch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import UnsupportedTokenizerError
from langc.compiler.tokens.logits.batch import refuse_batch
from langc.compiler.tokens.logits.costs import Bias, Costs, costs_of, summand
from langc.compiler.tokens.logits.half_costs import HalfCosts
from langc.compiler.tokens.logits.layout import (
    BFLOAT16,
    FLOAT32,
    LAYOUTS,
    Array,
    Layout,
    is_mlx,
    is_tensor,
    layout_of,
    view_of,
)
from langc.compiler.tokens.logits.mlx_rows import MlxApplier
from langc.compiler.tokens.logits.near_rows import NearStates
from langc.compiler.tokens.logits.refusal import Flags, Ids, Refusal, refusal
from langc.compiler.tokens.logits.threads import threads
from langc.compiler.tokens.rows import KeptRows

States = int | Sequence[int]
_OVERHEAD = 256
"""Bytes that a step takes that holds no row."""


class Applier:
    """What applies the states of a machine.

    Args:
        rows: the number of tokens, with padding.
        mask: bool [rows] of a state. May raise; so does `apply` then.
        bias: float32 [rows] of a state, if tokens may cost.
        near: what states are made of, if no tokens cost and many masks differ in few tokens. On the CPU such a state
            has the step of the other one, and a few ids.
    """

    def __init__(
        self,
        rows: int,
        mask: Callable[[int], Flags],
        bias: Callable[[int], Bias] | None = None,
        near: NearStates | None = None,
    ) -> None:
        self.rows = rows
        self._mask, self._bias, self._near = mask, bias, near if bias is None else None
        self._steps: KeptRows[tuple[int, str], Refusal] = KeptRows(self._make_step)
        self._device_steps: KeptRows[tuple[int, str, Any], _DeviceStep] = KeptRows(self._make_device_step)
        self._mlx = MlxApplier(mask, bias)

    def apply(self, logits: Any, states: States) -> Any:
        """Apply in place.

        Args:
            logits: [V], or [B, V], V at least `rows`: a numpy array of float16, float32 or float64, or a torch
                tensor on any device, of bfloat16 too. An array of mlx (float16, bfloat16, float32) cannot be changed:
                new logits are returned for it.
            states: one for all rows, or one a row.

        Returns:
            `logits`, but for mlx.

        Raises:
            TypeError: logits of another kind.
            ValueError: not as many states as rows.
            UnsupportedTokenizerError: V is smaller than `rows` (LC0650).
        """
        if type(states) is int and type(logits) is np.ndarray and logits.shape == (self.rows,):  # most often, and fast
            layout = layout_of(logits)
            view = view_of(logits, layout)
            self._steps[states, layout.name](view, view)
            return logits
        if is_mlx(logits):
            return self.applied(logits, states)
        self._apply(logits, logits, states)
        return logits

    def applied(self, logits: Any, states: States) -> Any:
        """As `apply`, but new logits; the old ones stay as they are."""
        if is_mlx(logits):
            _check_shape(logits.shape, self.rows, states)
            return self._mlx.applied(logits, states)
        layout_of(logits)  # a TypeError before anything is made
        is_array = isinstance(logits, np.ndarray)
        new = np.empty(logits.shape, logits.dtype) if is_array else logits.new_empty(logits.shape)
        self._apply(logits, new, states)
        return new

    def _apply(self, source: Any, out: Any, states: States) -> None:
        layout = layout_of(source)
        _check_shape(source.shape, self.rows, states)
        if is_tensor(source) and source.device.type != "cpu":
            self._apply_on_device(source, out, states)
            return
        if isinstance(states, int) and (source.ndim == 1 or len(source) == 1):
            step, view = self._steps[states, layout.name], view_of(source, layout)
            step(*self._narrowed(view, view if out is source else view_of(out, layout), layout))
            return
        states = [states] * len(source) if isinstance(states, int) else states
        steps = {state: self._settled(state, layout) for state in dict.fromkeys(states)}
        before, after = self._narrowed(view_of(source, layout), view_of(out, layout), layout)
        # Sums of bfloat16 are torch's, which has threads of its own.
        workers = 1 if self._bias is not None and layout is BFLOAT16 else threads()
        refuse_batch([steps[state] for state in states], before, after, workers)

    def _settled(self, state: int, layout: Layout) -> Refusal:
        """The step of a state, as other threads can take it: it looks nothing up."""
        step = self._steps[state, layout.name]
        return step.settled() if isinstance(step, _Nearly) else step

    def _narrowed(self, before: Array, after: Array, layout: Layout) -> tuple[Array, Array]:
        """Refuse the columns beyond the rows, and leave them out."""
        if before.shape[-1] == self.rows:
            return before, after
        after[..., self.rows :] = layout.lowest
        return before[..., : self.rows], after[..., : self.rows]

    def _make_step(self, key: tuple[int, str]) -> Refusal:
        state, layout = key[0], LAYOUTS[key[1]]
        near = None if self._near is None else self._near[state]
        if near is not None and near.state != state:
            return _Nearly(self._steps, (near.state, key[1]), near.refused, layout.lowest)
        refuse = refusal(self._mask(state), layout)
        costs = None if self._bias is None else summand(self._bias(state), layout)
        return refuse if costs is None else _Priced(refuse, costs)

    def _apply_on_device(self, source: Any, out: Any, states: States) -> None:
        """Two additions and fills, whatever the number of rows."""
        distinct = [states] if isinstance(states, int) else list(dict.fromkeys(states))
        steps = [self._device_steps[state, str(source.device), source.dtype] for state in distinct]
        which = None if isinstance(states, int) else [distinct.index(state) for state in states]
        if out is not source:
            out.copy_(source)
        row = out[..., : self.rows]
        if any(step.costs is not None for step in steps):
            row.add_(_gathered([step.summand(row) for step in steps], which))
        row.masked_fill_(_gathered([step.refused for step in steps], which), float("-inf"))
        if out.shape[-1] > self.rows:
            out[..., self.rows :] = float("-inf")

    def _make_device_step(self, key: tuple[int, str, Any]) -> _DeviceStep:
        state, device, dtype = key
        torch = sys.modules["torch"]
        costs = None if self._bias is None else costs_of(self._bias(state), FLOAT32)
        refused = torch.from_numpy(~self._mask(state)).to(device)
        return _DeviceStep(refused, None if costs is None else torch.from_numpy(costs.row).to(device, dtype))


def _gathered(rows: list[Any], which: list[int] | None) -> Any:
    """The tensors [rows] for a whole batch: one for all, or one for each row of it."""
    if which is None or len(rows) == 1:
        return rows[0]
    torch = sys.modules["torch"]
    return torch.stack(rows).index_select(0, torch.tensor(which, device=rows[0].device))


@dataclass(frozen=True)
class _Priced:
    """A refusal behind an addition."""

    refuse: Refusal
    costs: Costs | HalfCosts

    @property
    def nbytes(self) -> int:
        return self.refuse.nbytes + self.costs.nbytes

    def __call__(self, source: Array, out: Array) -> None:
        self.costs.add(source, out)
        self.refuse(out, out)


@dataclass(frozen=True)
class _Nearly:
    """The step of another state, looked up each time lest it be kept for ever, and a few ids."""

    steps: KeptRows[tuple[int, str], Refusal]
    other: tuple[int, str]
    refused: Ids
    lowest: Any

    @property
    def nbytes(self) -> int:
        return self.refused.nbytes + _OVERHEAD

    def __call__(self, source: Array, out: Array) -> None:
        self.steps[self.other](source, out)
        if self.refused.size:
            out[..., self.refused] = self.lowest

    def settled(self) -> _Less:
        """The same with the other step at hand."""
        return _Less(self.steps[self.other], self.refused, self.lowest)


@dataclass(frozen=True)
class _Less:
    """A step, and a few ids."""

    step: Refusal
    refused: Ids
    lowest: Any

    @property
    def nbytes(self) -> int:
        return self.step.nbytes + self.refused.nbytes

    def __call__(self, source: Array, out: Array) -> None:
        self.step(source, out)
        if self.refused.size:
            out[..., self.refused] = self.lowest


@dataclass(frozen=True)
class _DeviceStep:
    """The same as tensors [rows] on a device."""

    refused: Any
    costs: Any | None

    @property
    def nbytes(self) -> int:
        return int(self.refused.nbytes) + (0 if self.costs is None else int(self.costs.nbytes))

    def summand(self, like: Any) -> Any:
        """The costs, or what changes nothing."""
        return like.new_full(self.refused.shape, -0.0) if self.costs is None else self.costs


def _check_shape(shape: Sequence[int], rows: int, states: States) -> None:
    if len(shape) not in (1, 2):
        raise ValueError(f"logits have the shape [V] or [B, V], not {list(shape)}")
    if not isinstance(states, int) and (len(shape) != 2 or len(states) != shape[0]):
        raise ValueError(f"{len(states)} states do not fit logits of the shape {list(shape)}")
    if shape[-1] < rows:
        raise UnsupportedTokenizerError(
            Diagnostic(
                "LC0650",
                f"the logits have {shape[-1]:,} columns and the mask {rows:,} rows",
                help="the tokenizer is not this model's",
            )
        )
