"""The automaton of a language with the soft rules that each character breaks: the product, as small as it can be.

The rules are woven in one after the other, and behind each the automaton is minimized as a machine with outputs
(Mealy 1955): what a rule remembers is forgotten where it tells no future apart. Two rules that the same characters of
a state break cost there as the dearer one does alone, whatever byte makes it certain, so the cheaper is not written
down: else the automaton would count which of them have already been broken in a code span that may not close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langc.compiler.automata.budget import check_states
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import refine
from langc.compiler.automata.partition import Partition
from langc.compiler.automata.soft_rule import Reading, SoftRule

Broken = frozenset[int]
"""Numbers of rules."""
NONE: Broken = frozenset()


@dataclass(frozen=True)
class Woven:
    """`table[state][class]` is the next state, `broken[state][class]` what the character breaks. State 0 is dead."""

    partition: Partition
    table: tuple[tuple[int, ...], ...]
    broken: tuple[tuple[Broken, ...], ...]
    ends: dict[int, int]
    """The states in which a text may end, each with the level that this costs."""
    start: int


def weave(hard: Dfa, rules: Sequence[SoftRule], levels: Sequence[int]) -> Woven:
    """The texts of a language with what breaks the rules; `levels` orders these by cost. Raises LimitError."""
    whole = _unbroken(hard)
    for number in sorted(range(len(rules)), key=levels.__getitem__, reverse=True):
        whole = _minimal(_Product(whole, rules[number], number, levels).whole())
    return whole


def _unbroken(hard: Dfa) -> Woven:
    table = tuple(tuple(t if t in hard.live else DEAD for t in row) for row in hard.table)
    nothing = (NONE,) * hard.partition.size
    return Woven(hard.partition, table, (nothing,) * hard.size, dict.fromkeys(hard.accepting, 0), hard.start)


class _Product:
    """A woven automaton and one more rule, read in step."""

    def __init__(self, woven: Woven, rule: SoftRule, number: int, levels: Sequence[int]) -> None:
        self.woven, self.levels = woven, levels
        self.added, self.level = frozenset({number}), levels[number]
        self.follower = rule.follower()
        self.partition, self.of_woven, self.of_rule = woven.partition.refine(self.follower.partition)
        start = (woven.start, self.follower.start)
        self.numbers: dict[tuple[int, Reading], int] = {start: 1}
        self.queue = [start]

    def whole(self) -> Woven:
        """All that can be reached."""
        table, broken = [(DEAD,) * self.partition.size], [(NONE,) * self.partition.size]
        for state, reading in self.queue:
            row, breaks = self._row(state, reading)
            table.append(row)
            broken.append(_plainly(row, breaks, self.levels))
        return Woven(self.partition, tuple(table), tuple(broken), self._ends(), 1)

    def _row(self, state: int, reading: Reading) -> tuple[tuple[int, ...], list[Broken]]:
        row: list[int] = []
        breaks: list[Broken] = []
        targets, before, steps = self.woven.table[state], self.woven.broken[state], self.follower.row(reading)
        for number, other in zip(self.of_woven, self.of_rule, strict=True):
            behind, is_broken = steps[other]
            alive = targets[number] != DEAD
            row.append(self._number((targets[number], behind)) if alive else DEAD)
            breaks.append((before[number] | self.added if is_broken else before[number]) if alive else NONE)
        return tuple(row), breaks

    def _number(self, pair: tuple[int, Reading]) -> int:
        found = self.numbers.get(pair)
        if found is None:
            check_states(len(self.numbers), self.partition.size, "the automaton of the soft rules")
            found = self.numbers[pair] = len(self.numbers) + 1
            self.queue.append(pair)
        return found

    def _ends(self) -> dict[int, int]:
        ends = {}
        for (state, reading), number in self.numbers.items():
            if state in self.woven.ends:
                cost = 0 if self.follower.is_met(reading) else self.level
                ends[number] = max(self.woven.ends[state], cost)
        return ends


def _plainly(row: Sequence[int], breaks: list[Broken], levels: Sequence[int]) -> tuple[Broken, ...]:
    """What characters break, without rules that the same characters break as a dearer one."""
    rules = frozenset().union(*breaks)
    if len(rules) < 2:
        return tuple(breaks)
    dearest: dict[tuple[bool, ...], int] = {}
    for rule in sorted(rules, key=lambda r: (levels[r], -r)):
        dearest[tuple([rule in broken for broken in breaks])] = rule
    kept = frozenset(dearest.values())
    return tuple(breaks) if kept == rules else tuple([broken & kept for broken in breaks])


def _minimal(woven: Woven) -> Woven:
    """The least automaton that says the same of every text, and the coarsest alphabet."""
    kinds = [(woven.broken[s], woven.ends.get(s)) if s else None for s in range(len(woven.table))]
    sources: list[set[int]] = [set() for _ in woven.table]
    for state, row in enumerate(woven.table):
        for target in set(row):
            sources[target].add(state)
    block = refine(woven.table, sources, kinds)
    first: dict[int, int] = {}
    for state, number in enumerate(block):
        first.setdefault(number, state)
    return _numbered(woven, block, first)


def _numbered(woven: Woven, block: list[int], first: dict[int, int]) -> Woven:
    """One state for each block, numbered breadth first; classes that are nowhere told apart become one."""
    numbers = {DEAD: DEAD, block[woven.start]: 1}
    queue = [DEAD, block[woven.start]]
    table: list[tuple[int, ...]] = []
    for number in queue:
        row = [block[t] for t in woven.table[first[number]]]
        for target in row:
            if target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
        table.append(tuple([numbers[t] for t in row]))
    broken = [woven.broken[first[number]] for number in queue]
    columns = zip(zip(*table, strict=True), zip(*broken, strict=True), strict=True)
    partition, kept = woven.partition.merged(columns)
    return Woven(
        partition,
        tuple(tuple(row[c] for c in kept) for row in table),
        tuple(tuple(row[c] for c in kept) for row in broken),
        {numbers[n]: woven.ends[first[n]] for n in queue if first[n] in woven.ends},
        1,
    )
