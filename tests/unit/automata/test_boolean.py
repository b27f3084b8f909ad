"""Products of two automata."""

from __future__ import annotations

import pytest

from langc.compiler.automata import budget
from langc.compiler.automata.boolean import complement, difference, intersection, union, universal
from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests.unit.automata.machines import ENDS_IN_B, EVEN_A, NOTHING, codes, dfa_ab

WORDS = ("", "a", "b", "ab", "ba", "aab", "abab", "bb", "z", "aaz")


def accepted(dfa: Dfa) -> list[str]:
    """Those of WORDS that the automaton accepts."""
    return [w for w in WORDS if dfa.accepts(codes(w))]


def test_the_four_operations() -> None:
    """Each on the same words."""
    assert accepted(EVEN_A) == ["", "b", "aab", "abab", "bb"]
    assert accepted(ENDS_IN_B) == ["b", "ab", "aab", "abab", "bb"]
    assert accepted(intersection(EVEN_A, ENDS_IN_B)) == ["b", "aab", "abab", "bb"]
    assert accepted(union(EVEN_A, ENDS_IN_B)) == ["", "b", "ab", "aab", "abab", "bb"]
    assert accepted(difference(EVEN_A, ENDS_IN_B)) == [""]
    assert accepted(complement(EVEN_A)) == ["a", "ab", "ba", "z", "aaz"]


def test_complement_of_all_and_nothing() -> None:
    """They are each other's complement, over every scalar value."""
    assert minimize(complement(NOTHING)) == minimize(universal(SCALARS))
    assert minimize(complement(universal(SCALARS))) == NOTHING


def test_different_partitions_are_refined() -> None:
    """One automaton knows only a, the other only b."""
    some_a = Dfa(Partition.of(SCALARS, (IntervalSet.of("a"),)), ((0, 0), (1, 2), (2, 2)), frozenset({2}), 1)
    some_b = Dfa(Partition.of(SCALARS, (IntervalSet.of("b"),)), ((0, 0), (1, 2), (2, 2)), frozenset({2}), 1)

    assert accepted(intersection(some_a, some_b)) == ["ab", "ba", "aab", "abab"]


@pytest.mark.parametrize(("limit", "fits"), [(3, False), (4, True), (5, True)])
def test_the_budget_of_states(monkeypatch: pytest.MonkeyPatch, limit: int, fits: bool) -> None:
    """The product has four states beside the dead one: one less is too few."""
    monkeypatch.setattr(budget, "MAX_DFA_STATES", limit)
    even_a = dfa_ab({1: (2, 1), 2: (1, 2)}, {1})
    starts = dfa_ab({1: (1, 2), 2: (1, 2)}, {2})
    if fits:
        assert intersection(even_a, starts).size == 5
    else:
        with pytest.raises(LimitError, match="LC0701"):
            intersection(even_a, starts)
