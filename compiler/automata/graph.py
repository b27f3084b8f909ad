"""Nondeterministic automata without epsilon edges: what grammars and expressions are written from.

Invariant: the start is state 0, every state can be reached, and from every state the end can be reached. An edge
has a set of characters, never an empty one; a state has at most one edge to each target, ordered by target.

A deterministic automaton is one of them. Permitted terms have a better one: no state has to remember which *other*
terms might have begun, so it is as large as the terms, where the deterministic one can be as large as their square.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from langc.compiler.automata.build import build_dfa, partition_of
from langc.compiler.automata.cover import Terms, build_terms
from langc.compiler.automata.dfa import Dfa
from langc.compiler.ir.language import Cover, Language
from langc.compiler.unicode.intervals import IntervalSet, union

Edge = tuple[IntervalSet, int]


@dataclass(frozen=True)
class Graph:
    """`edges[state]` are (label, target) pairs."""

    edges: tuple[tuple[Edge, ...], ...]
    accepting: frozenset[int]


def graph_of(language: Language) -> Graph:
    """A small automaton of the language. Raises LimitError when a budget is spent."""
    if isinstance(language, Cover) and not language.patterns:
        return cover_graph(language)
    return dfa_graph(build_dfa(language))


def dfa_graph(dfa: Dfa) -> Graph:
    """The living states of an automaton whose language is not empty, in its order from the start."""
    order = [dfa.start, *sorted(dfa.live - {dfa.start})]
    numbers = {state: number for number, state in enumerate(order)}
    edges = ([(label, numbers[t]) for label, t in dfa.edges(state) if t in numbers] for state in order)
    return Graph(tuple(map(_ordered, edges)), frozenset(numbers[s] for s in dfa.accepting))


def cover_graph(cover: Cover) -> Graph:
    """The trie of the terms over a loop on the base; whoever is inside a term has to finish it. No patterns.

    An occurrence that overlaps the one before begins inside it and ends behind it. So the end of an occurrence
    leads to the root, and also into every term that a suffix of it begins: along the failure links.
    """
    partition = partition_of(cover)
    terms = build_terms(cover, partition)
    numbers: dict[int, int] = {}
    for node in [0, *(n for n in range(1, len(terms.go)) if terms.go[n])]:
        numbers[node] = len(numbers)
    rows: list[tuple[Edge, ...]] = []
    for node in numbers:
        edges = [(cover.base, 0)] if node == 0 and cover.base else []
        for number, child in terms.go[node].items():
            edges.extend((partition.members[number], numbers[t]) for t in _behind(terms, child))
        rows.append(_ordered(edges))
    return Graph(tuple(rows), frozenset({0}))


def _behind(terms: Terms, node: int) -> Iterator[int]:
    """Where reading the last character of a node's string leads."""
    if not terms.ends_at(node):
        yield node
        return
    yield 0
    while node:
        if terms.go[node]:
            yield node
        node = terms.fail[node]


def _ordered(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    by_target: dict[int, list[IntervalSet]] = {}
    for label, target in edges:
        by_target.setdefault(target, []).append(label)
    return tuple((union(by_target[t]), t) for t in sorted(by_target))
