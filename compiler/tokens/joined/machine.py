"""Joined matchers for many rows at once: a state is a matcher that never moves.

Invariant: `follow` copies; a state, once handed out, keeps its history. So states may be kept by history and shared by
rows, as the numbers of a `TokenMachine` are, and beams may be reordered at will.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.joined.dead_end import lost
from langc.compiler.tokens.joined.matcher import JoinedMatcher, end_alone
from langc.compiler.tokens.machine import ENDED, LOST, DeadEndError
from langc.compiler.tokens.stopping import NOTHING, Stopping

State = JoinedMatcher | int
"""A matcher in the middle of a text, or `ENDED` or `LOST`."""


class JoinedMachine:
    """States and rows of joined matchers.

    Args:
        fresh: makes a matcher without history; the first one is made at once.
    """

    def __init__(self, fresh: Callable[[], JoinedMatcher]) -> None:
        self._fresh = fresh
        self._start = fresh()

    @property
    def start(self) -> JoinedMatcher:
        """The state of the empty history."""
        return self._start

    @property
    def lookback(self) -> int:
        """See `histories.Machine`: a state may hold much, and reading on token by token copies one for each."""
        return 1

    def follow(self, state: State, token: int) -> State:
        """The state after one more token: a refused token loses the way, the end stays the end."""
        if not isinstance(state, JoinedMatcher):
            return state
        following = self._copy(state)
        return _settled(following) if following.advance(token) else LOST

    def read(self, ids: Sequence[int]) -> State:
        """The state after a whole history."""
        matcher = self._copy(self._start)
        return _settled(matcher) if matcher.sync(ids) else LOST

    def bias(self, state: State) -> npt.NDArray[np.float32]:
        """float32 [rows]: what to add to the logits. Raises DeadEndError, see `JoinedMatcher`."""
        if isinstance(state, JoinedMatcher):
            return state.bias()
        if state == LOST and self._start.on_dead_end == "error":
            raise DeadEndError(lost())
        allowed = end_alone(self._start.rows, self._start.vocabulary)
        return np.where(allowed, np.float32(0), np.float32(-np.inf))

    def ending(self, state: State) -> Stopping:
        """The tokens of `stop before` whose largest logit end-of-sequence gets."""
        return state.ending() if isinstance(state, JoinedMatcher) else NOTHING

    def _copy(self, state: JoinedMatcher) -> JoinedMatcher:
        if state.can_fork:
            return state.fork()
        new = self._fresh()
        new.sync(state.ids)
        return new


def _settled(matcher: JoinedMatcher) -> State:
    return ENDED if matcher.ended else matcher
