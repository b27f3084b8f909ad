"""Nondeterministic automata without epsilon edges: what grammars and expressions are written from.

Invariant: the start is state 0, every state can be reached, and from every state the end can be reached. An edge
has a set of characters, never an empty one; a state has at most one edge to each target, ordered by target.

A deterministic automaton is one of them. A cover has a smaller one, see `cover_graph.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from langc.compiler.automata.dfa import Dfa
from langc.compiler.unicode.intervals import IntervalSet, union

Edge = tuple[IntervalSet, int]


@dataclass(frozen=True)
class Graph:
    """`edges[state]` are (label, target) pairs."""

    edges: tuple[tuple[Edge, ...], ...]
    accepting: frozenset[int]
    classes: tuple[IntervalSet, ...] = ()
    """Disjoint sets that every label is a union of, where they are known: what long labels can be written with."""


def dfa_graph(dfa: Dfa) -> Graph:
    """The living states of an automaton whose language is not empty, in its order from the start."""
    order = [dfa.start, *sorted(dfa.live - {dfa.start})]
    numbers = {state: number for number, state in enumerate(order)}
    edges = ([(label, numbers[t]) for label, t in dfa.edges(state) if t in numbers] for state in order)
    return Graph(tuple(map(_ordered, edges)), frozenset(numbers[s] for s in dfa.accepting), dfa.partition.members)


def trimmed(rows: Sequence[Sequence[Edge]], accepting: frozenset[int]) -> Graph:
    """The graph of reachable states without those that lead nowhere; states with the same edges become one.

    States are looked at from the last to the first, so paths that end alike are shared from their ends on, in one pass.
    """
    live = _co_reachable(rows, accepting)
    merged: dict[int, int] = {}
    known: dict[tuple[tuple[Edge, ...], bool], int] = {}
    edges: dict[int, tuple[Edge, ...]] = {}
    for state in reversed(range(len(rows))):
        if state in live:
            row = _ordered((label, merged.get(t, t)) for label, t in rows[state] if t in live)
            merged[state] = known.setdefault((row, state in accepting), state)
            edges[state] = row
    return _numbered(edges, merged, accepting)


def _co_reachable(rows: Sequence[Sequence[Edge]], accepting: frozenset[int]) -> set[int]:
    sources: dict[int, list[int]] = {}
    for state, edges in enumerate(rows):
        for _, target in edges:
            sources.setdefault(target, []).append(state)
    stack = list(accepting)
    live = set(stack)
    while stack:
        fresh = [s for s in sources.get(stack.pop(), ()) if s not in live]
        live.update(fresh)
        stack.extend(fresh)
    return live


def _numbered(edges: Mapping[int, tuple[Edge, ...]], merged: Mapping[int, int], accepting: frozenset[int]) -> Graph:
    """The states that are left, from 0, in breadth-first order."""
    numbers = {merged[0]: 0}
    rows = []
    for state in (queue := [merged[0]]):
        row = [(label, merged[t]) for label, t in edges[state]]
        for _, target in row:
            if target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
        rows.append(_ordered((label, numbers[t]) for label, t in row))
    return Graph(tuple(rows), frozenset(numbers[s] for s in map(merged.__getitem__, accepting) if s in numbers))


def _ordered(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    by_target: dict[int, list[IntervalSet]] = {}
    for label, target in edges:
        by_target.setdefault(target, []).append(label)
    return tuple((union(by_target[t]), t) for t in sorted(by_target))
