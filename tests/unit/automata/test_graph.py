"""Graphs: what grammars and expressions are written from, by hand-worked cases."""

from __future__ import annotations

import pytest

from langc.compiler.automata import ambiguity
from langc.compiler.automata import cover_graph as module
from langc.compiler.automata.ambiguity import is_unambiguous
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.cover_graph import cover_graph
from langc.compiler.automata.eliminate import eliminate
from langc.compiler.automata.graph import Graph, dfa_graph
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Cover, alternation, class_, concat, cover, literal, repetition
from langc.compiler.unicode.intervals import IntervalSet

A, B, AB = (IntervalSet.of(s) for s in ("a", "b", "ab"))


def trie(base: str, *terms: str) -> Graph:
    """The graph of a cover."""
    language = cover(IntervalSet.of(base), terms)
    assert isinstance(language, Cover)
    return cover_graph(language)


def one(character: str) -> IntervalSet:
    """The set of one character."""
    return IntervalSet.of(character)


def test_a_set_is_one_state() -> None:
    """Without terms there is the root alone, with a loop."""
    assert trie("ab") == Graph((((AB, 0),),), frozenset({0}))


def test_terms_are_paths_back_to_the_root() -> None:
    """Inside a term there is one way on; its last character leads to the root."""
    root = ((A, 0), (one("x"), 1))

    assert trie("a", "xyz") == Graph((root, ((one("y"), 2),), ((one("z"), 0),)), frozenset({0}))


def test_a_term_that_begins_another_leads_both_ways() -> None:
    """Behind `xy` the root is one choice and going on with `xyz` the other."""
    root = ((A, 0), (one("x"), 1))

    assert trie("a", "xy", "xyz") == Graph((root, ((one("y"), 0), (one("y"), 2)), ((one("z"), 0),)), frozenset({0}))


def test_occurrences_that_overlap_follow_the_failure_links() -> None:
    """At the end of `xy` the `y` may be the beginning of `yx`, too, and the other way round."""
    root = ((one("x"), 1), (one("y"), 2))
    inside_xy = ((one("y"), 0), (one("y"), 2))
    inside_yx = ((one("x"), 0), (one("x"), 1))

    assert trie("", "xy", "yx") == Graph((root, inside_xy, inside_yx), frozenset({0}))


def patterned(base: str, terms: tuple[str, ...], *patterns: tuple[str, ...]) -> Graph:
    """The graph of a cover with patterns, each given as the characters of its sets."""
    language = cover(IntervalSet.of(base), terms, tuple(tuple(map(IntervalSet.of, p)) for p in patterns))
    assert isinstance(language, Cover)
    return cover_graph(language)


def test_patterns_are_paths_over_sets() -> None:
    """One state between the two sets of a pattern, and back to the root."""
    root = ((A, 0), (IntervalSet.of("xy"), 1))

    assert patterned("a", (), ("xy", "z")) == Graph((root, ((one("z"), 0),)), frozenset({0}))


def test_the_next_pattern_may_begin_inside_one() -> None:
    """The second character of an occurrence may be the first of another: all texts but those of one character."""
    assert patterned("", (), ("ab", "ab")) == Graph((((AB, 1),), ((AB, 0), (AB, 1))), frozenset({0}))


def test_terms_and_patterns_overlap_both_ways() -> None:
    """`xy` and then a pattern that its `y` begins, and a pattern whose last character begins `xy`."""
    assert build_dfa(eliminate(patterned("", ("xy",), ("y", "z"), ("w", "x")))) == build_dfa(
        repetition(
            alternation(literal("xy"), literal("yz"), literal("wx"), literal("xyz"), literal("wxy"), literal("wxyz"))
        )
    )


def test_what_leads_nowhere_is_left_out() -> None:
    """An occurrence that was guessed inside a pattern and cannot go on has no state."""
    graph = patterned("", (), ("ab", "a", "a"), ("a", "b", "b"))

    assert all(edges for edges in graph.edges)
    assert build_dfa(eliminate(graph)) == build_dfa(
        cover(IntervalSet(), (), tuple(tuple(map(IntervalSet.of, p)) for p in (("ab", "a", "a"), ("a", "b", "b"))))
    )


def test_paths_that_end_alike_are_one() -> None:
    """Characters that lead into the same rest share their states, and so one edge."""
    assert trie("", "xz", "yz") == Graph((((IntervalSet.of("xy"), 1),), ((one("z"), 0),)), frozenset({0}))


def test_edges_to_one_target_are_one() -> None:
    """Characters that lead to the same state share an edge."""
    root = ((A, 0), (one("x"), 1))

    assert trie("a", "xb", "xc") == Graph((root, ((IntervalSet.of("bc"), 0),)), frozenset({0}))


def test_a_deterministic_automaton_keeps_its_order() -> None:
    """Living states come in breadth-first order from 0; the dead one is left out."""
    even = build_dfa(repetition(concat(class_(AB), class_(AB))))

    assert dfa_graph(even) == Graph((((AB, 1),), ((AB, 0),)), frozenset({0}), even.partition.members)


def test_a_thousand_terms_take_their_own_length() -> None:
    """The graph has no more states than the terms have characters, although the terms begin as plain text."""
    language = cover(
        IntervalSet(((0xAC00, 0xD7A3),)), tuple(f"{chr(0xAC00 + n)}({chr(0x4E00 + n)})" for n in range(1000))
    )
    assert isinstance(language, Cover)
    graph = cover_graph(language)

    assert len(graph.edges) == 1 + 2 * 1000 + 1  # the last of the states inside a term is the same for all
    assert sum(map(len, graph.edges)) == 1 + 3 * 1000 + 1


@pytest.mark.parametrize(
    ("base", "terms", "unambiguous"),
    [
        ("a", (), True),
        ("a", ("xy", "yz"), True),  # xyz needs both; no other way
        ("a", ("xy", "xyz"), True),
        ("a", ("xy", "z", "xyz"), False),  # xyz alone, or xy and then z
        ("a", ("xy", "yx"), False),  # xyxy as two, or as three that overlap
        ("a", ("xx",), False),  # xxxx as two, or as three that overlap
        ("a", ("ax", "xa"), False),  # axa as either, with one a as text
        ("ab", ("ax", "bx"), True),
        ("a", ("ab", "aab"), False),  # aab as one, or a and then ab
    ],
)
def test_ambiguity(base: str, terms: tuple[str, ...], unambiguous: bool) -> None:
    """A graph is ambiguous iff some text has two paths."""
    assert is_unambiguous(trie(base, *terms)) == unambiguous


def test_deterministic_graphs_are_unambiguous() -> None:
    """One text, one path."""
    assert is_unambiguous(dfa_graph(build_dfa(cover(A, ("ax", "xa", "xx")))))


def test_two_ends_for_one_text_are_ambiguous() -> None:
    """Two paths need not meet again, if both are accepted."""
    apart = Graph((((A, 1), (AB, 2)), (), ()), frozenset({1, 2}))
    only_one = Graph((((A, 1), (AB, 2)), ((B, 2),), ()), frozenset({2}))

    assert not is_unambiguous(apart)
    assert is_unambiguous(only_one)


@pytest.mark.parametrize(("limit", "real"), [("MAX_NFA_STATES", 3), ("MAX_NFA_EDGES", 6)])
def test_limits(limit: str, real: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many states and edges as the limit are fine; one more is an error with the limit in it.

    `xy` and `yx` over nothing have three states, two edges from each.
    """
    monkeypatch.setattr(module, limit, real)
    trie("", "xy", "yx")
    monkeypatch.setattr(module, limit, real - 1)
    with pytest.raises(LimitError, match=f"limit is {real - 1}"):
        trie("", "xy", "yx")


def test_a_search_for_ambiguity_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the careful answer is given: the graph may be ambiguous."""
    graph = trie("a", "ax", "ay")

    assert is_unambiguous(graph)

    monkeypatch.setattr(ambiguity, "MAX_PAIRS", 1)

    assert not is_unambiguous(graph)
