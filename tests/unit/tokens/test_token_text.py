"""The characters and fragments in tokens, against Python's own decoder."""

from __future__ import annotations

from codecs import getincrementaldecoder
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from langc.compiler.tokens.characters.beginnings import Beginnings
from langc.compiler.tokens.characters.code_points import flags_of
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

_PIECES = "61 7F 80 8F 90 9F A0 AD BF C0 C2 DF E0 E1 E4 ED EF F0 F1 F4 F5 FF C3A9 EAB080 F09F9880 E4B8"
_odd = st.sampled_from([bytes.fromhex(piece) for piece in _PIECES.split()])
byte_strings = st.lists(_odd, min_size=1, max_size=5).map(b"".join)
token_lists = st.lists(byte_strings, min_size=1, max_size=8)


def characters(token: bytes) -> list[int]:
    """The whole characters in some bytes, tried at every place."""
    found = []
    for start in range(len(token)):
        for size in (1, 2, 3, 4):
            try:
                text = token[start : start + size].decode()
            except UnicodeDecodeError:
                continue
            if len(token) >= start + size and len(text) == 1:
                found.append(ord(text))
    return found


def decodes(token: bytes) -> bool:
    """Whether the bytes are a text."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def left_open(token: bytes) -> bytes | None:
    """The bytes of an unfinished character at the end; None if no text begins with these bytes.

    Python's decoder waits behind ED A0 too, where only a surrogate could come; so a way to finish is looked for.
    """
    decoder = getincrementaldecoder("utf-8")()
    try:
        decoder.decode(token)
    except UnicodeDecodeError:
        return None
    left = decoder.getstate()[0]
    ends = (bytes(end) for size in range(4) for end in product(b"\x80\x90\xa0\xbf", repeat=size))
    return left if any(decodes(left + end) for end in ends) else None


def stands_in_text(token: bytes) -> bool:
    """Whether the bytes can follow the beginning of a text: after up to three that finish a character."""
    opened = next((i for i, b in enumerate(token) if b & 0xC0 != 0x80), len(token))
    return opened <= 3 and left_open(token[opened:]) is not None


@given(token_lists)
def test_characters(tokens: list[bytes]) -> None:
    """Every whole character at every place of every token, and no others."""
    text = TokenText.of(dict(enumerate(tokens)))
    expected = [(k, c) for k, token in enumerate(tokens) for c in characters(token)]

    assert list(zip(text.characters.token.tolist(), text.characters.code_point.tolist(), strict=True)) == expected


@example([b"\xed\xa0"])
@example([b"\xed\x9f", b"\xf4\x8f", b"\xf4\x90", b"\xe0\x9f", b"\xf0\x8f", b"\x80\x80\x80", b"\x80\x80\x80\x80"])
@given(token_lists)
def test_kinds_of_tokens(tokens: list[bytes]) -> None:
    """Texts, what stands in a text, and how many characters open in it."""
    text = TokenText.of(dict(enumerate(tokens)))

    assert text.well_formed.tolist() == [decodes(t) for t in tokens]
    assert text.inside_text.tolist() == [stands_in_text(t) for t in tokens]
    assert text.letters.tolist() == [sum(b & 0xC0 != 0x80 for b in t) for t in tokens]


@given(token_lists)
def test_what_ends_inside_a_character(tokens: list[bytes]) -> None:
    """The tokens whose last bytes a decoder would wait behind."""
    text = TokenText.of(dict(enumerate(tokens)))
    expected = [any(left_open(t[k:]) == t[k:] for k in range(max(0, len(t) - 3), len(t))) for t in tokens]

    assert text.ending_in(Beginnings.of(flags_of(SCALARS))).tolist() == expected


def test_ids_ascend_and_special_tokens_are_left_out() -> None:
    """Tokens without bytes are no text; numbers follow the ids."""
    text = TokenText.of({9: b"b", 4: b"", 2: "中a".encode()})

    assert text.ids.tolist() == [2, 9]
    assert [text.token(0), text.token(1)] == ["中a".encode(), b"b"]
    assert text.first(np.array([0]), 2).tolist() == [[0xE4, 0xB8]]
    assert text.last(np.array([0]), 2).tolist() == [[0xAD, 0x61]]
    assert text.holding(flags_of(IntervalSet.of("中"))).tolist() == [True, False]


def test_characters_do_not_reach_into_the_next_token() -> None:
    """Two halves beside each other in the array are no character."""
    text = TokenText.of({0: b"\xe4\xb8", 1: b"\xad"})

    assert text.characters.code_point.tolist() == []


@pytest.mark.parametrize("tokens", [{}, {0: b""}])
def test_no_tokens(tokens: dict[int, bytes]) -> None:
    """An empty vocabulary has nothing in it."""
    text = TokenText.of(tokens)

    assert text.size == 0
    assert text.well_formed.tolist() == []
    assert text.letters.tolist() == []
