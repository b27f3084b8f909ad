"""Automata that read every text of a language and say which bytes break a soft rule.

A byte breaks a rule iff after it the violation can no longer be avoided and before it it could: the first byte after
which every way to finish the character breaks the rule. Of several rules that a byte breaks the largest cost counts.
Which characters break which rules is known from `woven.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.lower import lower_states
from langc.compiler.automata.soft_rule import SoftRule
from langc.compiler.automata.woven import NONE, Broken, Woven, weave
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_COSTS, over_limit


@dataclass(frozen=True)
class SoftDfa:
    """`dfa` reads bytes and accepts the texts whose end breaks nothing."""

    dfa: Dfa
    boundary: frozenset[int]
    """The states in which a text may end, at a cost where not accepting."""
    costs: tuple[float, ...] = (0.0,)
    """Ascending; a level is a place in it, and level 0 costs nothing."""
    levels: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """Of the (state, class) pairs that cost."""
    end_levels: Mapping[int, int] = field(default_factory=dict)
    """Of the states in which ending costs."""


def harden(dfa: Dfa) -> SoftDfa:
    """A byte automaton without soft rules."""
    return SoftDfa(dfa, dfa.accepting)


def soften(hard: Dfa, rules: Sequence[SoftRule]) -> SoftDfa:
    """The byte automaton of a code point automaton under soft rules. Raises LimitError past a budget."""
    costs = (0.0, *sorted({rule.cost for rule in rules}))
    if len(costs) > MAX_COSTS + 1:
        raise LimitError(over_limit("different costs of soft rules", MAX_COSTS))
    by_rule = _Levels(tuple(costs.index(rule.cost) for rule in rules))
    copies = _Copies(weave(hard, rules, by_rule.by_rule))
    lowered = lower_states(copies.dfa)
    broken = [*copies.broken, *([NONE] * (lowered.size - len(copies.broken)))]
    inside = range(len(copies.broken), lowered.size)
    _settle(lowered, inside, broken)
    merged = [*copies.merged, *inside]
    levels = {
        (state, number): cost
        for state, row in enumerate(lowered.table)
        for number, target in enumerate(row)
        if target != DEAD and (cost := by_rule.of(broken[target] - (broken[state] if state in inside else NONE)))
    }
    ends = {state: level for state, level in copies.ends.items() if level}
    table = tuple(tuple(merged[t] for t in row) for row in lowered.table)
    boundary = frozenset(copies.ends)
    dfa = Dfa(lowered.partition, table, boundary - ends.keys(), lowered.start)
    return SoftDfa(dfa, boundary, costs, levels, ends)


@dataclass(frozen=True)
class _Levels:
    by_rule: tuple[int, ...]

    def of(self, broken: Broken) -> int:
        """The largest level of the rules."""
        return max((self.by_rule[rule] for rule in broken), default=0)


class _Copies:
    """A woven automaton with a copy of a state for each set of rules that a character breaks on the way to it.

    All copies of a state have its row, so which rules were broken is known at the state that a character leads to.
    """

    def __init__(self, woven: Woven) -> None:
        self.numbers: dict[tuple[int, Broken], int] = {(DEAD, NONE): DEAD, (woven.start, NONE): 1}
        queue = [woven.start]
        rows: dict[int, tuple[int, ...]] = {}
        table = [(DEAD,) * woven.partition.size]
        for state in queue:
            if state not in rows:
                steps = zip(woven.table[state], woven.broken[state], strict=True)
                rows[state] = tuple(self._number(step, queue) for step in steps)
            table.append(rows[state])
        first = {state: number for (state, _), number in reversed(self.numbers.items())}
        self.merged = [first[state] for state, _ in self.numbers]
        self.broken = [broken for _, broken in self.numbers]
        self.ends = {first[state]: level for state, level in woven.ends.items()}
        """The states in which a text may end, each with the level of that."""
        self.dfa = Dfa(woven.partition, tuple(table), frozenset(self.ends), 1)

    def _number(self, step: tuple[int, Broken], queue: list[int]) -> int:
        if step not in self.numbers:
            self.numbers[step] = len(self.numbers)
            queue.append(step[0])
        return self.numbers[step]


def _settle(lowered: Dfa, inside: range, broken: list[Broken]) -> None:
    """Fill in which rules every way to finish a character breaks; at most three bytes are missing."""
    for _ in range(3):
        for state in inside:
            targets = {t for t in lowered.table[state] if t != DEAD}
            broken[state] = reduce(lambda a, b: a & b, (broken[t] for t in targets))
