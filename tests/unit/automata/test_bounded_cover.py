"""Permitted terms that ask for boundaries, or that fold case and width."""

from __future__ import annotations

from itertools import product

import pytest

from langc.compiler.automata import budget
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import BoundedCover, Cover, Pattern, bounded_cover, cover
from langc.compiler.ir.phrases import Phrase, Side
from langc.compiler.unicode.folding import Folding
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

CASE = Folding(case=True)
CAPITALS = IntervalSet.of((0x41, 0x5A))
NO_CAPITALS = SCALARS - CAPITALS
NO_LATIN = SCALARS - CAPITALS - IntervalSet.of((0x61, 0x7A), "ßſ", (0xFF21, 0xFF3A), (0xFF41, 0xFF5A))


def automaton(*terms: Phrase, base: IntervalSet = NO_CAPITALS, patterns: tuple[Pattern, ...] = ()) -> Dfa:
    """Everything in the base, and the rest inside whole terms."""
    return build_dfa(bounded_cover(base, terms, patterns))


def verdict(dfa: Dfa, text: str) -> str:
    """`yes`, `open` if the text can still become permitted, or `dead`."""
    state = dfa.run(map(ord, text))
    if state in dfa.accepting:
        return "yes"
    return "dead" if state == DEAD else "open"


def verdicts(dfa: Dfa, *texts: str) -> dict[str, str]:
    """Of each text."""
    return {text: verdict(dfa, text) for text in texts}


@pytest.mark.parametrize(
    ("text", "word", "script"),
    [
        ("GPU", "yes", "yes"),
        ("GPU!", "yes", "yes"),
        ("GPU를", "dead", "yes"),
        ("GPUs", "dead", "dead"),
        ("GPU1", "dead", "yes"),
        ("xGPU", "dead", "dead"),
        ("-GPU-", "yes", "yes"),
        ("를GPU", "dead", "yes"),
        ("GP", "open", "open"),
        ("GP-", "dead", "dead"),
        ("GPU GPU", "yes", "yes"),
        ("GPUGPU", "dead", "dead"),
    ],
)
def test_boundaries(text: str, word: str, script: str) -> None:
    """A term is one only where nothing that bars it stands beside it."""
    sides = {side: verdict(automaton(Phrase("GPU", left=side, right=side)), text) for side in (Side.WORD, Side.SCRIPT)}

    assert sides == {Side.WORD: word, Side.SCRIPT: script}


def test_a_barred_term_may_go_on_as_another() -> None:
    """The character that bars the shorter one completes the longer one."""
    dfa = automaton(Phrase("GPU", right=Side.WORD), Phrase("GPUX"))

    assert verdicts(dfa, "GPU", "GPU-", "GPUX", "GPUXa", "GPUY", "GPUa") == {
        **dict.fromkeys(("GPU", "GPU-", "GPUX", "GPUXa"), "yes"),
        **dict.fromkeys(("GPUY", "GPUa"), "dead"),
    }


def test_what_waits_for_a_boundary_may_be_covered_by_another() -> None:
    """A is barred by B, and lies inside of AB all the same; B begins a term of its own."""
    dfa = automaton(Phrase("A", right=Side.WORD), Phrase("AB"), Phrase("BC", right=Side.WORD))

    assert verdicts(dfa, "A", "AB", "ABC", "ABCx", "AC", "BC") == {
        **dict.fromkeys(("A", "AB", "ABC", "BC"), "yes"),
        **dict.fromkeys(("ABCx", "AC"), "dead"),
    }


def test_overlapping_terms_share_a_boundary_only_where_there_is_one() -> None:
    """`AB` and `BC` cover `ABC` if nothing bars them; a boundary inside of it would."""
    assert verdict(automaton(Phrase("ab", CASE), Phrase("bc", CASE), base=NO_LATIN), "AbC") == "yes"
    assert verdict(automaton(Phrase("AB", right=Side.WORD), Phrase("BC")), "ABC") == "dead"
    assert verdict(automaton(Phrase("AB"), Phrase("BC", left=Side.WORD)), "ABC") == "dead"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu", "yes"),
        ("GpU", "yes"),
        ("ＧＰＵ", "yes"),
        ("ｇPu", "yes"),
        ("gp", "open"),
        ("gb", "dead"),
        ("g pu", "dead"),
        ("ß", "dead"),
    ],
)
def test_case_and_width(text: str, expected: str) -> None:
    """What folds alike is the term."""
    dfa = automaton(Phrase("gpu", Folding(case=True, width=True)), base=NO_LATIN)

    assert verdict(dfa, text) == expected


def test_a_character_that_folds_to_several_is_one() -> None:
    """ß is the term `ss`, and covers itself alone."""
    dfa = automaton(Phrase("ss", CASE), Phrase("as", CASE), base=NO_LATIN)

    assert verdicts(dfa, "ß", "SS", "sſ", "s", "as", "aß", "ßs") == {
        **dict.fromkeys(("ß", "SS", "sſ", "as"), "yes"),
        "s": "open",
        "aß": "dead",  # a + ß is ass, and ß does not cover the a
        "ßs": "open",  # the s may begin another
    }


def test_patterns_beside_terms() -> None:
    """A sequence covers as it does without options."""
    dfa = automaton(Phrase("AB", right=Side.WORD), patterns=((IntervalSet.of("BC"), IntervalSet.of("0")),))

    assert verdicts(dfa, "B0", "C0", "B", "AB", "AB0", "A", "B1") == {
        **dict.fromkeys(("B0", "C0", "AB"), "yes"),
        "AB0": "dead",  # the digit bars AB, and the pattern does not reach the A
        "B": "open",
        "A": "open",
        "B1": "dead",
    }


@pytest.mark.parametrize("terms", [("AB",), ("AB", "BA"), ("ABA", "AAB", "B"), ("A", "AAA"), ("ABAB", "BABA")])
def test_without_options_it_is_a_cover(terms: tuple[str, ...]) -> None:
    """Two constructions of one language."""
    base = IntervalSet.of("x")
    patterns = ((IntervalSet.of("AC"), IntervalSet.of("C")),)

    assert build_dfa(BoundedCover(base, tuple(map(Phrase, terms)), patterns)) == build_dfa(cover(base, terms, patterns))


def test_terms_that_ask_for_nothing_make_a_plain_cover() -> None:
    """The smaller construction is taken where it will do."""
    assert bounded_cover(NO_CAPITALS, [Phrase("AB")]) == Cover(NO_CAPITALS, ("AB",))
    assert isinstance(bounded_cover(NO_CAPITALS, [Phrase("AB", right=Side.WORD)]), BoundedCover)


def test_every_short_text_by_the_definition() -> None:
    """Over A, B, x and a blank: each capital lies in an occurrence beside which no letter stands on the right."""
    terms = ("A", "AB", "BAA")
    dfa = automaton(*(Phrase(t, right=Side.WORD) for t in terms))

    def is_covered(text: str, at: int) -> bool:
        places = ((s, s + len(t)) for t in terms for s in range(len(text)) if text.startswith(t, s))
        return any(s <= at < e and text[e : e + 1] in ("", " ") for s, e in places)

    texts = ["".join(t) for n in range(6) for t in product("ABx ", repeat=n)]
    permitted = [t for t in texts if all(c in "x " or is_covered(t, i) for i, c in enumerate(t))]

    assert len(texts) > 1_000
    assert [t for t in texts if verdict(dfa, t) == "yes"] == permitted


def test_a_budget_bounds_the_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long term under options is a limit error, not an endless run."""
    monkeypatch.setattr(budget, "MAX_DFA_STATES", 10)
    with pytest.raises(LimitError, match="automaton of the permitted terms"):
        automaton(Phrase("ABCDEFGHIJKLMN", right=Side.WORD))
