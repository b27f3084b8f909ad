"""How many tokens a text still needs, so that a budget of tokens does not cut it in the middle.

Invariant: `least(s)` is the length of the shortest row of tokens from a state to one in which the text may end, at
whatever cost; end-of-sequence is not counted. So where `least(s)` tokens are left, some token leads to a state that
needs one less, and a text is never stuck on its way home.

Distances are found by breadth-first search forward, when they are asked for: an end is near almost everywhere, and no
state is looked at that no text comes close to.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.tokens.tables import TokenTables

Flags = npt.NDArray[np.bool_]
EDGES_KEPT = 16
"""States whose tokens are remembered: at the end of a budget one text is in few."""


class BudgetError(LangcError):
    """The text cannot be finished within its tokens, or the policy is one of which that is not known."""


class Budget:
    """Distances to an end over the states of some tables."""

    def __init__(self, tables: TokenTables) -> None:
        self.tables = tables
        self._edges = lru_cache(EDGES_KEPT)(tables.edges)
        self._least: dict[int, int] = {}
        self._targets: dict[int, list[int]] = {}
        self._farthest: dict[int, int] = {}

    def least(self, state: int) -> int:
        """The least number of tokens from a living state to an end."""
        if state not in self._least:
            self._search(state)
        return self._least[state]

    def too_far(self, state: int, left: int) -> Flags | None:
        """bool [size]: the allowed tokens behind which more than `left` tokens are needed; None if there are none."""
        if state not in self._farthest:
            self._farthest[state] = max(map(self.least, self._targets_of(state)), default=0)
        if self._farthest[state] <= left:
            return None
        edges = self._edges(state)
        is_far = np.zeros(len(self.tables.live), dtype=np.bool_)
        is_far[[target for target in self._targets_of(state) if self.least(target) > left]] = True
        row = np.zeros(self.tables.size, dtype=np.bool_)
        row[edges.ids[is_far[edges.targets]]] = True
        return row

    def _targets_of(self, state: int) -> list[int]:
        if state not in self._targets:
            is_target = np.zeros(len(self.tables.live), dtype=np.bool_)
            is_target[self._edges(state).targets] = True
            self._targets[state] = np.flatnonzero(is_target).tolist()
        return self._targets[state]

    def _search(self, start: int) -> None:
        """Settle a state, and those on the shortest way from it to an end."""
        came_from: dict[int, int] = {start: start}
        frontier = [start]
        while not (ends := [s for s in frontier if s in self.tables.endable]):
            before, frontier = frontier, []
            for state in before:
                for target in self._targets_of(state):
                    if target not in came_from:
                        came_from[target] = state
                        frontier.append(target)
        state, distance = ends[0], 0
        self._least[state] = distance
        while state != start:
            state, distance = came_from[state], distance + 1
            self._least[state] = distance


def too_small(needed: int, budget: int) -> Diagnostic:
    """LC0405 for a budget that no text keeps to."""
    return Diagnostic(
        "LC0405",
        f"no permitted text is finished within {budget:,} token{'s' * (budget != 1)}: the shortest has {needed:,}",
        help=f"give at least {needed:,} tokens",
    )


def unknown_beside_grammar() -> Diagnostic:
    """LC0405 for a policy that is joined with a grammar."""
    return Diagnostic(
        "LC0405",
        "a budget of tokens cannot be kept beside a grammar: its engine does not tell how far the end of a text is",
        help="leave `max_tokens` or `join` out",
    )


def unknown() -> Diagnostic:
    """LC0405 for a policy whose texts are read beside an automaton."""
    return Diagnostic(
        "LC0405",
        "a budget of tokens cannot be kept under a policy with so many phrases: where all tokens lead is not found out",
        help="leave `max_tokens` out, or deny fewer phrases",
    )
