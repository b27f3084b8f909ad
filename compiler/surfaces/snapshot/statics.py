"""What is known of a rule without reading: which parameters its guards ask for, and how its texts end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from langc.compiler.surfaces.engine.network import Edge, Enter, Leave, Network, Read, Test
from langc.compiler.surfaces.signatures import GUARDS
from langc.compiler.surfaces.snapshot.pieces import DONE, OPEN, WORD, Pieces


def parameters_asked_for(network: Network) -> Mapping[str, frozenset[str]]:
    """For each rule the parameters that a guard in it, or in a rule that it enters, asks for."""
    asked = {rule: set[str]() for rule in network.starts}
    for rule, edge in _edges(network):
        if isinstance(edge, Test) and (edge.guard.arguments or edge.guard.name not in GUARDS):
            asked[rule].add(edge.guard.name)
    changed = True
    while changed:
        changed = False
        for rule, edge in _edges(network):
            if isinstance(edge, Enter):
                more = asked[edge.rule] - {name for name, _ in edge.parameters} - asked[rule]
                asked[rule] |= more
                changed = changed or bool(more)
    return {rule: frozenset(names) for rule, names in asked.items()}


def _edges(network: Network) -> Iterable[tuple[str, Edge]]:
    for state, edges in enumerate(network.edges):
        for edge in edges:
            yield network.rule_of[state], edge


@dataclass(eq=False)
class Certain:
    """What certainly stands at the end of every text of a rule."""

    network: Network
    made: Pieces

    def behind(self, rule: str, before: int) -> int:
        """`WORD` if a lexeme that ends wordy stands there whatever the text is, given what stands before it."""
        ends = self._ends[self.network.starts[rule]]
        found = (ends - {None}) | ({before} if None in ends else frozenset())
        return WORD if found == {WORD} else OPEN

    @cached_property
    def _ends(self) -> list[frozenset[int | None]]:
        """For each state how texts from there to the end of its rule can end; None: with what stood before."""
        ends: list[frozenset[int | None]] = [frozenset()] * len(self.network.edges)
        changed = True
        while changed:
            changed = False
            for state in reversed(range(len(ends))):
                found = frozenset().union(*(self._through(edge, ends) for edge in self.network.edges[state]))
                changed = changed or found != ends[state]
                ends[state] = found
        return ends

    def _through(self, edge: Edge, ends: list[frozenset[int | None]]) -> frozenset[int | None]:
        if isinstance(edge, Leave):
            return frozenset({None})
        if isinstance(edge, Read):
            last = frozenset(piece.ends for piece in self.made.of(edge.terminal) if piece.ends != DONE)
            return _behind(frozenset(last), ends[edge.target])
        if isinstance(edge, Enter):
            return _behind(ends[edge.start], ends[edge.target])
        return ends[edge.target]


def _behind(first: frozenset[int | None], rest: frozenset[int | None]) -> frozenset[int | None]:
    """How two rows, one behind the other, can end."""
    if not first or not rest:
        return frozenset()
    return (rest - {None}) | (first if None in rest else frozenset())
