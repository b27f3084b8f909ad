"""Complement, intersection, union and difference by the product construction.

The two automata may have different partitions; the product's is their common refinement.
"""

from __future__ import annotations

from collections.abc import Callable

from langc.compiler.automata.budget import check_states
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import IntervalSet

Verdict = Callable[[bool, bool], bool]


def universal(alphabet: IntervalSet) -> Dfa:
    """The automaton of every sequence over the alphabet."""
    return Dfa(Partition.of(alphabet), ((DEAD,), (1,)), frozenset({1}), 1)


def complement(dfa: Dfa) -> Dfa:
    """Every sequence over the alphabet that `dfa` refuses."""
    return difference(universal(dfa.partition.alphabet), dfa)


def intersection(left: Dfa, right: Dfa) -> Dfa:
    """What both accept."""
    return product(left, right, lambda a, b: a and b)


def union(left: Dfa, right: Dfa) -> Dfa:
    """What either accepts."""
    return product(left, right, lambda a, b: a or b)


def difference(left: Dfa, right: Dfa) -> Dfa:
    """What `left` accepts and `right` refuses."""
    return product(left, right, lambda a, b: a and not b)


def product(left: Dfa, right: Dfa, verdict: Verdict) -> Dfa:
    """Both at once; accepting by `verdict`, which must refuse (False, False).

    Raises LimitError when the budget of states is spent.
    """
    partition, of_left, of_right = left.partition.refine(right.partition)
    classes = list(zip(of_left, of_right, strict=True))
    dead, start = (DEAD, DEAD), (left.start, right.start)
    numbers = {dead: DEAD}
    numbers.setdefault(start, 1)
    queue = [start] if start != dead else []
    table: list[tuple[int, ...]] = [(DEAD,) * partition.size]
    for a, b in queue:
        row = []
        for i, j in classes:
            pair = (left.table[a][i], right.table[b][j])
            if pair not in numbers:
                check_states(len(numbers), partition.size)
                numbers[pair] = len(numbers)
                queue.append(pair)
            row.append(numbers[pair])
        table.append(tuple(row))
    accepting = frozenset(n for (a, b), n in numbers.items() if verdict(a in left.accepting, b in right.accepting))
    return Dfa(partition, tuple(table), accepting, numbers[start])
