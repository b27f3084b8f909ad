"""States by history: rows may be reordered, go back, start again; nothing depends on calls or on rows."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import langc
from langc.compiler.tokens.histories import Histories
from langc.compiler.tokens.machine import LOST, TokenMachine
from langc.compiler.tokens.tables import build_tables

POLICY = langc.parse_policy(r'policy t { deny \p{Script=Han}; allow "漢江"; }')
EOS = 256
PROMPT = [1, 2]
TERM = list("漢江".encode())


@cache
def _machine() -> TokenMachine:
    tokens = {i: bytes([i]) for i in range(256)}
    vocabulary = langc.load_vocabulary({"tokens": tokens, "special": {"<eos>": EOS}, "eos": [EOS]})
    return TokenMachine(build_tables(POLICY, vocabulary))


def _state(history: list[int]) -> int:
    state = _machine().start
    for token in history:
        state = _machine().follow(state, token)
    return state


def _rows(*rows: list[int]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.array(rows, dtype=np.int64)


@pytest.mark.parametrize("prompt_length", [2, None])
def test_each_row_has_the_state_of_its_own_history(prompt_length: int | None) -> None:
    """A batch, step by step, with the rows swapped by a beam in between."""
    histories = Histories(_machine(), prompt_length)
    a, b = PROMPT + TERM[:1], [*PROMPT, 0x61]
    histories.states(_rows(PROMPT, PROMPT))

    assert histories.states(_rows(a, b)) == [_state(a[2:]), _state(b[2:])]
    assert histories.states(_rows(b + TERM[:1], a + TERM[1:2])) == [_state([0x61, TERM[0]]), _state(TERM[:2])]
    assert histories.states(_rows(a + TERM[1:2], a + TERM[1:2])) == [_state(TERM[:2])] * 2


@pytest.mark.parametrize("prompt_length", [2, None])
def test_histories_may_jump_and_go_back(prompt_length: int | None) -> None:
    """Assisted decoding adds several tokens at once and takes some back."""
    histories = Histories(_machine(), prompt_length)
    histories.states(_rows(PROMPT))

    assert histories.states(_rows(PROMPT + TERM)) == [_state(TERM)]
    assert histories.states(_rows(PROMPT + TERM[:2])) == [_state(TERM[:2])]


def test_another_prompt_begins_another_generation() -> None:
    """The width of the first call is the prompt; other ids in its place are a new one."""
    histories = Histories(_machine())
    histories.states(_rows(PROMPT))
    histories.states(_rows(PROMPT + TERM[:1]))

    assert histories.states(_rows([7, 7, 7, 7])) == [_machine().start]
    assert histories.states(_rows([7, 7, 7, 7, 0x61])) == [_state([0x61])]


def test_a_continued_chat_begins_anew_behind_its_end() -> None:
    """A prompt that continues an ended answer is no generation that goes on."""
    histories = Histories(_machine())
    histories.states(_rows(PROMPT))
    histories.states(_rows([*PROMPT, 0x61]))
    longer = [*PROMPT, 0x61, EOS, *"漢字?".encode()]

    assert histories.states(_rows(longer)) == [_machine().start]
    assert histories.states(_rows([*longer, TERM[0]])) == [_state(TERM[:1])]


def test_an_explicit_length_reports_what_is_refused() -> None:
    """With a number there is no guess: a history outside the policy is lost."""
    histories = Histories(_machine(), 0)

    assert histories.states(_rows(list("漢字".encode()))) == [LOST]


def test_rows_that_ended_stay_ended_under_padding() -> None:
    """A finished row of a batch is filled up with padding while others go on."""
    histories = Histories(_machine(), 2)
    states = histories.states(_rows([*PROMPT, EOS, EOS], [*PROMPT, 0x61, 0x62]))

    assert states == [_state([EOS]), _state([0x61, 0x62])]
