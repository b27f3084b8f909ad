"""The smart constructors: what they simplify, and what they refuse."""

from __future__ import annotations

import pytest

from langc.compiler.ir.language import (
    ANY_TEXT,
    EMPTY,
    FAIL,
    Alternation,
    Class,
    Complement,
    Concat,
    Cover,
    Intersection,
    Language,
    PhraseFree,
    Repetition,
    Scoped,
    Stopped,
    alternation,
    children,
    class_,
    complement,
    concat,
    cover,
    intersection,
    literal,
    phrase_free,
    repetition,
    stopped,
)
from langc.compiler.ir.phrases import Phrase
from langc.compiler.unicode.folding import Folding
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

A, B = (Class(IntervalSet.of(c)) for c in "ab")
STAR = Repetition(A, 0, None)


@pytest.mark.parametrize(
    ("built", "expected"),
    [
        (class_(IntervalSet.of((0xD7FF, 0xE000))), Class(IntervalSet.of(0xD7FF, 0xE000))),
        (class_(IntervalSet.of((0xD800, 0xDFFF))), FAIL),
        (literal(""), EMPTY),
        (literal("a"), A),
        (literal("ab"), Concat((A, B))),
        (concat(), EMPTY),
        (concat(A), A),
        (concat(A, EMPTY), A),
        (concat(A, FAIL), FAIL),
        (concat(concat(A, B), A), Concat((A, B, A))),
        (alternation(), FAIL),
        (alternation(A), A),
        (alternation(A, A), A),
        (alternation(A, B), Class(IntervalSet.of("ab"))),
        (alternation(FAIL, STAR), STAR),
        (alternation(STAR, A, B), Alternation((Class(IntervalSet.of("ab")), STAR))),
        (alternation(STAR, alternation(EMPTY, STAR)), Alternation((STAR, EMPTY))),
        (repetition(A, 0, 0), EMPTY),
        (repetition(A, 1, 1), A),
        (repetition(A, 2, 3), Repetition(A, 2, 3)),
        (repetition(EMPTY, 3), EMPTY),
        (repetition(FAIL), EMPTY),
        (repetition(FAIL, 1), FAIL),
        (repetition(STAR, 2, 5), STAR),
        (intersection(), ANY_TEXT),
        (intersection(STAR), STAR),
        (intersection(STAR, STAR), STAR),
        (intersection(STAR, FAIL), FAIL),
        (intersection(STAR, A), Intersection((STAR, A))),
        (complement(complement(A)), A),
        (complement(A), Complement(A)),
        (cover(IntervalSet.of((0xD000, 0xDFFF)), ("b", "a", "b")), Cover(IntervalSet.of((0xD000, 0xD7FF)), ("a", "b"))),
    ],
)
def test_simplification(built: Language, expected: Language) -> None:
    """Each constructor with what it must not keep."""
    assert built == expected


@pytest.mark.parametrize(("least", "most"), [(-1, None), (2, 1), (-1, 0)])
def test_bounds_that_make_no_sense(least: int, most: int | None) -> None:
    """They are the caller's mistake."""
    with pytest.raises(ValueError, match="repetition bounds"):
        repetition(A, least, most)


def test_an_empty_term_is_refused() -> None:
    """It would stand everywhere and cover nothing."""
    with pytest.raises(ValueError, match="empty"):
        cover(SCALARS, ("a", ""))


NOTHING = Phrase("\u200b", Folding(invisible=True))


@pytest.mark.parametrize("phrases", [[Phrase("")], [NOTHING], [Phrase("a"), NOTHING]])
def test_a_phrase_of_nothing_is_refused(phrases: list[Phrase]) -> None:
    """It would occur everywhere."""
    with pytest.raises(ValueError, match="folds to nothing"):
        phrase_free(phrases)
    with pytest.raises(ValueError, match="folds to nothing"):
        stopped(A, phrases)


def test_phrases_are_sorted_and_distinct() -> None:
    """The same set of phrases is the same language."""
    a, b, ignoring = Phrase("a"), Phrase("b"), Phrase("a", Folding(case=True))

    assert phrase_free([b, a, b]) == phrase_free([a, b]) == PhraseFree((a, b))
    assert stopped(A, [b, a, b]) == Stopped(A, (a, b))
    assert phrase_free([a, ignoring]) == phrase_free([ignoring, a])
    assert phrase_free([]) == ANY_TEXT
    assert stopped(A, []) == A


def test_the_characters_of_a_cover() -> None:
    """Those that some text holds, and those that are texts by themselves."""
    a, bc, d = IntervalSet.of("a"), IntervalSet.of("bc"), IntervalSet.of("d")
    whole = Cover(a, ("xy", "z"), ((bc, d), (d,)))

    assert whole.letters == IntervalSet.of("abcdxyz")
    assert whole.singles == IntervalSet.of("adz")


def test_children() -> None:
    """The direct parts of every kind of node."""
    assert children(Concat((A, B))) == (A, B)
    assert children(Alternation((A, STAR))) == (A, STAR)
    assert children(Intersection((A, STAR))) == (A, STAR)
    assert children(STAR) == children(Complement(A)) == (A,)
    assert children(Stopped(A, (Phrase("x"),))) == (A,)
    assert children(Scoped(STAR, (A, B))) == (STAR, A, B)
    assert children(PhraseFree((Phrase("x"),))) == ()
    assert children(A) == children(Cover(SCALARS, ("ab",))) == ()
