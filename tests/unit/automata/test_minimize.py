"""The canonical automaton."""

from __future__ import annotations

import pytest

from langc.compiler.automata import minimize as module
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests.unit.automata.machines import EVEN_A, NOTHING, dfa_ab


def test_equal_states_become_one() -> None:
    """Two states with the same future, and one that nothing reaches."""
    wasteful = dfa_ab({1: (2, 3), 2: (3, 2), 3: (2, 3), 4: (4, 4)}, {2, 3, 4})
    least = dfa_ab({1: (2, 2), 2: (2, 2)}, {2})

    assert minimize(wasteful) == minimize(least)
    assert minimize(wasteful).size == 3


def test_classes_that_nothing_tells_apart_become_one() -> None:
    """The alphabet is cut no finer than the language needs."""
    either = minimize(dfa_ab({1: (2, 2)}, {2}))

    assert either.partition == Partition.of(SCALARS, (IntervalSet.of("ab"),))


def test_traps_become_the_dead_state() -> None:
    """A state without a future is state 0."""
    trap = minimize(dfa_ab({1: (2, 3), 2: (0, 0), 3: (3, 3)}, {2}))

    assert trap == minimize(dfa_ab({1: (2, 0)}, {2}))
    assert trap.table[DEAD] == (DEAD,) * trap.partition.size


def test_states_are_numbered_breadth_first() -> None:
    """The start is 1, and its targets follow in the order of their classes."""
    shuffled = dfa_ab({3: (1, 2), 1: (0, 3), 2: (2, 0)}, {2}, start=3)
    minimal = minimize(shuffled)

    assert minimal.start == 1
    assert [minimal.run(map(ord, w)) for w in ("a", "b")] == [2, 3]


def test_every_empty_language_is_the_same_object() -> None:
    """One dead state over one class, whatever the automaton looked like."""
    trap = dfa_ab({1: (1, 2), 2: (2, 1)}, set())

    assert minimize(trap) == minimize(NOTHING) == NOTHING


def test_minimal_automata_stay_as_they_are() -> None:
    """Minimizing twice changes nothing."""
    once = minimize(EVEN_A)

    assert minimize(once) == once


def test_a_long_chain_takes_short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A permitted term of 2,000 equal characters is told apart state by state: few are looked at each time."""
    size = 2_000
    partition = Partition.of(SCALARS, (IntervalSet.of("a"),))
    rows = ((DEAD, DEAD), *((DEAD, s + 1) for s in range(1, size)), (DEAD, DEAD))
    chain = Dfa(partition, rows, frozenset({size}), 1)
    looked_at = []
    real = module._signature

    def counted(table: module.Table, block: list[int], state: int) -> tuple[int, ...]:
        looked_at.append(state)
        return real(table, block, state)

    monkeypatch.setattr(module, "_signature", counted)

    assert minimize(chain) == chain
    assert len(looked_at) < 10 * size  # the quadratic method looks at size * size / 2
