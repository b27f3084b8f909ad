"""Automata that read every text of a language and say which bytes break a soft rule.

A soft rule's automaton is total: where it would die, it goes on behind the violating character (`recovery.py`). A byte
breaks a rule iff after it the violation can no longer be avoided and before it it could: the first byte after which
every way to finish the character breaks the rule. Of several rules that a byte breaks the largest cost counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from langc.compiler.automata.budget import check_states
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.lower import lower_states
from langc.compiler.automata.partition import Partition
from langc.compiler.automata.recovery import Recovery
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_COSTS, over_limit

Broken = frozenset[int]
"""Numbers of rules."""
NONE: Broken = frozenset()


@dataclass(frozen=True)
class SoftRule:
    """A cost in logits, and the automaton over code points of the texts that break nothing."""

    cost: float
    dfa: Dfa
    recovery: Recovery | None = None
    """How it goes on behind a violation; None is afresh."""

    def after(self, state: int, symbol: int) -> int:
        """The state behind a violating character."""
        return self.dfa.start if self.recovery is None else self.recovery.after(state, symbol)


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
    whole = _Product(hard, rules)
    level = _Levels(tuple(costs.index(rule.cost) for rule in rules))
    lowered = lower_states(whole.dfa)
    broken = [*whole.broken, *([NONE] * (lowered.size - len(whole.broken)))]
    inside = range(len(whole.broken), lowered.size)
    _settle(lowered, inside, broken)
    merged = [*whole.merged, *inside]
    levels = {
        (state, number): cost
        for state, row in enumerate(lowered.table)
        for number, target in enumerate(row)
        if target != DEAD and (cost := level.of(broken[target] - (broken[state] if state in inside else NONE)))
    }
    ends = {state: cost for state, unmet in whole.unmet.items() if (cost := level.of(unmet))}
    table = tuple(tuple(merged[t] for t in row) for row in lowered.table)
    boundary = frozenset(whole.unmet)
    dfa = Dfa(lowered.partition, table, boundary - ends.keys(), lowered.start)
    return SoftDfa(dfa, boundary, costs, levels, ends)


@dataclass(frozen=True)
class _Levels:
    by_rule: tuple[int, ...]

    def of(self, broken: Broken) -> int:
        """The largest level of the rules."""
        return max((self.by_rule[rule] for rule in broken), default=0)


class _Product:
    """The code point automaton and all rules at once, with a copy of a state for each set of rules broken on the way.

    All copies of a state have its row, so which rules were broken is known at the state that a character leads to.
    """

    def __init__(self, hard: Dfa, rules: Sequence[SoftRule]) -> None:
        self.hard, self.rules = hard, rules
        self.parts = [hard, *(rule.dfa for rule in rules)]
        self.partition, self.classes = _refined(self.parts)
        self.numbers: dict[tuple[tuple[int, ...], Broken], int] = {((DEAD,), NONE): DEAD}
        self.queue: list[tuple[tuple[int, ...], Broken]] = []
        start = self._number(tuple(part.start for part in self.parts), NONE)
        rows: dict[tuple[int, ...], tuple[int, ...]] = {}
        table = [(DEAD,) * self.partition.size]
        for state, _ in self.queue:
            if state not in rows:
                rows[state] = tuple(self._target(state, number) for number in range(self.partition.size))
            table.append(rows[state])
        first = {state: number for (state, _), number in reversed(self.numbers.items())}
        self.merged = [first[state] for state, _ in self.numbers]
        self.broken = [broken for _, broken in self.numbers]
        self.unmet = {n: self._unmet(s) for s, n in first.items() if s[0] in hard.accepting}
        """The states in which a text may end, each with the rules that its end breaks."""
        self.dfa = Dfa(self.partition, tuple(table), frozenset(self.unmet), start)

    def _number(self, state: tuple[int, ...], broken: Broken) -> int:
        key = (state, broken)
        if key not in self.numbers:
            check_states(len(self.numbers), self.partition.size, "the automaton of the soft rules")
            self.numbers[key] = len(self.numbers)
            self.queue.append(key)
        return self.numbers[key]

    def _target(self, state: tuple[int, ...], number: int) -> int:
        after = [part.table[s][of[number]] for part, s, of in zip(self.parts, state, self.classes, strict=True)]
        if after[0] not in self.hard.live:
            return DEAD
        broken = frozenset(n for n, rule in enumerate(self.rules) if after[n + 1] not in rule.dfa.live)
        symbol = self.partition.members[number].first()
        for n in broken:
            after[n + 1] = self.rules[n].after(state[n + 1], symbol)
        return self._number(tuple(after), broken)

    def _unmet(self, state: tuple[int, ...]) -> Broken:
        return frozenset(n for n, rule in enumerate(self.rules) if state[n + 1] not in rule.dfa.accepting)


def _refined(parts: Sequence[Dfa]) -> tuple[Partition, list[list[int]]]:
    """The common refinement, and the class of each part for each of its classes."""
    partition = reduce(lambda fine, part: fine.refine(part.partition)[0], parts[1:], parts[0].partition)
    firsts = [members.first() for members in partition.members]
    return partition, [[part.partition.class_of(symbol) for symbol in firsts] for part in parts]


def _settle(lowered: Dfa, inside: range, broken: list[Broken]) -> None:
    """Fill in which rules every way to finish a character breaks; at most three bytes are missing."""
    for _ in range(3):
        for state in inside:
            targets = {t for t in lowered.table[state] if t != DEAD}
            broken[state] = reduce(lambda a, b: a & b, (broken[t] for t in targets))
