"""With which bytes a lexeme may begin at a place in a rule, whatever the world says.

Invariant: of each place that is an upper bound (Aho and Ullman's FIRST, with all guards taken to hold), so that what
cannot come next need not be looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langc.compiler.surfaces.engine.lexicon import Lexicon
from langc.compiler.surfaces.engine.network import Edge, Enter, Leave, Network, Read
from langc.compiler.surfaces.engine.threads import Frame

if TYPE_CHECKING:
    from langc.compiler.surfaces.engine.reach import Spot


class Beginnings:
    """Of the places of one network. Sets of bytes are bit sets."""

    def __init__(self, network: Network, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._edges = network.edges
        self._inside = [0] * len(network.edges)
        self._empty = [False] * len(network.edges)
        """Whether the end of the rule is reached without a lexeme."""
        states = range(len(network.edges))
        while sum(map(self._grows, reversed(states))):
            pass

    def of(self, state: int, back: Frame | None) -> int:
        """What may begin at a state of a rule that returns to a frame."""
        behind = back.first if back is not None and self._empty[state] else 0
        return self._inside[state] | behind

    def behind(self, state: int, back: Spot | None) -> tuple[int, bool]:
        """What may begin at a state of a reach, and whether also what the rule of its thread returns to."""
        found = self._inside[state]
        while self._empty[state]:
            if back is None:
                return found, True
            state, back = back.state, back.back
            found |= self._inside[state]
        return found, False

    def _grows(self, state: int) -> bool:
        before = self._inside[state], self._empty[state]
        for edge in self._edges[state]:
            first, empty = self._through(edge)
            self._inside[state] |= first
            self._empty[state] |= empty
        return before != (self._inside[state], self._empty[state])

    def _through(self, edge: Edge) -> tuple[int, bool]:
        match edge:
            case Leave():
                return 0, True
            case Read(terminal, _):
                return self._lexicon.first(terminal), False
            case Enter(_, start, _, target) if not self._empty[start]:
                return self._inside[start], False
            case Enter(_, start, _, target):
                return self._inside[start] | self._inside[target], self._empty[target]
        return self._inside[edge.target], self._empty[edge.target]
