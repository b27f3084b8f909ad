"""A token machine under a budget of tokens: a state is one of the machine, and how many tokens led to it.

Invariant: what is said of a state is what a `Matcher` with the same `max_tokens` says behind the same tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.ahead import Ahead
from langc.compiler.tokens.budget import Flags
from langc.compiler.tokens.logits.apply import Applier
from langc.compiler.tokens.machine import LOST, TokenMachine
from langc.compiler.tokens.stopping import Stopping


class Place(NamedTuple):
    """A state that is not lost, and whose text has not ended."""

    state: int
    written: int


State = Place | int
"""A place, or `ENDED` or `LOST`."""


class LimitedMachine:
    """States and rows within a budget.

    Args:
        machine: what decides but for the budget.
        ahead: distances over the tables of the machine.
        max_tokens: how many tokens there may be, end-of-sequence not counted; see `Ahead.check`.
    """

    def __init__(self, machine: TokenMachine, ahead: Ahead, max_tokens: int) -> None:
        self.machine, self._ahead, self._max_tokens = machine, ahead, max_tokens

    @property
    def start(self) -> Place:
        """The state of the empty history."""
        return Place(self.machine.start, 0)

    @property
    def lookback(self) -> int:
        """As that of the machine."""
        return self.machine.lookback

    def follow(self, state: State, token: int) -> State:
        """As that of the machine; behind a token that leaves too few the way is lost."""
        if not isinstance(state, Place):
            return state
        target, written = self.machine.follow(state.state, token), state.written + 1
        if target < 0:
            return target
        in_time = self._ahead.in_time(state.state, token, target, self._max_tokens - written)
        return Place(target, written) if in_time else LOST

    def read(self, ids: Sequence[int]) -> State:
        """The state after a whole history."""
        state: State = self.start
        for token in ids:
            state = self.follow(state, token)
        return state

    def mask(self, state: State) -> Flags:
        """bool [rows], read-only: the tokens that may come next. Raises DeadEndError, see `TokenMachine`."""
        row, refused = self.machine.masks[_plain(state)], self._too_far(state)
        return row if refused is None else closed(self.machine, _plain(state), refused)

    def bias(self, state: State) -> npt.NDArray[np.float32]:
        """float32 [rows]: what to add to the logits. Raises as `mask`."""
        row = self.machine.costs[_plain(state)]
        return row if self._too_far(state) is None else np.where(self.mask(state), row, np.float32(-np.inf))

    def ending(self, state: State) -> Stopping:
        """The tokens of `stop before` whose largest logit end-of-sequence gets."""
        return self.machine.ending(_plain(state))

    def applied(self, logits: Any, states: Sequence[State]) -> Any:
        """New logits [B, V], see `Applier`; as fast as without a budget while no row comes near its end."""
        if all(self._too_far(state) is None for state in states):
            return self.machine.applier.applied(logits, list(map(_plain, states)))
        rows = Applier(self.machine.rows, lambda n: self.mask(states[n]), lambda n: self.bias(states[n]))
        return rows.applied(logits, range(len(states)))

    def _too_far(self, state: State) -> Flags | None:
        if not isinstance(state, Place):
            return None
        return self._ahead.too_far(state.state, self._max_tokens - state.written - 1)


def closed(machine: TokenMachine, state: int, refused: Flags) -> Flags:
    """The mask of a state without the tokens that leave too few, read-only. Raises DeadEndError, see `TokenMachine`."""
    row = machine.masks[state].copy()
    row[: len(refused)] &= ~refused
    if not row.any():
        machine.check_dead_end(state)
    row.setflags(write=False)
    return row


def _plain(state: State) -> int:
    return state.state if isinstance(state, Place) else state
