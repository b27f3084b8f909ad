"""From code points to bytes."""

from __future__ import annotations

import pytest

from langc.compiler.automata import lower as module
from langc.compiler.automata.boolean import universal
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD
from langc.compiler.automata.lower import lower_states, lower_to_bytes
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import class_, cover, literal, repetition
from langc.compiler.unicode.intervals import BYTES, SCALARS, IntervalSet

ANY_BYTES = lower_to_bytes(universal(SCALARS))


@pytest.mark.parametrize(
    "malformed",
    [
        "80",
        "BF",
        "C080",
        "C1BF",
        "E08080",
        "E09FBF",
        "EDA080",
        "EDBFBF",
        "F08080",
        "F08FBF",
        "F490",
        "F5",
        "FF",
        "C2C2",
    ],
)
def test_malformed_bytes_lead_nowhere(malformed: str) -> None:
    """Lone continuations, overlong forms, surrogates, values past U+10FFFF, bytes that UTF-8 never has."""
    assert ANY_BYTES.run(bytes.fromhex(malformed)) == DEAD


@pytest.mark.parametrize("cut", ["C2", "DF", "E0A0", "ED9F", "EE80", "F090", "F48FBF", "61F0"])
def test_a_character_cut_short_is_alive_and_not_accepted(cut: str) -> None:
    """It can still be finished."""
    state = ANY_BYTES.run(bytes.fromhex(cut))

    assert state != DEAD
    assert state not in ANY_BYTES.accepting


def test_every_text_needs_nine_states() -> None:
    """The textbook automaton of UTF-8: the dead state, the boundary, and seven inside characters."""
    assert ANY_BYTES.size == 9


@pytest.mark.parametrize("boundary", "\x00\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff")
def test_one_character_and_its_neighbours(boundary: str) -> None:
    """The automaton of one character accepts its encoding and none that differs in the last byte."""
    encoded = boundary.encode()
    dfa = lower_to_bytes(build_dfa(literal(boundary)))
    accepted = [last for last in range(256) if dfa.accepts(encoded[:-1] + bytes([last]))]

    assert accepted == [encoded[-1]]
    assert dfa.size == len(encoded) + 2


def test_states_of_the_code_point_automaton_keep_their_numbers() -> None:
    """The states inside characters follow them."""
    dfa = build_dfa(cover(SCALARS - IntervalSet.of((0x4E00, 0x9FFF)), ("大韓",)))
    lowered = lower_states(dfa)
    texts = ("", "가", "大", "大韓", "a大韓")

    assert [lowered.run(t.encode()) for t in texts] == [dfa.run(map(ord, t)) for t in texts]
    assert lowered.partition.alphabet == BYTES
    assert lowered.accepting == dfa.accepting


def test_empty_language_and_empty_text() -> None:
    """Nothing at all, and nothing but the empty text."""
    assert lower_to_bytes(build_dfa(class_(IntervalSet()))).is_empty
    assert lower_to_bytes(build_dfa(repetition(literal("a"), 0, 0))).accepts(b"")


@pytest.mark.parametrize(("limit", "fits"), [(6, False), (7, True), (8, True)])
def test_the_budget_of_states(monkeypatch: pytest.MonkeyPatch, limit: int, fits: bool) -> None:
    """Three states between characters, and four inside: behind E4, E4 B8, EA and EA B0."""
    monkeypatch.setattr(module, "MAX_BYTE_STATES", limit)
    dfa = build_dfa(class_(IntervalSet.of("一丁가")))
    if fits:
        assert lower_states(dfa).size == 7
    else:
        with pytest.raises(LimitError, match="LC0701"):
            lower_states(dfa)
