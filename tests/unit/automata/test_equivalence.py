"""Comparison with witnesses."""

from __future__ import annotations

import pytest

from langc.compiler.automata.equivalence import equivalent, only_in, readable, shortest
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests.unit.automata.machines import ENDS_IN_B, EVEN_A, NOTHING, A, B, codes, dfa_ab


def test_equivalent_looks_at_the_language_alone() -> None:
    """The same language in two shapes, and another."""
    wasteful = dfa_ab({1: (2, 3), 2: (1, 2), 3: (2, 1)}, {1, 3})

    assert equivalent(EVEN_A, wasteful)
    assert not equivalent(EVEN_A, ENDS_IN_B)


def test_only_in_gives_a_shortest_difference() -> None:
    """Each direction has its own."""
    assert only_in(EVEN_A, ENDS_IN_B) == ()
    assert only_in(ENDS_IN_B, EVEN_A) == codes("ab")
    assert only_in(EVEN_A, EVEN_A) is None


def test_shortest() -> None:
    """The empty sequence, one symbol, or None for the empty language."""
    assert shortest(EVEN_A) == ()
    assert shortest(ENDS_IN_B) == (B,)
    assert shortest(NOTHING) is None
    assert shortest(dfa_ab({1: (1, 1), 2: (2, 2)}, {2})) is None


@pytest.mark.parametrize(
    ("members", "chosen"),
    [
        (SCALARS, A),
        (SCALARS - IntervalSet.of((0x61, 0x7A)), ord("A")),
        (IntervalSet.of((0x30, 0x40)), ord("0")),
        (IntervalSet.of((0, 0x2F)), ord("!")),
        (IntervalSet.of((0x80, 0xFFFD)), 0xAC00),
        (IntervalSet.of((0x80, 0x9F)), 0x80),
    ],
)
def test_readable_prefers_what_people_can_read(members: IntervalSet, chosen: int) -> None:
    """Letters, digits, other ASCII, Hangul, and then whatever comes first."""
    assert readable(members) == chosen
