"""Deterministic finite automata over the classes of a partition.

Invariant: state 0 is `DEAD`: it is not accepting and every class leads back to it. The table is
complete. `start` is `DEAD` iff the language was found empty. Automata that come out of `minimize` are
canonical: the partition is the coarsest one, no two states have the same future, and states are numbered in
breadth-first order from the start, so equal languages give equal objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from langc.compiler.automata.closure import closure
from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import IntervalSet, union

DEAD = 0


@dataclass(frozen=True)
class Dfa:
    """`table[state][class]` is the next state."""

    partition: Partition
    table: tuple[tuple[int, ...], ...]
    accepting: frozenset[int]
    start: int

    @property
    def size(self) -> int:
        """The number of states, the dead one included."""
        return len(self.table)

    def step(self, state: int, symbol: int) -> int:
        """The state after `symbol`; a symbol outside the alphabet leads to `DEAD`."""
        try:
            return self.table[state][self.partition.class_of(symbol)]
        except ValueError:
            return DEAD

    def run(self, symbols: Iterable[int], state: int | None = None) -> int:
        """The state after all symbols, from the start or from `state`."""
        current = self.start if state is None else state
        for symbol in symbols:
            current = self.step(current, symbol)
            if current == DEAD:
                break
        return current

    def accepts(self, symbols: Iterable[int]) -> bool:
        """Whether the whole sequence is in the language."""
        return self.run(symbols) in self.accepting

    def edges(self, state: int) -> Iterator[tuple[IntervalSet, int]]:
        """The living edges of a state as (label, target), by least symbol; one edge a target."""
        by_target: dict[int, list[int]] = {}
        for number, target in enumerate(self.table[state]):
            if target != DEAD:
                by_target.setdefault(target, []).append(number)
        for target, numbers in by_target.items():
            yield union(self.partition.members[c] for c in numbers), target

    def staying(self, state: int) -> IntervalSet:
        """The symbols on which a state leads back to itself."""
        pairs = zip(self.partition.members, self.table[state], strict=True)
        return union(members for members, target in pairs if target == state)

    @cached_property
    def sources(self) -> tuple[frozenset[int], ...]:
        """The states that lead to each state."""
        found: list[set[int]] = [set() for _ in self.table]
        for state, row in enumerate(self.table):
            for target in set(row):
                found[target].add(state)
        return tuple(map(frozenset, found))

    @cached_property
    def live(self) -> frozenset[int]:
        """The states from which an accepting one can be reached."""
        return frozenset(closure(self.accepting, self.sources.__getitem__))

    @cached_property
    def is_empty(self) -> bool:
        """Whether the language holds no sequence at all."""
        return self.start not in self.live
