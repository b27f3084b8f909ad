"""Languages with borders: each stretch is held to its own scope, and the borders go."""

from __future__ import annotations

import pytest

from langc.compiler.automata.build import build_dfa
from langc.compiler.ir.borders import enter, leave
from langc.compiler.ir.language import (
    ANY_TEXT,
    FAIL,
    Language,
    Scoped,
    class_,
    concat,
    cover,
    literal,
    phrase_free,
    repetition,
)
from langc.compiler.ir.phrases import Phrase
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

INNER = repetition(class_(SCALARS - IntervalSet.of("()")))
REGION = concat(leave(0), literal("("), enter(1), INNER, leave(1), literal(")"), enter(0))
NOTES = concat(INNER, repetition(concat(REGION, INNER)))
"""Text with notes in parentheses, which hold none of their own."""
A = cover(IntervalSet.of("a"))
B = cover(IntervalSet.of("b"))
PAIRS = repetition(literal("aa"))


def accepted(language: Language, *texts: str) -> list[str]:
    """Those of the texts that are in the language."""
    dfa = build_dfa(language)
    return [text for text in texts if dfa.accepts(map(ord, text))]


TEXTS = ("", "a", "b", "()", "(b)", "(a)", "a(b)a", "a(bb)aa(b)", "(b", "b)", "((b))", "(b)b")


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (A, B, ("", "a", "()", "(b)", "a(b)a", "a(bb)aa(b)")),
        (A, ANY_TEXT, ("", "a", "()", "(b)", "(a)", "a(b)a", "a(bb)aa(b)")),
        (ANY_TEXT, B, ("", "a", "b", "()", "(b)", "a(b)a", "a(bb)aa(b)", "(b)b")),
        (ANY_TEXT, ANY_TEXT, ("", "a", "b", "()", "(b)", "(a)", "a(b)a", "a(bb)aa(b)", "(b)b")),
        (A, literal("b"), ("", "a", "(b)", "a(b)a")),
        (A, FAIL, ("", "a")),
    ],
)
def test_each_stretch_is_in_its_scope(outer: Language, inner: Language, expected: tuple[str, ...]) -> None:
    """The delimiters are in none; where a scope permits no text at all there is no region."""
    assert accepted(Scoped(NOTES, (outer, inner)), *TEXTS) == list(expected)


def test_a_scope_starts_afresh_behind_every_border() -> None:
    """Nothing reaches across: a pair must be complete before the region, and a phrase is cut by it."""
    assert accepted(Scoped(NOTES, (PAIRS, ANY_TEXT)), "aa(x)", "a(x)a", "(x)aa", "aa(x)aaaa", "aa(x)a") == [
        *("aa(x)", "(x)aa", "aa(x)aaaa")
    ]
    assert accepted(Scoped(NOTES, (phrase_free([Phrase("aa")]), ANY_TEXT)), "aa", "a(x)a", "a(aa)") == [
        "a(x)a",
        "a(aa)",
    ]


def test_the_end_of_the_text_ends_its_stretch() -> None:
    """A scope must be content with what is last in it."""
    assert accepted(Scoped(NOTES, (PAIRS, ANY_TEXT)), "(x)a", "(x)") == ["(x)"]


def test_a_text_may_begin_inside() -> None:
    """Then its first stretch is in the scope that is said."""
    inside = concat(INNER, leave(1), literal(")"), enter(0), NOTES)

    assert accepted(Scoped(inside, (A, B), 1), "b)a", ")", "b)a(b)", "a)a", "b)b", "b", "") == ["b)a", ")", "b)a(b)"]


def test_scopes_that_permit_everything_cost_nothing() -> None:
    """The result is the structure without its borders."""
    bare = concat(INNER, repetition(concat(literal("("), INNER, literal(")"), INNER)))

    assert build_dfa(Scoped(NOTES, (ANY_TEXT, ANY_TEXT))) == build_dfa(bare)


def test_two_ways_to_read_a_text() -> None:
    """It is permitted if one of them is: borders are not seen in the text."""
    either = concat(ANY_TEXT, leave(0), enter(1), ANY_TEXT)

    assert accepted(Scoped(either, (A, B)), "", "ab", "aabb", "a", "b", "ba") == ["", "ab", "aabb", "a", "b"]


def test_more_scopes_than_two() -> None:
    """Each has borders of its own."""
    structure = concat(ANY_TEXT, leave(0), enter(1), ANY_TEXT, leave(1), enter(2), ANY_TEXT)
    language = Scoped(structure, (A, B, cover(IntervalSet.of("c"))))

    assert accepted(language, "abc", "aabbcc", "ac", "cb", "abca") == ["abc", "aabbcc", "ac"]
