"""Texts over a base and whole permitted terms."""

from __future__ import annotations

import pytest

from langc.compiler.automata import budget
from langc.compiler.automata.build import build_dfa, partition_of
from langc.compiler.automata.cover import cover_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Cover, cover
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

HAN = IntervalSet.of((0x4E00, 0x9FFF))


def automaton(*terms: str) -> Dfa:
    """Everything but Han, and Han inside whole terms."""
    return build_dfa(cover(SCALARS - HAN, terms))


def verdict(dfa: Dfa, text: str) -> str:
    """`yes`, `open` if the text can still become permitted, or `dead`."""
    state = dfa.run(map(ord, text))
    if state in dfa.accepting:
        return "yes"
    return "dead" if state == DEAD else "open"


def test_without_terms_the_base_is_all() -> None:
    """One state that loops on the base."""
    dfa = automaton()

    assert dfa.size == 2
    assert [verdict(dfa, t) for t in ("", "abc", "a漢")] == ["yes", "yes", "dead"]


def test_a_term_must_be_complete() -> None:
    """`大` then the end is refused, and so is `大` then another character."""
    dfa = automaton("大韓民國")
    verdicts = {t: verdict(dfa, t) for t in ("大", "大韓民", "大韓民國", "a大韓民國b", "大a", "韓", "大大")}

    assert verdicts == {
        "大": "open",
        "大韓民": "open",
        "大韓民國": "yes",
        "a大韓民國b": "yes",
        "大a": "dead",
        "韓": "dead",
        "大大": "dead",
    }


def test_occurrences_may_overlap() -> None:
    """`漢江江` and `江漢` cover the six characters of `漢江江漢` between them."""
    dfa = automaton("漢江江", "江漢")

    assert [verdict(dfa, t) for t in ("漢江江", "漢江江漢", "江漢江江", "漢江漢")] == ["yes", "yes", "yes", "dead"]


def test_a_term_may_hold_base_characters() -> None:
    """Only denied characters wait for the term; `a` alone is fine anyway."""
    dfa = automaton("a漢b", "漢bc漢")

    assert [verdict(dfa, t) for t in ("a", "a漢", "a漢b", "漢b", "漢bc漢", "a漢bc漢")] == [
        "yes",
        "open",
        "yes",
        "open",
        "yes",
        "yes",
    ]


def test_a_longer_term_can_still_cover_what_a_shorter_one_leaves() -> None:
    """In `漢江大` the inner `江` is covered at once, `漢` only when the whole term is there."""
    dfa = automaton("江", "漢江大")

    assert [verdict(dfa, t) for t in ("江", "漢江", "漢江大", "漢江江", "漢漢江大")] == [
        "yes",
        "open",
        "yes",
        "dead",
        "dead",
    ]


def test_a_term_inside_a_longer_one_covers_at_once() -> None:
    """Behind `a漢` the longer `a漢江b` may go on, but `漢` is a whole term already."""
    dfa = automaton("a漢江b", "漢", "漢江")
    texts = ("a漢", "a漢江", "a漢江b", "a漢江x", "a江")

    assert [verdict(dfa, t) for t in texts] == ["yes", "yes", "yes", "yes", "dead"]


def test_the_term_in_progress_is_the_longest_suffix() -> None:
    """After `一一二` the first `一` is lost unless some term began with it."""
    dfa = automaton("一二三", "二四")

    assert [verdict(dfa, t) for t in ("一二三", "一二四", "一一二三", "二四", "一二三二四")] == [
        "yes",
        "dead",
        "dead",
        "yes",
        "yes",
    ]


def test_nothing_permitted_accepts_the_empty_text_alone() -> None:
    """The empty text holds no character that could be denied."""
    dfa = build_dfa(cover(IntervalSet()))

    assert [verdict(dfa, t) for t in ("", "a")] == ["yes", "dead"]


@pytest.mark.parametrize(("limit", "fits"), [(4, False), (5, True), (6, True)])
def test_the_budget_of_states(monkeypatch: pytest.MonkeyPatch, limit: int, fits: bool) -> None:
    """A term of four characters takes five states beside the dead one."""
    monkeypatch.setattr(budget, "MAX_DFA_STATES", limit)
    language = cover(SCALARS - HAN, ("大韓民國",))
    assert isinstance(language, Cover)
    if fits:
        assert cover_dfa(language, partition_of(language)).size == 6
    else:
        with pytest.raises(LimitError, match="permitted terms"):
            cover_dfa(language, partition_of(language))


@pytest.mark.parametrize(("limit", "fits"), [(29, False), (30, True)])
def test_the_budget_of_transitions(monkeypatch: pytest.MonkeyPatch, limit: int, fits: bool) -> None:
    """Five states over six classes: the base, all other Han, and four characters."""
    monkeypatch.setattr(budget, "MAX_TABLE_CELLS", limit)
    language = cover(SCALARS - HAN, ("大韓民國",))
    if fits:
        assert build_dfa(language).partition.size == 6
    else:
        with pytest.raises(LimitError, match="permitted terms"):
            build_dfa(language)
