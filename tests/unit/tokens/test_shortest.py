"""The shortest text of a language that tokens spell."""

from __future__ import annotations

import numpy as np
import pytest

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.ir.language import ANY_TEXT, FAIL, concat, literal
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.tokens.static_bias.shortest import shortest_text


def holding(inner: str) -> Dfa:
    """The texts that hold `inner`, over bytes."""
    return lower_to_bytes(build_dfa(concat(ANY_TEXT, literal(inner), ANY_TEXT)))


@pytest.mark.parametrize(
    ("tokens", "shortest"),
    [
        pytest.param([b"a", "中".encode()], "中", id="one token"),
        pytest.param([b"\xe4", b"\xb8", b"\xad"], "中", id="three bytes"),
        pytest.param([b"aa\xe4", b"a\xe4", b"\xb8\xad", b"\xb8\xadb"], "a中", id="the shorter neighbour"),
        pytest.param(["aaa中".encode(), b"a\xe4", b"\xb8", b"\xad"], "a中", id="more tokens but fewer characters"),
        pytest.param(["a中".encode(), "b中".encode(), "中a".encode()], "a中", id="of several always the same"),
        pytest.param([b"\xe4", b"\xb8", b"a"], None, id="cannot be finished"),
        pytest.param([b"\xe4\xb8", b"\xb8\xad"], None, id="only with malformed neighbours"),
    ],
)
def test_the_fewest_characters_count(tokens: list[bytes], shortest: str | None) -> None:
    """Characters are counted, not tokens."""
    text = TokenText.of(dict(enumerate(tokens)))

    assert shortest_text(holding("中"), text, np.ones(text.size, dtype=np.bool_)) == shortest


def test_only_allowed_tokens_are_used() -> None:
    """A token that is not allowed is as good as none."""
    text = TokenText.of({3: "中".encode(), 5: "a中".encode(), 8: b"a"})

    assert shortest_text(holding("中"), text, np.array([True, True, True])) == "中"
    assert shortest_text(holding("中"), text, np.array([False, True, True])) == "a中"
    assert shortest_text(holding("中"), text, np.array([False, False, True])) is None


def test_the_empty_text_needs_no_token() -> None:
    """It is the shortest text of a language that has it; an empty language has none."""
    text = TokenText.of({0: b"a"})
    nothing_allowed = np.zeros(1, dtype=np.bool_)

    assert shortest_text(lower_to_bytes(build_dfa(ANY_TEXT)), text, nothing_allowed) == ""
    assert shortest_text(lower_to_bytes(build_dfa(FAIL)), text, nothing_allowed) is None
