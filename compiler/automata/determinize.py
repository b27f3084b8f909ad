"""Subset construction (Rabin and Scott 1959), within budgets of states and of what their sets hold."""

from __future__ import annotations

from langc.compiler.automata.budget import check_states, check_subsets
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.nfa import Nfa

Subset = frozenset[int]


def determinize(nfa: Nfa) -> Dfa:
    """A complete DFA of the same language. Raises LimitError when a budget is spent."""
    subsets = Subsets(nfa)
    start = subsets.closure(frozenset({nfa.start}))
    numbers: dict[Subset, int] = {frozenset(): DEAD, start: 1}
    queue = [start]
    table: list[tuple[int, ...]] = [(DEAD,) * nfa.partition.size]
    for subset in queue:
        row = [DEAD] * nfa.partition.size
        for number, target in subsets.successors(subset):
            if target not in numbers:
                check_states(len(numbers), nfa.partition.size)
                numbers[target] = len(numbers)
                queue.append(target)
            row[number] = numbers[target]
        table.append(tuple(row))
    accepting = frozenset(n for s, n in numbers.items() if s & nfa.accepting)
    return Dfa(nfa.partition, tuple(table), accepting, 1)


class Subsets:
    """Steps of subsets, counting what all of them hold together."""

    def __init__(self, nfa: Nfa) -> None:
        self.nfa = nfa
        self.members = 0
        self._closures: dict[Subset, Subset] = {}

    def successors(self, subset: Subset) -> list[tuple[int, Subset]]:
        """The classes that lead somewhere, each with the subset behind it."""
        by_class: dict[int, set[int]] = {}
        for state in subset:
            for number, target in self.nfa.edges[state]:
                by_class.setdefault(number, set()).add(target)
        return [(number, self.closure(frozenset(by_class[number]))) for number in sorted(by_class)]

    def closure(self, states: Subset) -> Subset:
        """The states, and all that can be reached from them for nothing."""
        found = self._closures.get(states)
        if found is None:
            found = self._closures[states] = frozenset(self._reach(states))
            self.members += len(states) + len(found)
            check_subsets(self.members)
        return found

    def _reach(self, states: Subset) -> set[int]:
        seen = set(states)
        stack = list(states)
        while stack:
            fresh = [t for t in self.nfa.epsilon[stack.pop()] if t not in seen]
            seen.update(fresh)
            stack.extend(fresh)
        return seen
