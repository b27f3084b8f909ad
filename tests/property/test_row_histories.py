"""Rows of ids that grow, are reordered, go back and jump: each has the state of its own history and no other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.tokens.histories import Histories
from langc.compiler.tokens.machine import ENDED, LOST
from langc.compiler.tokens.stopping import NOTHING, Stopping

pytestmark = pytest.mark.slow

END, REFUSED = 3, 4
State = tuple[int, ...] | int
Rows = list[list[int]]


class Texts:
    """A machine whose state is the history itself, so that no two histories can be taken for one another."""

    start: State = ()

    def __init__(self, lookback: int) -> None:
        self.lookback = lookback

    def follow(self, state: State, token: int) -> State:
        """One more token."""
        if isinstance(state, int):
            return state
        return {END: ENDED, REFUSED: LOST}.get(token, (*state, token))

    def read(self, ids: Sequence[int]) -> State:
        """All of them."""
        state = self.start
        for token in ids:
            state = self.follow(state, token)
        return state

    def bias(self, state: State) -> npt.NDArray[np.float32]:
        """Not asked for."""
        raise NotImplementedError

    def ending(self, state: State) -> Stopping:
        """Nothing."""
        return NOTHING


class Referee:
    """The definition: nothing is remembered but the prompts."""

    def __init__(self, prompt_length: int | None) -> None:
        self.explicit, self.length, self.prompts = prompt_length, prompt_length or 0, Rows()

    def states(self, rows: Rows) -> list[State]:
        """Of each row."""
        if self.explicit is None:
            if not self.prompts or any(r[: self.length] not in self.prompts for r in rows):
                self._restart(rows)
            states = self._read(rows)
            if len(rows[0]) > self.length and (LOST in states or all(s == ENDED for s in states)):
                self._restart(rows)
        return self._read(rows)

    def _restart(self, rows: Rows) -> None:
        self.length, self.prompts = len(rows[0]), [list(row) for row in rows]

    def _read(self, rows: Rows) -> list[State]:
        return [Texts(1).read(row[self.length :]) for row in rows]


tokens = st.one_of(st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2, END, REFUSED]))


def changed(data: st.DataObject, rows: Rows) -> Rows:
    """What an engine hands over next."""
    how = data.draw(st.sampled_from(["grow", "grow", "grow", "again", "reorder", "back", "jump", "anew", "edit"]))
    width = len(rows[0])
    if how == "again":
        return rows
    if how == "back":
        left = data.draw(st.integers(max(width - 6, 0), width))
        rows = [row[:left] for row in rows]
        return rows if data.draw(st.booleans()) else grown(data, rows, 1)
    if how == "reorder":
        chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=4))
        return grown(data, [rows[number] for number in chosen], data.draw(st.integers(0, 2)))
    if how == "anew":
        return data.draw(rectangles)
    if how == "edit" and width:
        number, at = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, width - 1))
        rows = [list(row) for row in rows]
        rows[number][at] = data.draw(tokens)
        return rows
    return grown(data, rows, data.draw(st.integers(1, 9)) if how == "jump" else 1)


def grown(data: st.DataObject, rows: Rows, size: int) -> Rows:
    """So many more ids on each row."""
    return [row + data.draw(st.lists(tokens, min_size=size, max_size=size)) for row in rows]


rectangles = st.tuples(st.integers(1, 4), st.integers(0, 5)).flatmap(
    lambda shape: st.lists(st.lists(tokens, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0])
)


@settings(deadline=None, max_examples=400)
@given(st.data(), st.integers(1, 5), st.none() | st.integers(0, 4))
def test_every_row_has_the_state_of_its_own_history(
    data: st.DataObject, lookback: int, prompt_length: int | None
) -> None:
    """Against reading each row from the start at every call; the caller's array is overwritten in between."""
    histories, referee = Histories(Texts(lookback), prompt_length), Referee(prompt_length)
    rows = data.draw(rectangles)
    for _ in range(data.draw(st.integers(1, 14))):
        ids = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
        assert histories.states(ids) == referee.states(rows)
        assert histories.prompt_length == referee.length
        ids[:] = END
        rows = changed(data, rows)
