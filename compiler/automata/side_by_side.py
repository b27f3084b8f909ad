"""Two automata in one table, neither of which leads into the other."""

from __future__ import annotations

from langc.compiler.automata.dfa import DEAD, Dfa


def side_by_side(one: Dfa, other: Dfa) -> tuple[Dfa, int]:
    """The first automaton with the states of the second behind its own, and the start of the second there."""
    partition, of_one, of_other = one.partition.refine(other.partition)
    moved = [DEAD, *range(one.size, one.size + other.size - 1)]
    table = [tuple(row[c] for c in of_one) for row in one.table]
    table += [tuple(moved[row[c]] for c in of_other) for row in other.table[1:]]
    accepting = one.accepting | {moved[s] for s in other.accepting}
    return Dfa(partition, tuple(table), accepting, one.start), moved[other.start]
