"""Subset construction (Rabin and Scott 1959), within a budget of states."""

from __future__ import annotations

from collections.abc import Iterable

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.nfa import Nfa
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_DFA_STATES, over_limit

Subset = frozenset[int]


def determinize(nfa: Nfa) -> Dfa:
    """A complete DFA of the same language. Raises LimitError past `MAX_DFA_STATES`."""
    closures = [_closure(nfa, (s,)) for s in range(len(nfa.edges))]
    start = closures[nfa.start]
    numbers: dict[Subset, int] = {frozenset(): DEAD, start: 1}
    queue = [start]
    table: list[tuple[int, ...]] = [(DEAD,) * nfa.partition.size]
    for subset in queue:
        row = [DEAD] * nfa.partition.size
        for number, target in _successors(nfa, closures, subset):
            if target not in numbers:
                if len(numbers) > MAX_DFA_STATES:
                    raise LimitError(over_limit("states of the automaton", MAX_DFA_STATES))
                numbers[target] = len(numbers)
                queue.append(target)
            row[number] = numbers[target]
        table.append(tuple(row))
    accepting = frozenset(n for s, n in numbers.items() if s & nfa.accepting)
    return Dfa(nfa.partition, tuple(table), accepting, 1)


def _closure(nfa: Nfa, states: Iterable[int]) -> Subset:
    seen = set(states)
    stack = list(seen)
    while stack:
        for target in nfa.epsilon[stack.pop()]:
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return frozenset(seen)


def _successors(nfa: Nfa, closures: list[Subset], subset: Subset) -> Iterable[tuple[int, Subset]]:
    by_class: dict[int, set[int]] = {}
    for state in subset:
        for number, target in nfa.edges[state]:
            by_class.setdefault(number, set()).update(closures[target])
    return ((number, frozenset(by_class[number])) for number in sorted(by_class))
