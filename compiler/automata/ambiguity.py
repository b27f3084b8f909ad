"""Whether an automaton reads some text in two ways.

A backtracking engine tries every way to read a text before it gives up. If each text has one way only, two partial
readings of the same length never meet in one state, so there are at most as many as states and time is linear in
the text; with two ways to read a stretch that may repeat it is exponential.

The search is over pairs of different states that one text can reach (Book, Even, Greibach and Ott 1971, IEEE TC
20(2)): the automaton is ambiguous iff such a pair accepts at once or leads to one state.
"""

from __future__ import annotations

from collections.abc import Iterator

from langc.compiler.automata.graph import Graph
from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import SCALARS

MAX_PAIRS = 2_000_000
"""Of edges that are looked at together."""
Moves = dict[int, list[int]]
"""The targets of one state by class."""


def is_unambiguous(graph: Graph) -> bool:
    """Whether every accepted text has one path. Gives up, and says no, past `MAX_PAIRS` pairs of edges."""
    moves = _moves(graph)
    seen: set[tuple[int, int]] = set()
    stack = [(s, s) for s in range(len(moves))]
    looked = 0
    while stack:
        left, right = stack.pop()
        for a, b in _pairs(moves[left], moves[right]):
            looked += 1
            if a == b and left == right:
                continue
            if a == b or {a, b} <= graph.accepting or looked > MAX_PAIRS:
                return False
            pair = (min(a, b), max(a, b))
            if pair not in seen:
                seen.add(pair)
                stack.append(pair)
    return True


def _pairs(left: Moves, right: Moves) -> Iterator[tuple[int, int]]:
    """The targets of one state with those of another on a common class."""
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    return ((a, b) for number, targets in few.items() for a in targets for b in many.get(number, ()))


def _moves(graph: Graph) -> list[Moves]:
    labels = dict.fromkeys(label for edges in graph.edges for label, _ in edges)
    partition = Partition.of(SCALARS, labels)
    classes = {
        label: (partition.class_of(label.first()),) if len(label) == 1 else partition.classes_in(label)
        for label in labels
    }
    moves: list[Moves] = []
    for edges in graph.edges:
        row: Moves = {}
        for label, target in edges:
            for number in classes[label]:
                row.setdefault(number, []).append(target)
        moves.append(row)
    return moves
