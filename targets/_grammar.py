"""Right-linear grammars, as llama.cpp and xgrammar read them.

Invariant: there is one rule a state, `root` for the start; each alternative is a row of characters and classes with
the rule of the next state behind it, so a reference to a rule of states is always the last thing. Engines replace a
finished reference by the next one: nothing grows with the length of the text. Every class is positive, because
engines test negated ones against half-read characters too strictly and admit what is not UTF-8; equal classes of
more than a few ranges are one rule, and what such classes share is written once.

A state with a loop and nothing else is written with `*`; a state with one way out is written into the alternatives
that lead to it, unless there are several and the way is long: so a permitted term reads as one literal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from langc.compiler.automata.graph import Graph
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_GRAMMAR_SIZE, over_limit
from langc.compiler.unicode.intervals import IntervalSet, union
from langc.targets._notation import Notation

INLINE_RANGES = 4
_SHORT = 8
"""How many characters at the end of several terms are written with each of them."""
_NOTHING = '""'


@dataclass(frozen=True)
class GrammarStyle:
    """What tells the two formats apart: the escapes, and what joins the words of a rule's name."""

    notation: Notation
    joint: str
    inline_ranges: int = INLINE_RANGES
    """Classes of more ranges are rules of their own."""


def write_grammar(graph: Graph, style: GrammarStyle) -> str:
    """The rules, one a line. Raises LimitError past `MAX_GRAMMAR_SIZE` ranges."""
    return "".join(f"{line}\n" for line in GrammarWriter(graph, style).lines())


def shared_sets(sets: dict[IntervalSet, str], style: GrammarStyle) -> Iterator[str]:
    """The rules of the classes that several writers have shared."""
    return GrammarWriter(Graph((), frozenset()), style, sets).definitions()


@dataclass
class GrammarWriter:
    """Writes one automaton. Several may share the classes that they name."""

    graph: Graph
    style: GrammarStyle
    sets: dict[IntervalSet, str] = field(default_factory=dict)
    ranges: int = 0
    """How many were written."""

    def lines(self) -> Iterator[str]:
        """All rules."""
        yield from self.rules()
        yield from self.definitions()

    def rules(self) -> Iterator[str]:
        """The rules of the states."""
        inlined = _inlined(self.graph)
        for state in range(len(self.graph.edges)):
            if state not in inlined and (self.graph.edges[state] or not state):
                yield f"{self._name(state)} ::= {self._right_side(state, inlined)}"

    def definitions(self) -> Iterator[str]:
        """The rules of the classes that have been named."""
        shared = [members for members in self.graph.classes if len(members.ranges) > self.style.inline_ranges]
        for members, name in _growing(self.sets):
            yield f"{name} ::= {self._definition(members, shared)}"

    def _definition(self, members: IntervalSet, shared: list[IntervalSet]) -> str:
        """A class, or what it shares with others and the rest of it."""
        parts = [] if members in shared else [part for part in shared if part.first() in members]
        rest = members - union(parts) if parts else members
        return " | ".join([self._symbol(part) for part in parts] + [self._class(rest)] * bool(rest))

    def _right_side(self, state: int, inlined: frozenset[int]) -> str:
        edges = self.graph.edges[state]
        if state in self.graph.accepting and [t for _, t in edges] == [state]:
            return self._symbol(edges[0][0]) + "*"
        alternatives = [self._alternative(label, target, inlined) for label, target in edges]
        return " | ".join(alternatives + [_NOTHING] * (state in self.graph.accepting))

    def _alternative(self, label: IntervalSet, target: int, inlined: frozenset[int]) -> str:
        labels = [label]
        while target in inlined:
            [(label, target)] = self.graph.edges[target]
            labels.append(label)
        words = self.row(labels)
        if self.graph.edges[target]:
            words.append(self._name(target))
        return " ".join(words)

    def row(self, labels: list[IntervalSet]) -> list[str]:
        """Single characters in a row are one literal."""
        words: list[str] = []
        literal = ""
        for label in labels:
            if len(label) == 1:
                literal += chr(label.first())
                continue
            words += [self._quoted(literal)] * bool(literal) + [self._symbol(label)]
            literal = ""
        return words + [self._quoted(literal)] * bool(literal)

    def _symbol(self, label: IntervalSet) -> str:
        if len(label) == 1:
            return self._quoted(chr(label.first()))
        if len(label.ranges) <= self.style.inline_ranges:
            return self._class(label)
        return self.sets.setdefault(label, f"set{self.style.joint}{len(self.sets) + 1}" if self.sets else "text")

    def _quoted(self, text: str) -> str:
        return f'"{self.style.notation.literal(text)}"'

    def _class(self, members: IntervalSet) -> str:
        self.ranges += len(members.ranges)
        if self.ranges > MAX_GRAMMAR_SIZE:
            raise LimitError(over_limit("ranges in the grammar", MAX_GRAMMAR_SIZE))
        return f"[{self.style.notation.members(members)}]"

    def _name(self, state: int) -> str:
        return f"state{self.style.joint}{state + 1}" if state else "root"


def _growing(sets: dict[IntervalSet, str]) -> Iterator[tuple[IntervalSet, str]]:
    """The items of a dictionary that gets new ones meanwhile."""
    at = 0
    while at < len(sets):
        fresh = list(sets.items())[at:]
        yield from fresh
        at += len(fresh)


def _inlined(graph: Graph) -> frozenset[int]:
    """The states with one edge out that are neither start nor end, unless much would be written several times."""
    ways_in = [0] * len(graph.edges)
    for edges in graph.edges:
        for _, target in edges:
            ways_in[target] += 1
    single = {
        s: edges[0][1]
        for s, edges in enumerate(graph.edges)
        if s and len(edges) == 1 and edges[0][1] != s and s not in graph.accepting
    }
    return frozenset(s for s in single if ways_in[s] == 1 or _is_short(s, single))


def _is_short(state: int, single: Mapping[int, int]) -> bool:
    for _ in range(_SHORT):
        if state not in single:
            return True
        state = single[state]
    return state not in single
