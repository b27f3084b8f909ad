"""The automaton of `Cover`: every character is permitted or lies inside a whole term.

An Aho-Corasick automaton (Aho and Corasick 1975, CACM 18(6)) follows the terms. Beside its node a
state holds how many characters at the end of the text still wait for a term: all from the first
uncovered character on. One number is enough, because an occurrence that covers the first of them
covers the rest too. A waiting stretch longer than the node's depth can no longer be covered: no term
in progress began early enough, and the state is dead. A text is accepted when nothing waits.
"""

from __future__ import annotations

from dataclasses import dataclass

from langc.compiler.automata.budget import check_states
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.ir.language import Cover

State = tuple[int, int]
"""(Aho-Corasick node, waiting characters)."""


@dataclass
class Terms:
    """The Aho-Corasick automaton over the classes of a partition; node 0 is the root."""

    go: list[dict[int, int]]
    depth: list[int]
    longest: list[int]
    """The length of the longest term that ends at the node, 0 for none."""
    fail: list[int]

    def step(self, node: int, number: int) -> int:
        """The node of the longest term prefix that is a suffix of the text so far."""
        while node and number not in self.go[node]:
            node = self.fail[node]
        return self.go[node].get(number, 0)

    def ends_at(self, node: int) -> bool:
        """Whether the node's own string is a term."""
        return self.longest[node] == self.depth[node] > 0


def cover_dfa(cover: Cover, partition: Partition) -> Dfa:
    """The automaton of `cover` over a partition that does not cut its sets.

    Raises LimitError when the budget of states is spent.
    """
    base = set(partition.classes_in(cover.base))
    terms = build_terms(cover, partition)
    start = (0, 0)
    numbers: dict[State, int] = {start: 1}
    queue = [start]
    table: list[tuple[int, ...]] = [(DEAD,) * partition.size]
    for node, waiting in queue:
        row = []
        for number in range(partition.size):
            state = _next(terms, node, waiting, number, number in base)
            if state is None:
                row.append(DEAD)
                continue
            if state not in numbers:
                check_states(len(numbers) + 1, partition.size, "the automaton of the permitted terms")
                numbers[state] = len(numbers) + 1
                queue.append(state)
            row.append(numbers[state])
        table.append(tuple(row))
    accepting = frozenset(n for (_, waiting), n in numbers.items() if waiting == 0)
    return Dfa(partition, tuple(table), accepting, 1)


def _next(terms: Terms, node: int, waiting: int, number: int, permitted: bool) -> State | None:
    after = terms.step(node, number)
    still = waiting + 1 if waiting or not permitted else 0
    if still <= terms.longest[after]:
        still = 0
    return (after, still) if still <= terms.depth[after] else None


def build_terms(cover: Cover, partition: Partition) -> Terms:
    """The automaton of the terms of `cover`."""
    terms = Terms([{}], [0], [0], [0])
    for term in cover.terms:
        node = 0
        for number in (partition.class_of(ord(c)) for c in term):
            if number not in terms.go[node]:
                terms.go[node][number] = len(terms.go)
                terms.go.append({})
                terms.depth.append(terms.depth[node] + 1)
                terms.longest.append(0)
                terms.fail.append(0)
            node = terms.go[node][number]
        terms.longest[node] = len(term)
    _link(terms)
    return terms


def _link(terms: Terms) -> None:
    """Failure links breadth first; a node inherits the longest term that ends at its link."""
    queue = list(terms.go[0].values())
    for node in queue:
        for number, target in terms.go[node].items():
            terms.fail[target] = terms.step(terms.fail[node], number)
            terms.longest[target] = max(terms.longest[target], terms.longest[terms.fail[target]])
            queue.append(target)
