"""From an automaton back to an expression, by state elimination (Brzozowski and McCluskey 1963, IEEE TEC 12(2)).

The automaton gets a new start and a new end. Then one inner state after the other goes: for every way into it and
every way out of it there is a new edge, labelled with what was read on the way. The last edge left holds the answer.
What the answer looks like depends on the order alone, so the state whose loss adds least goes first (the weight of
Delgado and Morais, CIAA 2004), and parallel edges are joined with their common beginnings and ends taken out.

Expressions can be exponentially larger than the automaton. Every edge is held to a size and to
`MAX_EXPRESSION_DEPTH`; the depth also bounds every recursion over an expression, here and in printers.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from langc.compiler.automata.ambiguity import is_unambiguous
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.cover_graph import cover_graph
from langc.compiler.automata.graph import Graph, dfa_graph
from langc.compiler.automata.simplify import Measure, either, in_a_row, star
from langc.compiler.errors import LimitError
from langc.compiler.ir.json_text import spelled_out
from langc.compiler.ir.language import (
    EMPTY,
    FAIL,
    Alternation,
    Class,
    Concat,
    Cover,
    Joined,
    JsonString,
    Language,
    Repetition,
    alternation,
    concat,
    repetition,
    unjoined,
)
from langc.compiler.limits import MAX_ELIMINATION_WORK, MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_SIZE, over_limit

_START, _END = -2, -1


def plain(language: Language, ambiguous: bool = False, size: int | None = None) -> Language:
    """The same language without intersection, complement and cover: what every regular expression can say.

    Args:
        language: any expression.
        ambiguous: whether automata with several readings of one text may be written out. They are smaller, and fine for
            engines that follow all readings at once; one that backtracks would take exponential time.
        size: the budget instead of `MAX_EXPRESSION_SIZE`, for a format that writes equal parts once.

    Raises:
        LimitError: the expression or an automaton on the way spends a budget.
    """
    limit = MAX_EXPRESSION_SIZE if size is None else size
    return _within_limits(_Plain(ambiguous, limit).of(language), Measure(), limit)


@dataclass(frozen=True)
class _Plain:
    ambiguous: bool
    limit: int

    def of(self, language: Language) -> Language:
        match language:
            case Concat(parts):
                return concat(*map(self.of, parts))
            case Alternation(parts):
                return alternation(*map(self.of, parts))
            case Repetition(part, least, most):
                return repetition(self.of(part), least, most)
            case Cover():
                graph = cover_graph(language)
                readable = self.ambiguous or is_unambiguous(graph)
                return eliminate(graph, self.limit) if readable else self._from_dfa(language)
            case Class():
                return language
            case Joined():
                return self.of(unjoined(language))
            case JsonString(part):
                return spelled_out(self.of(part))
            case _:
                return self._from_dfa(language)

    def _from_dfa(self, language: Language) -> Language:
        dfa = build_dfa(language)
        return FAIL if dfa.is_empty else eliminate(dfa_graph(dfa), self.limit)


def _within_limits(expression: Language, measure: Measure, limit: int) -> Language:
    if measure.size(expression) > limit:
        raise LimitError(over_limit("characters and ranges in the regular expression", limit))
    if measure.depth(expression) > MAX_EXPRESSION_DEPTH:
        raise LimitError(over_limit("nested groups in the regular expression", MAX_EXPRESSION_DEPTH))
    return expression


def eliminate(graph: Graph, limit: int | None = None) -> Language:
    """An expression for the language of an automaton.

    Raises LimitError past `limit`, by default `MAX_EXPRESSION_SIZE`, or when it gets too deep.
    """
    limit = MAX_EXPRESSION_SIZE if limit is None else limit
    if sum(map(len, graph.edges)) > limit:  # almost every edge is written at least once
        raise LimitError(over_limit("characters and ranges in the regular expression", limit))
    return _Elimination(graph, limit).run()


@dataclass
class _State:
    """What the weight of a state is made of: its edges but for the loop, and their sizes."""

    out: dict[int, list[Language]] = field(default_factory=dict)
    """The parallel edges to each target, joined when they are used: joining one by one would be quadratic."""
    sources: set[int] = field(default_factory=set)
    size_out: int = 0
    size_in: int = 0
    size_loop: int = 0


class _Elimination:
    def __init__(self, graph: Graph, limit: int) -> None:
        states = range(len(graph.edges))
        self.limit = limit
        self.work = 0
        self.measure = Measure()
        self.states = {s: _State() for s in (_START, _END, *states)}
        self._add(_START, 0, EMPTY)
        for state in states:
            for label, target in graph.edges[state]:
                self._add(state, target, Class(label))
        for state in sorted(graph.accepting):
            self._add(state, _END, EMPTY)

    def run(self) -> Language:
        queue = [(*self._weight(s), s) for s in self.states if s >= 0]
        heapq.heapify(queue)
        while queue:
            *weight, state = heapq.heappop(queue)
            if state in self.states and tuple(weight) == self._weight(state):  # else an entry that is out of date
                for touched in self._remove(state):
                    heapq.heappush(queue, (*self._weight(touched), touched))
        return self._joined(self.states[_START].out[_END])

    def _weight(self, number: int) -> tuple[int, int]:
        """How much the edges grow when the state goes, then their size: a chain is joined from short pieces."""
        state = self.states[number]
        ins, outs = len(state.sources) - (number in state.sources), len(state.out) - (number in state.out)
        growth = state.size_in * (outs - 1) + state.size_out * (ins - 1) + state.size_loop * (ins * outs - 1)
        return growth, state.size_in + state.size_out

    def _remove(self, number: int) -> list[int]:
        """Lead every way through the state around it; the states whose edges have changed."""
        state = self.states.pop(number)
        loop = star(self._joined(state.out.pop(number))) if number in state.out else EMPTY
        sources = sorted(state.sources - {number})
        outs = {t: self._joined(edges) for t, edges in state.out.items()}
        for target, edges in state.out.items():
            self.states[target].sources.discard(number)
            self.states[target].size_in -= self._size(edges)
        for source in sources:
            edges = self.states[source].out.pop(number)
            self.states[source].size_out -= self._size(edges)
            first = in_a_row(self._joined(edges), loop)
            for target, last in outs.items():
                self._add(source, target, in_a_row(first, last))
        return sorted({*sources, *outs} - {_START, _END})

    def _add(self, source: int, target: int, expression: Language) -> None:
        size = self.measure.size(_within_limits(expression, self.measure, self.limit))
        start, end = self.states[source], self.states[target]
        start.out.setdefault(target, []).append(expression)
        end.sources.add(source)
        if source == target:
            start.size_loop += size
        else:
            start.size_out += size
            end.size_in += size

    def _joined(self, edges: list[Language]) -> Language:
        self.work += self._size(edges)
        if self.work > MAX_ELIMINATION_WORK:
            raise LimitError(over_limit("parts joined on the way to the expression", MAX_ELIMINATION_WORK))
        return _within_limits(either(edges), self.measure, self.limit)

    def _size(self, edges: list[Language]) -> int:
        return sum(map(self.measure.size, edges))
