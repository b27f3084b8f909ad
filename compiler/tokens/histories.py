"""Which state each row of a batch is in, from the tokens alone.

Engines reorder rows (beams), go back (assisted decoding) and start again without a word, so a state is
never tied to a row or to a count of calls: it is looked up by the row's history, and recomputed from the
start if that history's last step was not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.machine import ENDED, LOST
from langc.compiler.tokens.stopping import Stopping

Ids = npt.NDArray[np.int64]
State = TypeVar("State")


class Machine(Protocol[State]):
    """What reads tokens: a `TokenMachine`, or a `JoinedMachine`."""

    @property
    def start(self) -> State:
        """The state of the empty history."""

    def follow(self, state: State, token: int) -> State:
        """The state after one more token; `LOST` if it is refused, `ENDED` after end-of-sequence."""

    def read(self, ids: Sequence[int]) -> State:
        """The state after a whole history."""

    def bias(self, state: State) -> npt.NDArray[np.float32]:
        """float32 [rows]: what to add to the logits."""

    def ending(self, state: State) -> Stopping:
        """The tokens of `stop before` whose largest logit end-of-sequence gets."""


class Histories(Generic[State]):
    """States by history, for rows that hold a prompt of `prompt_length` tokens first.

    Args:
        machine: the token automaton.
        prompt_length: how many ids at the start of each row, padding included, are prompt. None takes the
            width of the first call, and starts anew when a row does not continue what was seen: other prompt
            ids, a token that the policy refuses, or a whole batch that had ended. A chat whose next prompt
            continues the last answer needs the explicit number, or a processor a turn.
    """

    def __init__(self, machine: Machine[State], prompt_length: int | None = None) -> None:
        self.machine = machine
        self._explicit = prompt_length
        self._prompt_length = prompt_length or 0
        self._prompts: set[bytes] = set()
        self._known: dict[bytes, State] = {}

    @property
    def prompt_length(self) -> int:
        """How many ids at the start of each row are prompt, as far as is known."""
        return self._prompt_length

    def states(self, ids: Ids) -> list[State]:
        """The state of each row of `ids`, int64 [B, T]."""
        rows = np.ascontiguousarray(ids)
        if self._explicit is None and not self._continues(rows):
            self._restart(rows)
        states = self._follow(rows)
        if self._explicit is None and rows.shape[1] > self._prompt_length and _is_over(states):
            self._restart(rows)
            states = self._follow(rows)
        return states

    def _continues(self, rows: Ids) -> bool:
        length = self._prompt_length
        return (
            bool(self._prompts)
            and rows.shape[1] >= length
            and all(row[:length].tobytes() in self._prompts for row in rows)
        )

    def _restart(self, rows: Ids) -> None:
        self._prompt_length = rows.shape[1]
        self._prompts = {row.tobytes() for row in rows}
        self._known = {}

    def _follow(self, rows: Ids) -> list[State]:
        known = {b"": self.machine.start}
        states = []
        for row in rows:
            history = row[self._prompt_length :]
            key = history.tobytes()
            known[key] = self._state(history, key)
            states.append(known[key])
        self._known = known
        return states

    def _state(self, history: Ids, key: bytes) -> State:
        if key in self._known:
            return self._known[key]
        before = self._known.get(history[:-1].tobytes())
        if before is not None:
            return self.machine.follow(before, int(history[-1]))
        return self.machine.read(history.tolist())


def _is_over(states: Sequence[object]) -> bool:
    """Whether these rows cannot be a generation under the mask that still goes on."""
    return LOST in states or all(s == ENDED for s in states)
