"""The shortest text that leaks and the shortest that is lost, against trying every short text."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.ir.language import Cover
from langc.compiler.tokens.characters.code_points import flags_of
from langc.compiler.tokens.static_bias.ban import StaticBan
from langc.compiler.tokens.static_bias.leaks import shortest_leak
from langc.compiler.tokens.static_bias.lost_text import shortest_lost
from langc.compiler.unicode.intervals import IntervalSet
from tests.property.static_bias.toys import (
    characters,
    denied_sets,
    denying,
    permits,
    spells,
    text_of,
    texts,
    vocabularies,
)

pytestmark = pytest.mark.slow

MOST = 2
"""All texts up to this length are tried."""
term_sets = st.frozensets(st.text(characters, min_size=1, max_size=3), max_size=2)
masks = st.lists(st.booleans(), min_size=10, max_size=10)


def check(found: str | None, is_witness: Callable[[str], bool]) -> None:
    """A witness must be one, and no shorter text may be; without a witness no short text may be one."""
    shorter = MOST if found is None else min(MOST, len(found) - 1)

    assert found is None or is_witness(found)
    assert next((t for t in texts(shorter) if is_witness(t)), None) is None


def leaks(language: Cover, allowed: Collection[bytes]) -> Callable[[str], bool]:
    """Whether a text is outside the language and can be written."""
    return lambda text: spells(allowed, text) and not permits(language, text)


def is_lost(language: Cover, tokens: Collection[bytes], allowed: Collection[bytes]) -> Callable[[str], bool]:
    """Whether a permitted text could be written before, and cannot now."""
    return lambda text: spells(tokens, text) and not spells(allowed, text) and permits(language, text)


@settings(max_examples=120)
@given(vocabularies, denied_sets, term_sets, masks)
def test_any_choice_of_tokens(
    tokens: list[bytes], denied: frozenset[str], terms: frozenset[str], mask: list[bool]
) -> None:
    """Both witnesses are right for tokens that were allowed at random."""
    language, text = denying(denied, terms), text_of(tokens)
    allowed = {token for token, keep in zip(tokens, mask, strict=False) if keep}
    flags = np.array(mask[: text.size], dtype=np.bool_)

    check(shortest_leak(language, text, flags), leaks(language, allowed))
    check(shortest_lost(language, text, flags), is_lost(language, tokens, allowed))


@settings(max_examples=120)
@given(vocabularies, denied_sets, term_sets)
def test_the_tight_ban(tokens: list[bytes], denied: frozenset[str], terms: frozenset[str]) -> None:
    """Nothing leaks through the tight ban; what it loses is found, terms among it."""
    language, text = denying(denied, terms), text_of(tokens)
    tight = StaticBan.of(text, flags_of(IntervalSet.of(*denied))).tight
    allowed = {text.token(int(k)) for k in np.flatnonzero(~tight)}

    assert shortest_leak(language, text, ~tight) is None
    check(shortest_lost(language, text, ~tight), is_lost(language, tokens, allowed))


@pytest.mark.parametrize(
    ("tokens", "allowed", "lost"),
    [
        pytest.param([b"a", b"\xe1\x80\x80"], [b"a"], "\u1000", id="one character"),
        pytest.param([b"a\xe1", b"\x80\x80"], [b"\x80\x80"], "a\u1000", id="only behind a neighbour"),
        pytest.param([b"\xe1\x80", b"\x80a", b"a"], [b"\xe1\x80", b"a"], "\u1000a", id="only before a neighbour"),
        pytest.param([b"a", b"aa"], [b"a"], None, id="another spelling is left"),
        pytest.param([b"\xe1", b"a"], [b"a"], None, id="no text either way"),
    ],
)
def test_lost_texts_by_hand(tokens: list[bytes], allowed: list[bytes], lost: str | None) -> None:
    """The shortest text that is lost when everything is permitted."""
    text = text_of(tokens)
    flags = np.array([token in allowed for token in tokens])

    assert shortest_lost(denying(()), text, flags) == lost
