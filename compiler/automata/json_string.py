"""The automaton of `JsonString`: from the texts of a language to what they look like inside the quotes of JSON strings.

The states are those of the language, and for each the beginnings of the escapes that lead on from it. Beginnings with
the same ends are one state, whichever state they lead on from.
"""

from __future__ import annotations

from langc.compiler.automata.budget import check_states
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.ir.json_text import ESCAPED, SIGNS, SPELLINGS
from langc.compiler.unicode.intervals import SCALARS

Ways = tuple[tuple[str, int], ...]
"""What is left of each escape, and the state behind it."""


def json_string_dfa(values: Dfa) -> Dfa:
    """The automaton of the contents of the JSON strings with these values. Raises LimitError past the budget."""
    partition, of_values, _ = values.partition.refine(Partition.of(SCALARS, SIGNS))
    return _Construction(values, partition, of_values).run()


class _Construction:
    def __init__(self, values: Dfa, partition: Partition, of_values: tuple[int, ...]) -> None:
        self.values, self.partition, self.of_values = values, partition, of_values
        self.is_raw = [m.first() not in ESCAPED for m in partition.members]
        self.table: list[tuple[int, ...]] = []
        self.numbers: dict[Ways, int] = {}
        self.queue: list[Ways] = []

    def run(self) -> Dfa:
        values = self.values
        self.table = [self._row(state) if state in values.live else self._empty() for state in range(values.size)]
        for ways in self.queue:
            self.table.append(self._inside(ways))
        return Dfa(self.partition, tuple(self.table), values.accepting, values.start)

    def _row(self, state: int) -> tuple[int, ...]:
        """Of a state between two characters."""
        targets = self.values.table[state]
        row = [targets[c] if raw else DEAD for c, raw in zip(self.of_values, self.is_raw, strict=True)]
        behind = ((spelling[1:], self.values.step(state, ord(c))) for c, spelling in SPELLINGS.items())
        ways = tuple((rest, target) for rest, target in behind if target in self.values.live)
        row[self.partition.class_of(ord("\\"))] = self._number(ways) if ways else DEAD
        return tuple(row)

    def _inside(self, ways: Ways) -> tuple[int, ...]:
        """Of a state inside an escape."""
        row = list(self._empty())
        by_sign: dict[str, list[tuple[str, int]]] = {}
        for rest, target in ways:
            by_sign.setdefault(rest[0], []).append((rest[1:], target))
        for sign, found in by_sign.items():
            rest, target = found[0]
            row[self.partition.class_of(ord(sign))] = self._number(tuple(found)) if rest else target
        return tuple(row)

    def _number(self, ways: Ways) -> int:
        if ways not in self.numbers:
            number = self.values.size + len(self.queue)
            check_states(number, self.partition.size, "the automaton of the JSON strings")
            self.numbers[ways] = number
            self.queue.append(ways)
        return self.numbers[ways]

    def _empty(self) -> tuple[int, ...]:
        return (DEAD,) * self.partition.size
