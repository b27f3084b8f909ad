"""The automaton of `BoundedCover`: like `cover.py`, where occurrences can ask for boundaries and fold case and width.

A state holds the tries whose terms may begin here (their left boundary is there), the occurrences in progress with how
many characters they have, how many characters at the end of the text still wait for a whole occurrence around
them, and the occurrences that are complete but for their right boundary, if what they would cover still waits. The
next character, or the end of the text, decides about those.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from langc.compiler.automata.budget import check_states
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.automata.phrases import ROOT, Columns, Trie, begun_behind, build_tries
from langc.compiler.ir.language import BoundedCover
from langc.compiler.unicode.intervals import IntervalSet


class State(NamedTuple):
    """See above; `threads` are (trie, node, characters), `progress` (pattern, characters)."""

    begun: frozenset[int]
    threads: frozenset[tuple[int, int, int]] = frozenset()
    progress: frozenset[tuple[int, int]] = frozenset()
    waiting: int = 0
    pending: frozenset[tuple[int, IntervalSet]] = frozenset()

    @property
    def accepts(self) -> bool:
        """Whether the text may end: nothing waits, or what is complete covers it, the end being a boundary."""
        return self.waiting <= max((length for length, _ in self.pending), default=0)


def bounded_cover_dfa(cover: BoundedCover, partition: Partition) -> Dfa:
    """The automaton over a partition that cuts no set of the cover. Raises LimitError past the budget of states."""
    follow = _Follow.of(cover, partition)
    start = State(frozenset(range(len(follow.tries))))
    numbers: dict[State, int] = {start: 1}
    queue = [start]
    table: list[tuple[int, ...]] = [(DEAD,) * partition.size]
    idle: dict[frozenset[int], tuple[int, ...]] = {}

    def number_of(state: State | None) -> int:
        if state is None:
            return DEAD
        if state not in numbers:
            check_states(len(numbers) + 1, partition.size, "the automaton of the permitted terms")
            numbers[state] = len(numbers) + 1
            queue.append(state)
        return numbers[state]

    def row(state: State, classes: Iterable[int], default: Iterable[int]) -> tuple[int, ...]:
        found = list(default)
        for number in classes:
            found[number] = number_of(follow.step(state, number))
        return tuple(found)

    for state in queue:
        if state.pending:
            table.append(row(state, range(partition.size), table[DEAD]))
            continue
        if state.begun not in idle:
            idle[state.begun] = row(State(state.begun), range(partition.size), table[DEAD])
        table.append(row(state, follow.continuing(state), table[DEAD] if state.waiting else idle[state.begun]))
    return Dfa(partition, tuple(table), frozenset(n for s, n in numbers.items() if s.accepts), 1)


@dataclass(frozen=True)
class _Follow:
    tries: list[Trie]
    columns: list[Columns]
    patterns: list[list[frozenset[int]]]
    base: frozenset[int]
    begun: list[frozenset[int]]
    """Of each class, the tries whose terms may begin behind it."""

    @classmethod
    def of(cls, cover: BoundedCover, partition: Partition) -> _Follow:
        tries = build_tries(cover.terms)
        return cls(
            tries,
            [Columns.of(trie, partition) for trie in tries],
            [[frozenset(partition.classes_in(members)) for members in pattern] for pattern in cover.patterns],
            frozenset(partition.classes_in(cover.base)),
            begun_behind(tries, partition),
        )

    def step(self, state: State, number: int) -> State | None:
        """The state after a class, None if what waits can no longer be covered."""
        waiting = 0 if state.waiting <= self._confirmed(state, number) else state.waiting
        threads = self._advance(state, number)
        progress = [(p, n + 1) for p, n in self._patterns(state) if number in self.patterns[p][n]]
        ends = {(length, bars) for t, node, length in threads for bars in self.tries[t].ends.get(node, ())}
        whole = [length for length, bars in ends if not bars] + [n for p, n in progress if n == len(self.patterns[p])]
        still = waiting + 1 if waiting or number not in self.base else 0
        still = 0 if still <= max(whole, default=0) else still
        pending = frozenset((length, bars) for length, bars in ends if bars and 0 < still <= length)
        after = State(
            self.begun[number],
            frozenset(t for t in threads if self.tries[t[0]].goes_on(t[1])),
            frozenset((p, n) for p, n in progress if n < len(self.patterns[p])),
            still,
            pending,
        )
        return after if still <= self._reach(after) else None

    def continuing(self, state: State) -> set[int]:
        """The classes that continue an occurrence in progress."""
        found = {number for p, n in state.progress for number in self.patterns[p][n]}
        for trie, node, _ in state.threads:
            for atom in (self.tries[trie].atom[child] for child in self.tries[trie].children(node)):
                found.update(self.columns[trie].by_atom.get(atom, ()))
        return found

    def _confirmed(self, state: State, number: int) -> int:
        """The length of the longest complete occurrence that the class does not bar."""
        member = self.columns[0].partition.members[number].first() if state.pending else 0
        return max((length for length, bars in state.pending if member not in bars), default=0)

    def _advance(self, state: State, number: int) -> list[tuple[int, int, int]]:
        found = []
        for trie, node, length in (*((t, ROOT, 0) for t in state.begun), *state.threads):
            atoms = self.columns[trie].atoms[number]
            target = None if atoms is None else self.tries[trie].step(node, atoms)
            if target is not None:
                found.append((trie, target, length + 1))
        return found

    def _patterns(self, state: State) -> list[tuple[int, int]]:
        return [*state.progress, *((p, 0) for p in range(len(self.patterns)))]

    @staticmethod
    def _reach(state: State) -> int:
        """How many characters the longest occurrence in sight would cover."""
        lengths = (
            *(length for _, _, length in state.threads),
            *(n for _, n in state.progress),
            *(length for length, _ in state.pending),
        )
        return max(lengths, default=0)
