"""Which state each row of a batch is in, from the tokens alone.

Engines reorder rows (beams), go back (assisted decoding) and start again without a word, so a state is
never tied to a row or to a count of calls: a row goes on from what it shares with some row of the last call,
and is read from the start if the state there is not remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.machine import ENDED, LOST
from langc.compiler.tokens.seen_rows import UNSEEN, Ids, Match, SeenRows
from langc.compiler.tokens.stopping import Stopping

State = TypeVar("State")


class Machine(Protocol[State]):
    """What reads tokens: a `TokenMachine`, or a `JoinedMachine`."""

    @property
    def start(self) -> State:
        """The state of the empty history."""

    @property
    def lookback(self) -> int:
        """How many states of a row are worth remembering, 1 or more: so many tokens are read one by one at most."""

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
        self._forget()

    def _forget(self) -> None:
        self._seen = SeenRows()
        self._states: list[list[State]] = []
        """Of each seen row the last few states, up to the one behind all of it."""

    @property
    def prompt_length(self) -> int:
        """How many ids at the start of each row are prompt, as far as is known."""
        return self._prompt_length

    def states(self, ids: Ids) -> list[State]:
        """The state of each row of `ids`, int64 [B, T]."""
        compared = ids[:, self._explicit :]  # what stands before an explicit number does not matter
        found = self._seen.find(compared)
        if self._explicit is None and not self._continues(ids, found):
            found = self._restart(ids)
        states = self._follow(compared, found)
        if self._explicit is None and ids.shape[1] > self._prompt_length and _is_over([row[-1] for row in states]):
            found = self._restart(ids)
            states = self._follow(compared, found)
        self._seen.keep(compared, found)
        self._states = states
        return [row[-1] for row in states]

    def _continues(self, rows: Ids, found: list[Match]) -> bool:
        length = self._prompt_length
        return (
            bool(self._prompts)
            and rows.shape[1] >= length
            and all(
                match.length >= length or row[:length].tobytes() in self._prompts
                for row, match in zip(rows, found, strict=True)
            )
        )

    def _restart(self, rows: Ids) -> list[Match]:
        self._prompt_length = rows.shape[1]
        self._prompts = {row.tobytes() for row in rows}
        self._forget()
        return [UNSEEN] * len(rows)

    def _follow(self, compared: Ids, found: list[Match]) -> list[list[State]]:
        """The last few states of each row. What rows have in common is done once."""
        prompt, most = self._prompt_length if self._explicit is None else 0, self.machine.lookback
        done: dict[tuple[State | None, bytes], list[State]] = {}
        states = []
        for row, match in zip(compared, found, strict=True):
            known = self._remembered(match, prompt)
            begin = match.length if known else prompt
            known = known or [self.machine.start]
            if len(row) - begin > most:
                known, begin = [], prompt
            key = (known[-1] if known else None, row[begin:].tobytes())
            if key not in done:
                done[key] = self._read(known, row[begin:].tolist())
            states.append([*known, *done[key]][-most:])
        return states

    def _remembered(self, match: Match, prompt: int) -> list[State]:
        """The states of a seen row up to where it parts from a new one; none if it was too long ago."""
        if match.length < prompt or not self._states:
            return []
        states = self._states[match.row]
        return states[: max(len(states) - (self._seen.width - match.length), 0)]

    def _read(self, known: list[State], tokens: Sequence[int]) -> list[State]:
        """The state behind each token, or only the last if nothing is known."""
        if not known:
            return [self.machine.read(tokens)]
        state, states = known[-1], []
        for token in tokens:
            state = self.machine.follow(state, token)
            states.append(state)
        return states


def _is_over(states: Sequence[object]) -> bool:
    """Whether these rows cannot be a generation under the mask that still goes on."""
    return LOST in states or all(s == ENDED for s in states)
