"""Deterministic automata: running, edges, living states."""

from __future__ import annotations

from langc.compiler.automata.dfa import DEAD
from langc.compiler.unicode.intervals import IntervalSet
from tests.unit.automata.machines import ENDS_IN_B, EVEN_A, NOTHING, codes, dfa_ab


def test_accepts_reads_the_whole_sequence() -> None:
    """The verdict is the last state's, the empty text's is the start's."""
    verdicts = {text: EVEN_A.accepts(codes(text)) for text in ("", "a", "aa", "aba", "abab", "b")}

    assert verdicts == {"": True, "a": False, "aa": True, "aba": True, "abab": True, "b": True}


def test_step_outside_the_alphabet_is_dead() -> None:
    """A surrogate in a text leads nowhere, and is no error."""
    assert EVEN_A.step(1, 0xD800) == DEAD
    assert EVEN_A.step(1, -1) == DEAD
    assert not EVEN_A.accepts([0xDFFF])


def test_run_starts_where_it_is_told() -> None:
    """From a given state, or from the start; from the dead state it stays dead."""
    assert ENDS_IN_B.run(codes("ab")) == 2
    assert EVEN_A.run(codes("ab"), 2) == 1
    assert EVEN_A.run(codes("ab"), DEAD) == DEAD


def test_edges_join_classes_by_target_and_skip_the_dead_state() -> None:
    """One edge a target, ordered by least symbol."""
    loop = dfa_ab({1: (1, 1)}, {1})

    assert list(loop.edges(1)) == [(IntervalSet.of("ab"), 1)]
    assert list(EVEN_A.edges(1)) == [(IntervalSet.of("a"), 2), (IntervalSet.of("b"), 1)]
    assert list(EVEN_A.edges(DEAD)) == []


def test_live_states_are_those_with_a_future() -> None:
    """State 3 can never be left and does not accept; the dead state is not alive."""
    trap = dfa_ab({1: (2, 3), 2: (0, 0), 3: (3, 3)}, {2})

    assert trap.live == {1, 2}
    assert not trap.is_empty


def test_empty_language() -> None:
    """An automaton whose start has no future is empty, even if some state accepts."""
    unreachable = dfa_ab({1: (1, 1), 2: (2, 2)}, {2})

    assert NOTHING.is_empty
    assert unreachable.is_empty
