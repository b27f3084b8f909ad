"""From automata back to expressions, and how expressions are joined."""

from __future__ import annotations

import time

import pytest

from langc.compiler.automata import eliminate as module
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.eliminate import eliminate, plain
from langc.compiler.automata.graph import Graph, dfa_graph
from langc.compiler.automata.simplify import (
    Measure,
    either,
    in_a_row,
    is_nullable,
    optional,
    star,
    without_empty,
)
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import (
    ANY_TEXT,
    EMPTY,
    FAIL,
    Language,
    alternation,
    class_,
    complement,
    concat,
    cover,
    intersection,
    literal,
    repetition,
)
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

A, B, C = (literal(c) for c in "abc")
AB = class_(IntervalSet.of("ab"))


def test_a_chain_is_a_literal() -> None:
    """States with one way in and one out leave nothing but what was read."""
    assert eliminate(dfa_graph(build_dfa(literal("abc")))) == literal("abc")


def test_a_loop_is_a_repetition() -> None:
    """A state that accepts and loops is a star around its label."""
    assert eliminate(dfa_graph(build_dfa(repetition(AB)))) == repetition(AB)


def test_two_states_in_a_circle() -> None:
    """The inner state goes first, so the circle is one star."""
    graph = Graph((((IntervalSet.of("a"), 1),), ((IntervalSet.of("b"), 0),)), frozenset({0}))

    assert eliminate(graph) == repetition(literal("ab"))


def test_terms_stay_terms() -> None:
    """A cover is one loop over its set and its terms, with the common beginnings taken out."""
    language = cover(IntervalSet.of("a"), ("xyz", "xyw", "v"))
    expected = repetition(
        alternation(class_(IntervalSet.of("av")), concat(literal("xy"), class_(IntervalSet.of("wz"))))
    )

    assert plain(language) == expected


def test_plain_keeps_what_is_plain() -> None:
    """Concatenation, alternation and repetition are left as they were written."""
    written = concat(A, repetition(alternation(B, literal("cc")), 2, 5))

    assert plain(written) == written


@pytest.mark.parametrize(
    "language",
    [
        complement(literal("a")),
        intersection(repetition(AB), complement(concat(ANY_TEXT, literal("ab"), ANY_TEXT))),
        concat(cover(IntervalSet.of("a"), ("xy", "yx")), A),
        complement(EMPTY),
        intersection(A, B),
    ],
)
def test_complements_and_intersections_are_written_out(language: Language) -> None:
    """The expression has the language, and none of the operators that expressions lack."""
    expression = plain(language)

    assert build_dfa(expression) == build_dfa(language)
    assert "Complement" not in repr(expression)
    assert "Intersection" not in repr(expression)
    assert "Cover" not in repr(expression)


@pytest.mark.slow
def test_long_chains_are_joined_in_time() -> None:
    """One term of twenty thousand characters takes a second or two, not minutes."""
    term = "".join(chr(0x4E00 + n) for n in range(20_000))
    before = time.process_time()

    assert plain(cover(IntervalSet.of("a"), (term,))) == repetition(alternation(A, literal(term)))
    assert time.process_time() - before < 20


@pytest.mark.parametrize("limit", ["MAX_EXPRESSION_SIZE", "MAX_EXPRESSION_DEPTH"])
def test_limits(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An expression at the limit is fine; one past it is an error with the limit in it."""
    language = complement(repetition(literal("ab")))
    measure = Measure()
    expression = plain(language)
    real = measure.size(expression) if limit.endswith("SIZE") else measure.depth(expression)
    monkeypatch.setattr(module, limit, real)

    assert plain(language) == expression

    monkeypatch.setattr(module, limit, real - 1)
    with pytest.raises(LimitError, match=f"limit is {real - 1}"):
        plain(language)


def test_the_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """One part more than the budget, at it, and one part less."""
    graph = dfa_graph(build_dfa(complement(repetition(literal("ab")))))
    expected, work = eliminate(graph), _work(graph)
    for limit in (work + 1, work):
        monkeypatch.setattr(module, "MAX_ELIMINATION_WORK", limit)
        assert eliminate(graph) == expected
    monkeypatch.setattr(module, "MAX_ELIMINATION_WORK", work - 1)
    with pytest.raises(LimitError, match=f"limit is {work - 1}"):
        eliminate(graph)


def _work(graph: Graph) -> int:
    run = module._Elimination(graph, 50_000)
    run.run()
    return run.work


def test_a_hard_automaton_is_refused_in_time() -> None:
    """An expression may be exponentially larger than its automaton; the work stops at the limit."""
    pieces = [complement(concat(ANY_TEXT, literal(c * 2), ANY_TEXT)) for c in "abcdefghijkl"]
    with pytest.raises(LimitError):
        plain(intersection(repetition(class_(IntervalSet.of("abcdefghijkl"))), *pieces))


@pytest.mark.parametrize(
    ("parts", "joined"),
    [
        ([A, B], AB),
        ([literal("xa"), literal("xb")], concat(literal("x"), AB)),
        ([literal("ax"), literal("bx")], concat(AB, literal("x"))),
        ([literal("xay"), literal("xby")], concat(literal("x"), AB, literal("y"))),
        ([A, EMPTY], repetition(A, 0, 1)),
        ([EMPTY, EMPTY], EMPTY),
        ([A, A], A),
        ([literal("ab"), A], concat(A, repetition(B, 0, 1))),
        ([repetition(A, 1), EMPTY], repetition(A)),
        ([repetition(A), EMPTY], repetition(A)),
    ],
)
def test_either(parts: list[Language], joined: Language) -> None:
    """What alternatives begin or end with alike is written once; an option that is one already stays."""
    assert either(parts) == joined


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        (A, B, literal("ab")),
        (A, repetition(A), repetition(A, 1)),
        (literal("xab"), repetition(literal("ab")), concat(literal("x"), repetition(literal("ab"), 1))),
        (B, repetition(A), concat(B, repetition(A))),
        (EMPTY, repetition(A), repetition(A)),
        (A, EMPTY, A),
        (FAIL, A, FAIL),
    ],
)
def test_in_a_row(left: Language, right: Language, joined: Language) -> None:
    """One and then any number is one or more."""
    assert in_a_row(left, right) == joined


@pytest.mark.parametrize(
    ("part", "looped"),
    [
        (A, repetition(A)),
        (repetition(A, 0, 1), repetition(A)),
        (repetition(A, 1), repetition(A)),
        (repetition(A), repetition(A)),
        (repetition(A, 2, 3), repetition(repetition(A, 2, 3))),
        (alternation(repetition(A, 1), literal("bc")), repetition(alternation(A, literal("bc")))),
    ],
)
def test_star(part: Language, looped: Language) -> None:
    """A loop around a loop or an option is one loop."""
    assert star(part) == looped


@pytest.mark.parametrize(
    "language",
    [
        repetition(AB),
        repetition(literal("ab"), 0, 3),
        concat(repetition(A), repetition(B, 0, 1)),
        alternation(repetition(A), literal("bc")),
        repetition(alternation(repetition(A), literal("b"))),
        repetition(concat(repetition(A), repetition(B)), 2, 3),
        literal("ab"),
        repetition(A, 1),
        EMPTY,
        FAIL,
        optional(A),
    ],
)
def test_without_empty(language: Language) -> None:
    """Every text but the empty one is kept, and nothing in the expression can read the empty one."""
    nonempty = class_(SCALARS)
    without = without_empty(language)

    assert not is_nullable(without)
    assert build_dfa(without) == build_dfa(intersection(language, concat(nonempty, ANY_TEXT)))
