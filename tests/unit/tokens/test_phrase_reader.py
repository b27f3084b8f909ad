"""Phrases read a character at a time: states, boundaries, and what occurrences in progress become."""

from __future__ import annotations

import pytest

from langc.compiler.automata.phrase_reader import MATCHED, PhraseReader
from langc.compiler.automata.phrases import ROOT
from langc.compiler.ir.phrases import Phrase, Side
from langc.compiler.unicode.folding import Folding, Space

WORD = Side.WORD
LOOSE = Folding(case=True, invisible=True, space=Space.RUN)
ASS = Phrase("ass", LOOSE, WORD, WORD)


def matches(phrase: Phrase, text: str) -> bool:
    """Whether the phrase has occurred once the text is read, its end not taken for a boundary."""
    reader = PhraseReader([phrase])
    return reader.run(reader.start, text) == MATCHED


@pytest.mark.parametrize("text", ["ass ", "ASS.", "a\u200bss\n", "kick ass!", "Ａ ass-"])
def test_a_phrase_is_complete_with_its_boundary(text: str) -> None:
    """White space, signs and the invisible are boundaries of a word."""
    assert matches(ASS, text)


@pytest.mark.parametrize("text", ["ass", "assassin ", "class ", "ass1 ", "ass_ ", "as s ", "ass\u0301 ", "ass\u034f"])
def test_a_phrase_is_not_complete(text: str) -> None:
    """It waits, or letters, digits, marks and `_` stand beside it."""
    assert not matches(ASS, text)


def test_what_bars_may_be_passed_over_too() -> None:
    """A combining grapheme joiner is a mark, and dropped: behind it the occurrence ends once more."""
    assert matches(ASS, "ass\u034f ")
    assert not matches(ASS, "ass\u034fa ")


def test_without_a_boundary_nothing_waits() -> None:
    """The last character completes the phrase."""
    assert matches(Phrase("ass"), "class")


def test_equal_numbers_have_equal_futures() -> None:
    """Texts with the same characters before them and nothing in progress lead to one state."""
    reader = PhraseReader([ASS])

    assert reader.run(reader.start, "x, ") == reader.run(reader.start, " ") == reader.start
    assert reader.run(reader.start, "xyz") == reader.run(reader.start, "b")
    assert reader.run(reader.start, "b") != reader.start


def test_an_occurrence_that_has_not_begun_is_no_thread() -> None:
    """Behind a dropped character everything can still begin, as before it."""
    reader = PhraseReader([ASS])

    assert reader.run(reader.start, "\u200b\u200b") == reader.start


def test_bars_are_those_of_what_waits() -> None:
    """Only a complete phrase waits."""
    reader = PhraseReader([ASS])

    assert reader.bars(reader.run(reader.start, "as")) == []
    assert reader.bars(reader.run(reader.start, "ass")) == [ASS.right_bars]


def test_starts_are_all_boundaries_there_are() -> None:
    """Behind a letter, and behind anything else."""
    assert PhraseReader([ASS]).starts == [frozenset({0}), frozenset()]


@pytest.mark.parametrize(
    ("prefix", "text", "expected"),
    [("as", "s ", True), ("as", "s", False), ("as", "sa ", False), ("as", " ass ", False), ("ass", " ", True)],
)
def test_carrying_on_one_occurrence(prefix: str, text: str, expected: bool) -> None:
    """What begins later is not looked at."""
    reader = PhraseReader([ASS])
    (thread,) = reader.states[reader.run(reader.start, prefix)][1]

    assert thread[1] != ROOT
    assert reader.carries(thread, text) == expected
