"""Automata as text."""

from __future__ import annotations

from langc.compiler.automata.build import build_dfa, build_nfa
from langc.compiler.automata.dump import dump_dfa, dump_nfa
from langc.compiler.ir.language import FAIL, class_, concat, repetition
from langc.compiler.unicode.intervals import IntervalSet

VOWELS = IntervalSet.of("aeiou")
WORD = concat(class_(VOWELS), repetition(class_(IntervalSet.of("n"))))


def test_dfa() -> None:
    """The dead state and what leads to it are left out."""
    assert dump_dfa(build_dfa(WORD)) == (
        "dfa: 2 states, 3 classes, start 1\n"
        "state 1\n"
        "  -> 2 on 0061 0065 0069 006F 0075\n"
        "state 2 accepting\n"
        "  -> 2 on 006E\n"
    )


def test_nfa() -> None:
    """Classes first, so that edges can name them."""
    text = dump_nfa(build_nfa(class_(VOWELS)))

    assert text == (
        "nfa: 2 states, 2 classes, start 0\n"
        "class 0: 0000..0060 0062..0064 0066..0068 006A..006E 0070..0074 0076..D7FF E000..10FFFF\n"
        "class 1: 0061 0065 0069 006F 0075\n"
        "state 0\n"
        "  -> 1 on class 1\n"
        "state 1 accepting\n"
    )


def test_long_labels_go_on_below() -> None:
    """Eight ranges a line."""
    lines = dump_dfa(build_dfa(class_(IntervalSet.of("acegikmoqsuwy")))).splitlines()

    assert lines[2:4] == [
        "  -> 2 on 0061 0063 0065 0067 0069 006B 006D 006F",
        "        0071 0073 0075 0077 0079",
    ]


def test_the_empty_language() -> None:
    """It has no living state."""
    assert dump_dfa(build_dfa(FAIL)) == "dfa: 0 states, 1 classes, start 0\n"
