"""Subset construction and its budget."""

from __future__ import annotations

import pytest

from langc.compiler.automata import budget
from langc.compiler.automata import nfa as nfa_module
from langc.compiler.automata.build import build_dfa, build_nfa
from langc.compiler.automata.determinize import determinize
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Language, alternation, concat, literal, repetition
from langc.compiler.limits import MAX_DFA_STATES

LETTER = alternation(literal("a"), literal("b"))


def nth_from_the_end(n: int) -> Language:
    """`(a|b)*a(a|b){n}`: its least automaton has 2 ** (n + 1) states beside the dead one."""
    return concat(repetition(LETTER), literal("a"), repetition(LETTER, n, n))


def test_subsets_of_a_small_automaton() -> None:
    """`(a|b)*a(a|b){2}` needs all eight histories of the last three letters."""
    dfa = build_dfa(nth_from_the_end(2))

    assert dfa.size == 9
    assert dfa.accepts(map(ord, "babb"))
    assert not dfa.accepts(map(ord, "abbb"))


@pytest.mark.parametrize(("limit", "fits"), [(-1, False), (0, True), (1, True)])
def test_the_budget_of_states(monkeypatch: pytest.MonkeyPatch, limit: int, fits: bool) -> None:
    """One state less than the construction needs is too few."""
    nfa = build_nfa(nth_from_the_end(3))
    needed = determinize(nfa).size - 1  # the dead state is free
    monkeypatch.setattr(budget, "MAX_DFA_STATES", needed + limit)
    if fits:
        assert determinize(nfa).size == needed + 1
    else:
        with pytest.raises(LimitError, match="LC0701"):
            determinize(nfa)


@pytest.mark.parametrize(("limit", "fits"), [(-1, False), (0, True), (1, True)])
def test_the_budget_of_nondeterministic_states(monkeypatch: pytest.MonkeyPatch, limit: int, fits: bool) -> None:
    """The same for the automaton before it."""
    needed = len(build_nfa(nth_from_the_end(3)).edges)
    monkeypatch.setattr(nfa_module, "MAX_NFA_STATES", needed + limit)
    if fits:
        assert len(build_nfa(nth_from_the_end(3)).edges) == needed
    else:
        with pytest.raises(LimitError, match="LC0701"):
            build_nfa(nth_from_the_end(3))


@pytest.mark.parametrize(("limit", "fits"), [(-1, False), (0, True), (1, True)])
def test_the_budget_of_transitions(monkeypatch: pytest.MonkeyPatch, limit: int, fits: bool) -> None:
    """States times classes: one cell less than the table needs is too few."""
    nfa = build_nfa(nth_from_the_end(3))
    needed = (determinize(nfa).size - 1) * nfa.partition.size
    monkeypatch.setattr(budget, "MAX_TABLE_CELLS", needed + limit)
    if fits:
        assert (determinize(nfa).size - 1) * nfa.partition.size == needed
    else:
        with pytest.raises(LimitError, match="LC0701"):
            determinize(nfa)


def test_the_budget_of_subsets(monkeypatch: pytest.MonkeyPatch) -> None:
    """`(a*b?){n}` has few states but each stands for a set of nearly all; what these hold is bounded too."""
    monkeypatch.setattr(budget, "MAX_SUBSET_MEMBERS", 20_000)
    part = concat(repetition(literal("a")), repetition(literal("b"), 0, 1))

    assert build_dfa(repetition(part, 10, 10)).size == 12
    with pytest.raises(LimitError, match="members of the state sets"):
        build_dfa(repetition(part, 100, 100))


def test_an_exponential_language_is_refused() -> None:
    """Case D16: 32,768 states are over the budget; it takes a second to find out."""
    with pytest.raises(LimitError) as refused:
        build_dfa(nth_from_the_end(14))

    assert f"{MAX_DFA_STATES:,}" in str(refused.value)


@pytest.mark.slow
def test_a_huge_bound_is_refused() -> None:
    """`a{0,1000000000}` runs into the budget of nondeterministic states after a second."""
    for least, most in ((0, 10**9), (10**9, None)):
        with pytest.raises(LimitError, match="LC0701"):
            build_dfa(repetition(literal("a"), least, most))
