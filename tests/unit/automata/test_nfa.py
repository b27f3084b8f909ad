"""Nondeterministic automata, piece by piece."""

from __future__ import annotations

from langc.compiler.automata.determinize import determinize
from langc.compiler.automata.nfa import NfaBuilder
from tests.unit.automata.machines import AB, ENDS_IN_B, IS_A, IS_B, NOTHING, codes, dfa_ab


def test_edges_and_epsilons() -> None:
    """`a` or the empty text, then `b`."""
    builder = NfaBuilder(AB)
    whole = builder.fragment()
    middle = builder.state()
    builder.edge(whole.start, (IS_A,), middle)
    builder.join(whole.start, middle)
    builder.edge(middle, (IS_B,), whole.end)
    dfa = determinize(builder.finish(whole))

    assert {w: dfa.accepts(codes(w)) for w in ("", "a", "b", "ab", "bb")} == {
        "": False,
        "a": False,
        "b": True,
        "ab": True,
        "bb": False,
    }


def test_embedding_copies_the_language() -> None:
    """A DFA between two fragments of its own, and twice in one automaton."""
    builder = NfaBuilder(AB)
    whole, first, second = builder.fragment(), builder.embed(ENDS_IN_B), builder.embed(ENDS_IN_B)
    builder.join(whole.start, first.start)
    builder.join(first.end, second.start)
    builder.join(second.end, whole.end)
    dfa = determinize(builder.finish(whole))

    assert [w for w in ("", "b", "bb", "abab", "ab", "bba") if dfa.accepts(codes(w))] == ["bb", "abab"]


def test_embedding_leaves_traps_and_the_empty_language_out() -> None:
    """States without a future are not copied; an empty language joins nothing."""
    builder = NfaBuilder(AB)
    trap = builder.embed(dfa_ab({1: (2, 3), 2: (0, 0), 3: (3, 3)}, {2}))
    states = len(builder.finish(trap).edges)
    nothing = NfaBuilder(NOTHING.partition)

    assert states == 4
    assert determinize(nothing.finish(nothing.embed(NOTHING))).is_empty
