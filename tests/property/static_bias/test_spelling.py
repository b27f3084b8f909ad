"""What tokens spell alone and hold anywhere, against following every row of tokens."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.tokens.characters.code_points import set_of
from langc.compiler.tokens.characters.spelling import held_anywhere, spelled_alone
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.tokens.static_bias.losses import Loss
from tests.examples import examples
from tests.property.static_bias.toys import CHARACTERS, held, spells, text_of, vocabularies


def some(text: TokenText, data: st.DataObject) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], list[bytes]]:
    """A random mask over the tokens, and the tokens in it."""
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=text.size, max_size=text.size)), dtype=np.bool_)
    return mask, [text.token(int(k)) for k in np.flatnonzero(mask)]


@given(vocabularies, st.data())
def test_spelled_alone(tokens: list[bytes], data: st.DataObject) -> None:
    """The characters whose bytes are a row of the chosen tokens, and no others."""
    text = text_of(tokens)
    mask, allowed = some(text, data)

    assert "".join(map(chr, set_of(spelled_alone(text, mask)))) == "".join(c for c in CHARACTERS if spells(allowed, c))


@given(vocabularies, st.data())
def test_held_anywhere(tokens: list[bytes], data: st.DataObject) -> None:
    """The characters that come about in some row of the chosen tokens, and no others."""
    text = text_of(tokens)
    mask, allowed = some(text, data)

    assert set(map(chr, set_of(held_anywhere(text, mask)))) == held(allowed)


@settings(max_examples=examples(50))  # each takes four arrays of a million flags
@given(vocabularies, st.data())
def test_loss(tokens: list[bytes], data: st.DataObject) -> None:
    """A character is lost if the vocabulary has it and the chosen tokens do not."""
    text = text_of(tokens)
    mask, allowed = some(text, data)
    loss = Loss.of(text, mask, np.ones(0x110000, dtype=np.bool_))

    assert set(map(chr, set_of(loss.alone))) == {c for c in CHARACTERS if spells(tokens, c) and not spells(allowed, c)}
    assert set(map(chr, set_of(loss.anywhere))) == held(tokens) - held(allowed)
