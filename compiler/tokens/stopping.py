"""Token tables that know which tokens are refused only because they would complete a phrase of `stop before`.

Beside the tables of the policy, those of the policy without these lines are followed: a state is a pair that some text
has led to, and its number spells the pair out, so that nothing has to be kept however long texts become. A token would
complete a phrase iff the policy refuses it and would allow it without the lines: it is the one that makes the phrase
certain, its right boundary included.

Invariant: allowed tokens, costs and ends are those of the policy's own tables. What the policy allows it allows without
the lines as well, so both tables go on behind every allowed token.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.phrases.tables import PhraseTables
from langc.compiler.tokens.tables import Edges, TokenTables

Static = TokenTables | PhraseTables
Floats = npt.NDArray[np.floating]
NOWHERE = -1
"""Beside a state that no text of the tables without the lines leads to: only a file that lies has one."""
_WIDTH = 32
"""Bits that tell how wide the number of a state without the lines is."""
Pair = tuple[int, int]
"""A state of the policy's tables, and of those without the lines."""


@dataclass(frozen=True)
class Stopping:
    """The tokens of one state that would complete a phrase. Arrays [n], by id."""

    ids: npt.NDArray[np.int32]
    bias: npt.NDArray[np.float32]
    """What would be added to their logits if the policy had no `stop before`."""

    def raise_end(self, logits: Floats, ends: Sequence[int]) -> None:
        """Give end-of-sequence the largest of the tokens' logits, in place, unless its own is larger.

        Of several ids in `ends` the likeliest gets it. Call it before the bias is added: what ending costs, it costs.
        """
        if self.ids.size and ends:
            end = max(ends, key=lambda token: float(logits[token]))
            logits[end] = max(logits[end], (logits[self.ids] + self.bias.astype(logits.dtype)).max())


NOTHING = Stopping(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))


@runtime_checkable
class WithStopping(Protocol):
    """Tables that know which tokens are refused only because of a `stop before`."""

    def stopping(self, state: int) -> Stopping:
        """The tokens that would complete a phrase."""


class StoppingTables:
    """What a `TokenMachine` runs on."""

    def __init__(self, tables: Static, free: Static) -> None:
        self.tables, self.free = tables, free
        self.size, self.eos_ids, self.costs = tables.size, tables.eos_ids, tables.costs
        self.start = _number((tables.start, free.start))
        self.accepting: Container[int] = _States(tables.accepting)
        self.endable: Container[int] = _States(tables.endable)
        self.end_levels = _Levels(tables.end_levels)

    def own(self, state: int) -> int:
        """The state of the policy's own tables."""
        return _pair(state)[0]

    def edges(self, state: int) -> Edges:
        """The allowed tokens. Where they lead is not found out for all of them: `targets` is −1."""
        found = self.tables.edges(self.own(state))
        return Edges(found.ids, np.full(len(found.ids), -1, dtype=np.int32), found.levels)

    def mask(self, state: int) -> npt.NDArray[np.bool_]:
        """bool [size]: the allowed tokens."""
        return self.tables.mask(self.own(state))

    def target(self, state: int, token: int) -> int | None:
        """Where an allowed token leads, None for a refused one."""
        bound, free = _pair(state)
        target = self.tables.target(bound, token)
        if target is None:
            return None
        beside = None if free == NOWHERE else self.free.target(free, token)
        return _number((target, NOWHERE if beside is None else beside))

    def stopping(self, state: int) -> Stopping:
        """The tokens that would complete a phrase. Not cached."""
        bound, free = _pair(state)
        if free == NOWHERE:
            return NOTHING
        found = self.free.edges(free)
        refused = ~self.tables.mask(bound)[found.ids]
        prices = (0.0 - self.free.costs).astype(np.float32)
        return Stopping(found.ids[refused], prices[found.levels[refused]])


def _number(pair: Pair) -> int:
    """The number of a pair: both beside each other, and how wide the second one is. Numbers of states may be large."""
    bound, free = pair[0], pair[1] - NOWHERE
    width = free.bit_length()
    return (bound << width | free) << _WIDTH | width


def _pair(state: int) -> Pair:
    width, both = state & (1 << _WIDTH) - 1, state >> _WIDTH
    return both >> width, (both & (1 << width) - 1) + NOWHERE


@dataclass(frozen=True)
class _States(Container[int]):
    """Those of the policy's tables."""

    states: Container[int]

    def __contains__(self, state: object) -> bool:
        return isinstance(state, int) and _pair(state)[0] in self.states


@dataclass(frozen=True)
class _Levels:
    """Those of ending in a state of the policy's tables."""

    levels: npt.NDArray[np.int32]

    def __getitem__(self, state: int) -> int:
        return int(self.levels[_pair(state)[0]])
