"""Languages whose texts end where a phrase does."""

from __future__ import annotations

import pytest

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD
from langc.compiler.ir.language import ANY_TEXT, Language, concat, cover, literal, repetition, stopped
from langc.compiler.ir.phrases import Phrase, Side
from langc.compiler.unicode.folding import Folding
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

NOTE = concat(literal("("), cover(SCALARS - IntervalSet.of(")")), literal(")"))
"""One note in parentheses, which must be closed."""


def verdicts(language: Language, *texts: str) -> dict[str, str]:
    """`yes`, `open` if the text can still become permitted, or `dead`."""
    dfa = build_dfa(language)
    found = {}
    for text in texts:
        state = dfa.run(map(ord, text))
        found[text] = "yes" if state in dfa.accepting else "dead" if state == DEAD else "open"
    return found


def test_behind_the_phrase_nothing_follows() -> None:
    """Without it the language is as it was."""
    language = stopped(ANY_TEXT, [Phrase("END")])

    assert verdicts(language, "", "EN", "so END", "END", "END ", "ENDEND") == {
        **dict.fromkeys(("", "EN", "so END", "END"), "yes"),
        **dict.fromkeys(("END ", "ENDEND"), "dead"),
    }


def test_a_text_that_is_not_whole_may_end_there() -> None:
    """A stop is stronger than what has to be closed."""
    language = stopped(NOTE, [Phrase("!")])

    assert verdicts(language, "(a)", "(a!", "(", "(a", "!", "(a!)", "(a)!", "x!") == {
        **dict.fromkeys(("(a)", "(a!"), "yes"),
        **dict.fromkeys(("(", "(a"), "open"),
        **dict.fromkeys(("!", "(a!)", "(a)!", "x!"), "dead"),
    }


def test_the_phrase_itself_must_be_permitted() -> None:
    """What the language never holds cannot stop it."""
    assert verdicts(stopped(cover(IntervalSet.of("ab")), [Phrase("END")]), "ab", "aEND") == {
        "ab": "yes",
        "aEND": "dead",
    }


def test_only_beginnings_of_permitted_texts_end_so() -> None:
    """Another character before the phrase, or too few, and no text of the language could have gone on."""
    language = stopped(concat(literal("a"), repetition(literal("b"), 1)), [Phrase("b")])

    assert verdicts(language, "a", "ab", "abb", "axb", "b") == {
        "a": "open",
        "ab": "yes",
        **dict.fromkeys(("abb", "axb", "b"), "dead"),
    }


@pytest.mark.parametrize(
    ("text", "expected"), [("the end", "yes"), ("ending", "yes"), ("the end.", "dead"), ("endings end", "yes")]
)
def test_a_boundary(text: str, expected: str) -> None:
    """A longer word goes on; what would make the end certain is refused instead."""
    assert verdicts(stopped(ANY_TEXT, [Phrase("END", Folding(case=True), right=Side.WORD)]), text) == {text: expected}


def test_of_two_phrases_the_first_end_counts() -> None:
    """Wherever the other one began."""
    language = stopped(ANY_TEXT, [Phrase("abcd"), Phrase("bc")])

    assert verdicts(language, "abc", "abcd", "ab") == {"abc": "yes", "abcd": "dead", "ab": "yes"}


def test_without_phrases_nothing_changes() -> None:
    """No node stands for no stop."""
    assert stopped(NOTE, []) == NOTE
