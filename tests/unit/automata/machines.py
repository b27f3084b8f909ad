"""Small automata for the tests, written down by hand."""

from __future__ import annotations

from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

A, B = ord("a"), ord("b")
AB = Partition.of(SCALARS, (IntervalSet.of("a"), IntervalSet.of("b")))
OTHER, IS_A, IS_B = (AB.class_of(ord(c)) for c in "zab")


def dfa_ab(rows: dict[int, tuple[int, int]], accepting: set[int], start: int = 1) -> Dfa:
    """`rows[state]` is (target on a, target on b); all else leads to the dead state."""
    table = [[0] * AB.size for _ in range(max([*rows, *accepting]) + 1)]
    for state, (on_a, on_b) in rows.items():
        table[state][IS_A], table[state][IS_B] = on_a, on_b
    return Dfa(AB, tuple(map(tuple, table)), frozenset(accepting), start)


EVEN_A = dfa_ab({1: (2, 1), 2: (1, 2)}, {1})
"""Texts of a and b with an even number of a."""

ENDS_IN_B = dfa_ab({1: (1, 2), 2: (1, 2)}, {2})
"""Texts of a and b whose last character is b."""

NOTHING = Dfa(Partition.of(SCALARS), ((0,),), frozenset(), 0)
"""The canonical automaton of the empty language."""


def codes(text: str) -> tuple[int, ...]:
    """The symbols of a text."""
    return tuple(map(ord, text))
