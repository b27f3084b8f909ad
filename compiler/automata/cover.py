"""The automaton of `Cover`: every character is permitted or lies inside a whole term or pattern.

An Aho-Corasick automaton (Aho and Corasick 1975, CACM 18(6)) follows the terms; the patterns, whose sets may
overlap, are followed as the set of all that are in progress. Beside the two a state holds how many
characters at the end of the text still wait: all from the first uncovered character on. One number is enough,
because an occurrence that covers the first of them covers the rest too. A waiting stretch longer than
everything in progress can no longer be covered: nothing began early enough, and the state is dead. A text is
accepted when nothing waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from langc.compiler.automata.budget import check_states
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.ir.language import Cover

Progress = frozenset[tuple[int, int]]
"""The patterns in progress: (number of the pattern, characters of it read)."""
State = tuple[int, Progress, int]
"""(Aho-Corasick node, patterns in progress, waiting characters)."""


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

    def node(self, text: Iterable[int]) -> int:
        """The node of a beginning of a term, given as classes."""
        node = 0
        for number in text:
            node = self.go[node][number]
        return node


def cover_dfa(cover: Cover, partition: Partition) -> Dfa:
    """The automaton of `cover` over a partition that does not cut its sets.

    Raises LimitError when the budget of states is spent.
    """
    base = set(partition.classes_in(cover.base))
    follow = _Follow(build_terms(cover, partition), _patterns(cover, partition))
    start: State = (0, frozenset(), 0)
    numbers: dict[State, int] = {start: 1}
    queue = [start]
    table: list[tuple[int, ...]] = [(DEAD,) * partition.size]
    for before in queue:
        # A class that continues nothing in progress leads where it leads from the start, or nowhere if characters wait.
        row = list(table[1] if before[2] == 0 and before != start else table[DEAD])
        for number in range(partition.size) if before == start else sorted(follow.continuing(before)):
            state = follow.step(before, number, number in base)
            if state is None:
                row[number] = DEAD
                continue
            if state not in numbers:
                check_states(len(numbers) + 1, partition.size, "the automaton of the permitted terms")
                numbers[state] = len(numbers) + 1
                queue.append(state)
            row[number] = numbers[state]
        table.append(tuple(row))
    accepting = frozenset(n for (_, _, waiting), n in numbers.items() if waiting == 0)
    return Dfa(partition, tuple(table), accepting, 1)


@dataclass(frozen=True)
class _Follow:
    """Terms and patterns, the latter as the classes of each of their characters."""

    terms: Terms
    patterns: list[list[frozenset[int]]]

    def step(self, state: State, number: int, permitted: bool) -> State | None:
        """The state after a class, None if what waits can no longer be covered."""
        node, progress, waiting = state
        after = self.terms.step(node, number)
        read = [(p, n + 1) for p, n in (*progress, *self._openings) if number in self.patterns[p][n]]
        complete = max((n for p, n in read if n == len(self.patterns[p])), default=0)
        still = waiting + 1 if waiting or not permitted else 0
        if still <= max(self.terms.longest[after], complete):
            still = 0
        going = frozenset((p, n) for p, n in read if n < len(self.patterns[p]))
        reach = max(self.terms.depth[after], max((n for _, n in going), default=0))
        return (after, going, still) if still <= reach else None

    def continuing(self, state: State) -> set[int]:
        """The classes that continue a term or pattern in progress."""
        node, progress, _ = state
        found = {number for p, n in progress for number in self.patterns[p][n]}
        while node:
            found.update(self.terms.go[node])
            node = self.terms.fail[node]
        return found

    @property
    def _openings(self) -> list[tuple[int, int]]:
        return [(p, 0) for p in range(len(self.patterns))]


def _patterns(cover: Cover, partition: Partition) -> list[list[frozenset[int]]]:
    return [[frozenset(partition.classes_in(members)) for members in pattern] for pattern in cover.patterns]


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
