"""The small automaton of a cover: a loop on the base, and beside it the paths of terms and patterns.

Whoever is inside an occurrence has to finish it. So no state has to remember which *other* terms might have begun,
and the automaton is as large as the terms, where the deterministic one can be as large as their square. It may read
a text in several ways.

Occurrences may overlap. In a cover without idle occurrences each begins inside the one before and behind the one before
that. Where one ends, the next may therefore have begun:

* behind a term, whose text is known, it is a node along the failure links, or a pattern that a suffix begins;
* behind a pattern, of which only the sets are known, it was guessed when it began, and followed beside the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from langc.compiler.automata.build import partition_of
from langc.compiler.automata.cover import build_terms
from langc.compiler.automata.graph import Edge, Graph, trimmed
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Cover, Pattern
from langc.compiler.limits import MAX_NFA_EDGES, MAX_NFA_STATES, over_limit
from langc.compiler.unicode.intervals import IntervalSet

Place = tuple[int, int]
"""Inside a term: (`_TERM`, node). Inside a pattern: (its number, characters read)."""
State = tuple[Place, ...]
"""The occurrence that is read, and perhaps the next one, which has begun inside it. At the root neither."""
_TERM = -1
_ROOT: State = ()


@dataclass(frozen=True)
class _Move:
    """One character more of an occurrence."""

    label: IntervalSet
    place: Place | None
    """Where it goes on, None if nothing longer begins so."""
    behind: tuple[State, ...]
    """Where it may be over: at the root, or inside the next occurrence."""


def cover_graph(cover: Cover) -> Graph:
    """The automaton of a cover. Raises LimitError past `MAX_NFA_STATES` or `MAX_NFA_EDGES`."""
    moves = _Moves(cover)
    numbers: dict[State, int] = {_ROOT: 0}
    rows: list[list[Edge]] = []
    edges = 0
    for state in (queue := [_ROOT]):
        row = []
        for label, target in moves.edges(state):
            if target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
            row.append((label, numbers[target]))
            _check(len(numbers), edges := edges + 1)
        rows.append(row)
    return trimmed(rows, frozenset({0}))


def _check(states: int, edges: int) -> None:
    if states > MAX_NFA_STATES:
        raise LimitError(over_limit("states of the nondeterministic automaton", MAX_NFA_STATES))
    if edges > MAX_NFA_EDGES:
        raise LimitError(over_limit("transitions between permitted terms that overlap", MAX_NFA_EDGES))


class _Moves:
    def __init__(self, cover: Cover) -> None:
        self.base = cover.base
        self.patterns = cover.patterns
        partition = partition_of(cover)
        self.classes = partition.members
        self.terms = build_terms(cover, partition)
        self.texts = {self.terms.node(partition.class_of(ord(c)) for c in t): t for t in cover.terms}
        self.openings = [*self._in_term(0), *(self._in_pattern(p, 0) for p in range(len(self.patterns)))]

    def edges(self, state: State) -> Iterator[tuple[IntervalSet, State]]:
        """The edges of a state, some of them perhaps parallel."""
        if not state:
            yield from [(self.base, _ROOT)] if self.base else []
            yield from _alone(self.openings)
            return
        moves = self._moves(state[0])
        if len(state) == 1:
            yield from _alone(moves)
        if len(state) == 2 or state[0][0] != _TERM:
            yield from _beside(moves, self._moves(state[1]) if len(state) == 2 else self.openings)

    def _moves(self, place: Place) -> list[_Move]:
        kind, at = place
        return self._in_term(at) if kind == _TERM else [self._in_pattern(kind, at)]

    def _in_pattern(self, number: int, read: int) -> _Move:
        pattern = self.patterns[number]
        done = read + 1 == len(pattern)
        return _Move(pattern[read], None if done else (number, read + 1), (_ROOT,) if done else ())

    def _in_term(self, node: int) -> list[_Move]:
        return [
            _Move(self.classes[number], (_TERM, child) if self.terms.go[child] else None, tuple(self._behind(child)))
            for number, child in self.terms.go[node].items()
        ]

    def _behind(self, node: int) -> Iterator[State]:
        """If a term ends at the node: the root, and every longer occurrence that a proper suffix of the term begins."""
        if node not in self.texts:
            return
        yield _ROOT
        text = self.texts[node]
        shorter = self.terms.fail[node]
        while shorter:
            yield from [((_TERM, shorter),)] if self.terms.go[shorter] else []
            shorter = self.terms.fail[shorter]
        for number, pattern in enumerate(self.patterns):
            yield from (((number, n),) for n in range(1, min(len(pattern), len(text))) if _ends_so(text, pattern[:n]))


def _alone(moves: list[_Move]) -> Iterator[tuple[IntervalSet, State]]:
    for move in moves:
        if move.place is not None:
            yield move.label, (move.place,)
        yield from ((move.label, state) for state in move.behind)


def _beside(moves: list[_Move], others: list[_Move]) -> Iterator[tuple[IntervalSet, State]]:
    """The occurrence and the next one, which must go on when the first is over."""
    for move in moves:
        for other in others:
            shared = move.label & other.label
            if shared and other.place is not None:
                if move.place is not None:
                    yield shared, (move.place, other.place)
                if move.behind:
                    yield shared, (other.place,)


def _ends_so(text: str, pattern: Pattern) -> bool:
    """Whether the text ends in an occurrence of the pattern."""
    return all(ord(c) in members for c, members in zip(text[-len(pattern) :], pattern, strict=True))
