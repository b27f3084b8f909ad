"""Snapshots of surfaces, as llama.cpp and xgrammar read them.

Invariant: one rule for each rule of the snapshot, `root` for the start, and for each lexeme that is no fixed text one
right-linear automaton that all places share. Classes are positive; see `_grammar.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from langc.compiler.automata.graph import Graph
from langc.compiler.surfaces.snapshot.grammar import Grammar, Row
from langc.compiler.surfaces.snapshot.lexemes import Lexeme
from langc.compiler.unicode.intervals import IntervalSet
from langc.targets._grammar import GrammarStyle, GrammarWriter, shared_sets

_NOTHING = '""'
_LONGEST = 64
"""Characters of a fixed lexeme that are written where it is used."""


def write_snapshot(grammar: Grammar, style: GrammarStyle) -> str:
    """The rules, one a line. Raises LimitError past `MAX_GRAMMAR_SIZE` ranges."""
    return "".join(f"{line}\n" for line in _Snapshot(grammar, style).lines())


@dataclass
class _Lexemes(GrammarWriter):
    """The rules of one lexeme's automaton."""

    prefix: str = ""

    def _name(self, state: int) -> str:
        return f"{self.prefix}{self.style.joint}{state + 1}" if state else self.prefix


@dataclass
class _Snapshot:
    grammar: Grammar
    style: GrammarStyle
    sets: dict[IntervalSet, str] = field(default_factory=dict)
    names: dict[Lexeme, str] = field(default_factory=dict)
    fixed: dict[Lexeme, str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        writers = [self._writer(lexeme) for lexeme in self.grammar.lexemes]
        for number, rows in enumerate(self.grammar.rules):
            yield f"{self._name(number)} ::= {' | '.join(map(self._row, rows))}"
        for writer in writers:
            if writer is not None:
                yield from writer.rules()
        yield from shared_sets(self.sets, self.style)

    def _writer(self, lexeme: Lexeme) -> _Lexemes | None:
        """What writes the rules of a lexeme; None if it is written where it is used."""
        prefix = f"lexeme{self.style.joint}{len(self.names) + 1}"
        writer = _Lexemes(lexeme.graph, self.style, self.sets, prefix=prefix)
        labels = _only_path(lexeme.graph)
        if labels is not None and len(labels) <= _LONGEST:
            self.fixed[lexeme] = " ".join(writer.row(labels))
            return None
        self.names[lexeme] = prefix
        return writer

    def _row(self, row: Row) -> str:
        return " ".join(self._symbol(symbol) for symbol in row) or _NOTHING

    def _symbol(self, symbol: int | Lexeme) -> str:
        if isinstance(symbol, int):
            return self._name(symbol)
        return self.fixed.get(symbol) or self.names[symbol]

    def _name(self, number: int) -> str:
        return f"rule{self.style.joint}{number}" if number else "root"


def _only_path(graph: Graph) -> list[IntervalSet] | None:
    """The sets on the way of an automaton that has one way only."""
    labels: list[IntervalSet] = []
    state = 0
    while graph.edges[state]:
        if len(graph.edges[state]) > 1 or state in graph.accepting or len(labels) > len(graph.edges):
            return None
        [(label, state)] = graph.edges[state]
        labels.append(label)
    return labels
