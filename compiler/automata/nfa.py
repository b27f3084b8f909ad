"""Nondeterministic automata, built piece by piece (Thompson 1968, CACM 11(6)).

Invariant: every edge names a class of `partition`; an epsilon edge names none. A fragment has one
start and one end state, and nothing leaves its end until it is joined to another.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_NFA_STATES, over_limit


@dataclass(frozen=True)
class Nfa:
    """`edges[state]` are (class, target) pairs, `epsilon[state]` the targets reached for nothing."""

    partition: Partition
    edges: tuple[tuple[tuple[int, int], ...], ...]
    epsilon: tuple[tuple[int, ...], ...]
    start: int
    accepting: frozenset[int]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece under construction."""

    start: int
    end: int


@dataclass
class NfaBuilder:
    """Grows an `Nfa`. Raises LimitError past `MAX_NFA_STATES`."""

    partition: Partition
    _edges: list[list[tuple[int, int]]] = field(default_factory=list)
    _epsilon: list[list[int]] = field(default_factory=list)

    def state(self) -> int:
        """A new state."""
        if len(self._edges) >= MAX_NFA_STATES:
            raise LimitError(over_limit("states of the nondeterministic automaton", MAX_NFA_STATES))
        self._edges.append([])
        self._epsilon.append([])
        return len(self._edges) - 1

    def fragment(self) -> Fragment:
        """Two new states, not yet connected."""
        return Fragment(self.state(), self.state())

    def edge(self, source: int, classes: tuple[int, ...], target: int) -> None:
        """Edges on each of the classes."""
        self._edges[source].extend((c, target) for c in classes)

    def join(self, source: int, target: int) -> None:
        """An epsilon edge."""
        self._epsilon[source].append(target)

    def embed(self, dfa: Dfa) -> Fragment:
        """A copy of a DFA over the same partition."""
        whole = self.fragment()
        states = {s: self.state() for s in sorted(dfa.live)}
        for s, copy in states.items():
            for number, target in enumerate(dfa.table[s]):
                if target != DEAD and target in states:
                    self.edge(copy, (number,), states[target])
            if s in dfa.accepting:
                self.join(copy, whole.end)
        if dfa.start in states:
            self.join(whole.start, states[dfa.start])
        return whole

    def finish(self, whole: Fragment) -> Nfa:
        """The automaton of one fragment."""
        return Nfa(
            self.partition,
            tuple(tuple(sorted(set(e))) for e in self._edges),
            tuple(tuple(sorted(set(e))) for e in self._epsilon),
            whole.start,
            frozenset({whole.end}),
        )
