"""The automata of texts without phrases, and of texts that end where a phrase does."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from langc.compiler.automata import budget
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD
from langc.compiler.automata.partition import Partition
from langc.compiler.automata.phrases import phrase_free_dfa, phrase_sets, stopping_dfa
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import phrase_free
from langc.compiler.ir.phrases import Phrase, Side
from langc.compiler.unicode.folding import Decomposition, Folding, Space
from langc.compiler.unicode.intervals import SCALARS

CASE = Folding(case=True)
RUN = Folding(space=Space.RUN)
ANY = Folding(space=Space.ANY)
INVISIBLE = Folding(invisible=True)
NFD = Folding(decomposition=Decomposition.CANONICAL)


def verdicts(phrases: Iterable[Phrase], texts: Iterable[str]) -> dict[str, str]:
    """Of each text: `free` of the phrases; `open` if only its end makes one certain; or `dead`."""
    dfa = build_dfa(phrase_free(phrases))
    found = {}
    for text in texts:
        state = dfa.run(map(ord, text))
        found[text] = "free" if state in dfa.accepting else "dead" if state == DEAD else "open"
    return found


def free(phrases: Iterable[Phrase], *texts: str) -> list[str]:
    """Those of the texts in which no phrase occurs."""
    return [text for text, verdict in verdicts(phrases, texts).items() if verdict == "free"]


def test_an_occurrence_ends_the_text() -> None:
    """Without a boundary the last character of a phrase is masked, wherever it stands."""
    assert verdicts([Phrase("ab")], ("", "a", "b", "ba", "ab", "aab", "xab", "a b", "abx")) == {
        **dict.fromkeys(("", "a", "b", "ba", "a b"), "free"),
        **dict.fromkeys(("ab", "aab", "xab", "abx"), "dead"),
    }


def test_phrases_overlap_and_hold_one_another() -> None:
    """What has begun later, or inside another, is not forgotten."""
    assert free([Phrase("aab")], "aaab", "aaaa", "aaxab", "aab") == ["aaaa", "aaxab"]
    assert free([Phrase("abc"), Phrase("b")], "ac", "abc", "b", "ab") == ["ac"]
    assert free([Phrase("abcd"), Phrase("bcx")], "abcx", "abc", "abcd", "bc") == ["abc", "bc"]


@pytest.mark.parametrize(
    ("phrase", "found", "not_found"),
    [
        ("ai", ("AI", "Ai", "xAIx"), ("A I", "1")),
        ("AI", ("ai",), ("a",)),
        ("ss", ("ß", "ẞ", "sſ", "sß", "ßs"), ("s", "s s")),
        ("as", ("As", "aſ"), ("aß", "ß")),  # no half of ß is a character
        ("ssx", ("ssx", "ßx", "sßx", "ssX"), ("ßsx", "sx")),  # ßsx: sssx and sx, but never ssx
        ("ß", ("ss", "SS", "ẞ", "ß"), ("s",)),
        ("fi", ("ﬁ", "FI"), ("ﬂ",)),
    ],
)
def test_case(phrase: str, found: tuple[str, ...], not_found: tuple[str, ...]) -> None:
    """An occurrence begins and ends between characters, however many letters one of them is."""
    assert free([Phrase(phrase, CASE)], *found, *not_found) == list(not_found)


@pytest.mark.parametrize(
    ("folding", "phrase", "found", "not_found"),
    [
        (RUN, "as an", ("as an", "as \t an", "as\u3000an", "as\nan"), ("asan", "as\u200ban", "as", "as ")),
        (RUN, " a", (" a", "\t\t a", "x a"), ("a", "xa", " ")),
        (RUN, "a ", ("a ", "a\t\t"), ("a", " a")),
        (RUN, " ", (" ", "\n", "a \t b"), ("a", "")),
        (ANY, "as an", ("asan", "a s\ta n", "as an"), ("as", "asn")),
        (ANY, "할 수", ("할수", "할 수", "할\u3000수"), ("할", "수할")),
        (INVISIBLE, "admin", ("ad\u200bmin", "\u00adadmin", "admi\ufe0fn"), ("ad min", "adm\u200bi")),
        (Folding(invisible=True, space=Space.RUN), "a b", ("a \u200b b", "a\u200b \u200bb"), ("a\u200bb",)),
        (RUN, "a b", ("a  b",), ("a \u200b b",)),
        (Folding(width=True), "GPU", ("ＧＰＵ", "GＰU"), ("gpu",)),
        (Folding(case=True, decomposition=Decomposition.COMPATIBILITY), "a1", ("𝐀①", "ａ¹"), ("a 1",)),
    ],
)
def test_what_is_looked_through(
    folding: Folding, phrase: str, found: tuple[str, ...], not_found: tuple[str, ...]
) -> None:
    """A text holds a phrase if some part of it has the same atoms."""
    assert free([Phrase(phrase, folding)], *found, *not_found) == list(not_found)


def test_what_is_dropped_before_a_phrase_is_no_neighbour() -> None:
    """An occurrence may begin behind it: a soft hyphen is no part of a word."""
    phrases = [Phrase("admin", INVISIBLE, left=Side.WORD)]

    assert free(phrases, "xadmin", "x\u00adadmin", "x\u00adxadmin") == ["xadmin", "x\u00adxadmin"]


@pytest.mark.parametrize(
    ("text", "word", "script"),
    [
        ("admin", "open", "open"),  # the end of the text is a boundary
        ("admin!", "dead", "dead"),
        ("admins", "free", "free"),
        ("adminé", "free", "free"),
        ("admin이", "free", "dead"),
        ("admin1", "free", "dead"),
        ("admin\u0301", "free", "dead"),  # a mark belongs to a word, and is no letter
        ("admin_", "free", "dead"),
        ("adminadmin", "open", "open"),
        ("admins admin", "open", "open"),
        ("admi", "free", "free"),
    ],
)
def test_a_right_boundary(text: str, word: str, script: str) -> None:
    """The next character decides, and masks itself; or the end of the text does, and is masked then."""
    sides = {side: verdicts([Phrase("admin", right=side)], [text])[text] for side in (Side.WORD, Side.SCRIPT)}

    assert sides == {Side.WORD: word, Side.SCRIPT: script}


@pytest.mark.parametrize(
    ("text", "word", "script"),
    [
        ("admin", "dead", "dead"),
        ("-admin", "dead", "dead"),
        ("xadmin", "free", "free"),
        ("관리admin", "free", "dead"),
        ("1admin", "free", "dead"),
        ("xadmin admin", "dead", "dead"),
        ("aadmin", "free", "free"),
    ],
)
def test_a_left_boundary(text: str, word: str, script: str) -> None:
    """Of what stands before the first character; the start of the text is a boundary."""
    sides = {side: verdicts([Phrase("admin", left=side)], [text])[text] for side in (Side.WORD, Side.SCRIPT)}

    assert sides == {Side.WORD: word, Side.SCRIPT: script}


def test_early() -> None:
    """It is refused before the right boundary is known; the left one still holds."""
    phrase = Phrase("admin", left=Side.WORD, right=Side.WORD, early=True)

    assert verdicts([phrase], ["admin", "admins", "xadmin"]) == {"admin": "dead", "admins": "dead", "xadmin": "free"}


def test_the_least_boundary_of_equal_phrases_counts() -> None:
    """One phrase with a boundary and one without: the one without is there."""
    assert verdicts([Phrase("ab", right=Side.WORD), Phrase("ab")], ["abc"]) == {"abc": "dead"}
    assert verdicts([Phrase("ab", right=Side.WORD), Phrase("ab", right=Side.SCRIPT)], ["ab1", "abc", "ab-"]) == {
        "ab1": "dead",  # no letter
        "abc": "free",
        "ab-": "dead",
    }


@pytest.mark.parametrize(
    ("phrase", "found", "not_found"),
    [
        ("é", ("é", "e\u0301", "xe\u0301"), ("e", "e\u0300", "e\u0327\u0301", "e\u0301\u0300")),
        ("e", ("e", "e!"), ("é", "e\u0301", "ê")),
        ("가", ("가", "\u1100\u1161", "가가"), ("각", "\u1100\u1161\u11a8", "가\u11a8", "\u1100", "\u1100\u1162")),
        ("각", ("각", "\u1100\u1161\u11a8", "가\u11a8"), ("가", "갂")),
    ],
)
def test_normalization(phrase: str, found: tuple[str, ...], not_found: tuple[str, ...]) -> None:
    """Composed and decomposed spellings are one. Marks in another order are another text: a known limit."""
    assert free([Phrase(phrase, NFD)], *found, *not_found) == list(not_found)


def test_phrases_with_different_options_stand_side_by_side() -> None:
    """Each is found by its own options."""
    phrases = [Phrase("Ab", CASE), Phrase("c d", ANY), Phrase("e")]

    assert free(phrases, "aB", "cd", "E", "e", "C D", "a b") == ["E", "C D", "a b"]


def test_no_phrases() -> None:
    """Every text is free of them."""
    assert free([], "", "anything") == ["", "anything"]


def test_the_automaton_is_as_small_as_the_phrases() -> None:
    """One state a character, and a class for each letter and the rest."""
    dfa = build_dfa(phrase_free([Phrase("abcde")]))

    assert dfa.size == 1 + 5  # the dead one, and one for each beginning
    assert dfa.partition.size == 6


def test_a_budget_bounds_the_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit it is built, one less is an error."""
    phrases = [Phrase("abcde")]
    partition = Partition.of(SCALARS, dict.fromkeys(phrase_sets(phrases)))
    monkeypatch.setattr(budget, "MAX_DFA_STATES", 5)
    assert phrase_free_dfa(phrases, partition).size == 6
    monkeypatch.setattr(budget, "MAX_DFA_STATES", 4)
    with pytest.raises(LimitError, match="automaton of the phrases"):
        phrase_free_dfa(phrases, partition)


# --- stopping ---------------------------------------------------------------------------------------------------------


def stops(phrases: list[Phrase], text: str) -> str:
    """`before` a phrase, at its `end`, `behind` it where nothing can stand, or `maybe` where the next decides."""
    dfa, ends = stopping_dfa(phrases, Partition.of(SCALARS, dict.fromkeys(phrase_sets(phrases))))
    state = dfa.run(map(ord, text))
    if state == DEAD:
        return "behind"
    goes_on = any(dfa.table[state])
    return ("maybe" if goes_on else "end") if state in ends else "before"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "before"),
        ("EN", "before"),
        ("text END", "end"),
        ("END", "end"),
        ("ENEND", "end"),
        ("ENDE", "behind"),
        ("END END", "behind"),
    ],
)
def test_a_text_stops_at_the_first_end(text: str, place: str) -> None:
    """Nothing follows a phrase that is complete."""
    assert stops([Phrase("END")], text) == place


@pytest.mark.parametrize(
    ("text", "place"),
    [("END", "maybe"), ("ENDS", "before"), ("END!", "behind"), ("ENDS END", "maybe"), ("ENDEND", "maybe")],
)
def test_a_boundary_decides_behind_the_phrase(text: str, place: str) -> None:
    """The text may end there, or go on as a longer word; it cannot go on otherwise."""
    assert stops([Phrase("END", right=Side.WORD)], text) == place


def test_the_shorter_of_two_stops() -> None:
    """The longer one can never be complete."""
    assert [stops([Phrase("ENDE"), Phrase("END")], text) for text in ("END", "ENDE")] == ["end", "behind"]
