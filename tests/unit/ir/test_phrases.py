"""Phrases by themselves: their atoms, and what may not stand beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from langc.compiler.ir.phrases import Phrase, Side, atoms_of, word_characters
from langc.compiler.unicode import properties
from langc.compiler.unicode.folding import Decomposition, Folding, Space

RUN = Folding(space=Space.RUN)
ANY = Folding(space=Space.ANY)
NFD = Folding(decomposition=Decomposition.CANONICAL)


def spelled(text: str, folding: Folding) -> str:
    """The atoms of a text as a text."""
    return "".join(map(chr, atoms_of(text, folding)))


@pytest.mark.parametrize(
    ("text", "run", "any_"),
    [
        ("a b", "a b", "ab"),
        ("a \t\n\u3000b", "a b", "ab"),
        (" a ", " a ", "a"),
        ("  ", " ", ""),
        ("", "", ""),
    ],
)
def test_runs_of_white_space(text: str, run: str, any_: str) -> None:
    """A run is one blank, at the ends too, or nothing."""
    assert spelled(text, RUN) == run
    assert spelled(text, ANY) == any_
    assert spelled(text, Folding()) == text


def test_a_run_reaches_over_what_is_dropped() -> None:
    """Blanks with something invisible between them are one run."""
    assert spelled("a \u200b b", replace(RUN, invisible=True)) == "a b"
    assert spelled("a \u200b b", RUN) == "a \u200b b"


def test_without_boundaries_anything_may_stand_beside() -> None:
    """Nothing bars a phrase by itself."""
    phrase = Phrase("admin")

    assert not phrase.left_bars
    assert not phrase.right_bars


@pytest.mark.parametrize("character", "aZé가漢あ1²Ⅳ_\u0301\u0903")
def test_characters_of_words(character: str) -> None:
    """Alphabetic characters, marks, numbers of all kinds and the low line bar a phrase."""
    phrase = Phrase("admin", left=Side.WORD, right=Side.WORD)

    assert ord(character) in word_characters()
    assert ord(character) in phrase.left_bars
    assert ord(character) in phrase.right_bars


@pytest.mark.parametrize("character", " -'.、。\u200b\u200d😀+")
def test_other_characters(character: str) -> None:
    """Blanks, punctuation, the invisible and signs are boundaries."""
    assert ord(character) not in word_characters()


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("AI", "Latin", "Latin"),
        ("AI 모델", "Latin", "Hangul"),
        ("3D 모델!", "Latin", "Hangul"),  # signs and digits belong to no one script
        ("«да»", "Cyrillic", "Cyrillic"),
        ("漢", "Han", "Han"),
    ],
)
def test_boundaries_of_a_script(text: str, left: str, right: str) -> None:
    """The first and the last letter of the phrase decide; letters of other scripts are boundaries."""
    phrase = Phrase(text, left=Side.SCRIPT, right=Side.SCRIPT)
    letters = {name: properties.lookup("Script", name) & properties.lookup(None, "L") for name in (left, right)}

    assert phrase.left_bars == letters[left]
    assert phrase.right_bars == letters[right]


def test_a_phrase_without_letters_has_no_script() -> None:
    """Then anything may stand beside it."""
    phrase = Phrase("24/7", left=Side.SCRIPT, right=Side.SCRIPT)

    assert not phrase.left_bars
    assert not phrase.right_bars


def test_early_drops_the_right_boundary_alone() -> None:
    """The left one is known when the phrase is complete."""
    late = Phrase("admin", left=Side.WORD, right=Side.WORD)
    early = replace(late, early=True)

    assert early.left_bars == late.left_bars
    assert not early.right_bars


@pytest.mark.parametrize(
    ("text", "bars", "free"),
    [
        ("e", "\u0301\u0327\u3099", "a e\u20dd\u0903"),  # of the last two marks the combining class is 0
        ("가", "\u11a8\u11c2\u0301", "\u11a7\u11c3\u1161가"),
        ("\u1100", "\u1161\u1175", "\u1160\u1176\u11a8"),
        ("각", "\u0301", "\u11a8\u11c2\u1161"),
    ],
)
@pytest.mark.parametrize("early", [False, True])
def test_under_normalization_what_would_compose_bars(text: str, bars: str, free: str, early: bool) -> None:
    """What comes next may belong to the last character: a mark, or the next jamo of a syllable."""
    phrase = Phrase(text, NFD, early=early)

    assert [c for c in bars if ord(c) not in phrase.right_bars] == []
    assert [c for c in free if ord(c) in phrase.right_bars] == []
    assert not phrase.left_bars


def test_a_phrase_of_nothing() -> None:
    """It has no atoms, and asking what stands beside it is no error."""
    phrase = Phrase("\u200b", replace(NFD, invisible=True))

    assert phrase.atoms == ()
    assert not phrase.right_bars


def test_keys_tell_phrases_apart() -> None:
    """Whatever differs, the key differs: it is what phrases are sorted by, and what the policy's hash sees."""
    folding = Folding()
    phrases = [
        Phrase("a"),
        Phrase("b"),
        Phrase("a", replace(folding, case=True)),
        Phrase("a", replace(folding, width=True)),
        Phrase("a", replace(folding, invisible=True)),
        *(Phrase("a", replace(folding, space=space)) for space in (Space.RUN, Space.ANY)),
        *(Phrase("a", replace(folding, decomposition=d)) for d in list(Decomposition)[1:]),
        *(Phrase("a", left=side) for side in (Side.WORD, Side.SCRIPT)),
        *(Phrase("a", right=side) for side in (Side.WORD, Side.SCRIPT)),
        Phrase("a", early=True),
    ]

    assert len({phrase.key for phrase in phrases}) == len(set(phrases)) == len(phrases)
