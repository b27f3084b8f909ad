"""The tight ban: what it is, that nothing leaks, and that nothing smaller would do."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.tokens.characters.code_points import Flags, flags_of
from langc.compiler.tokens.characters.spelling import held_anywhere
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.tokens.static_bias.ban import StaticBan
from langc.compiler.unicode.intervals import IntervalSet
from tests.property.static_bias.toys import (
    CHARACTERS,
    CONTINUATION,
    banned_tight,
    denied_sets,
    held,
    text_of,
    vocabularies,
)


def chosen(text: TokenText, mask: Flags) -> set[bytes]:
    """The tokens of a mask."""
    return {text.token(int(k)) for k in np.flatnonzero(mask)}


@given(vocabularies, denied_sets)
def test_the_ban_is_the_one_defined(tokens: list[bytes], denied: frozenset[str]) -> None:
    """Loose bans what holds a denied character, tight also what ends in a beginning of one."""
    text = text_of(tokens)
    ban = StaticBan.of(text, flags_of(IntervalSet.of(*denied)))

    assert chosen(text, ban.whole) == {t for t in tokens if any(c.encode() in t for c in denied)}
    assert chosen(text, ban.tight) == banned_tight(tokens, denied)


@given(vocabularies, denied_sets)
def test_tight_leaks_nothing(tokens: list[bytes], denied: frozenset[str]) -> None:
    """No row of allowed tokens holds a denied character, and the fast decision says so too."""
    text = text_of(tokens)
    flags = flags_of(IntervalSet.of(*denied))
    ban = StaticBan.of(text, flags)

    assert not held(set(tokens) - chosen(text, ban.tight)) & denied
    assert not (held_anywhere(text, ~ban.tight) & flags).any()


@given(vocabularies, denied_sets.filter(bool), st.data())
def test_every_banned_token_is_needed(tokens: list[bytes], denied: frozenset[str], data: st.DataObject) -> None:
    """While all continuation bytes are allowed, one banned token less and a denied character can be written."""
    whole_bytes = sorted({*tokens, *CONTINUATION})
    banned = banned_tight(whole_bytes, denied)
    if not banned:
        return
    spared = data.draw(st.sampled_from(sorted(banned)))

    assert held((set(whole_bytes) - banned) | {spared}) & denied


@given(vocabularies, denied_sets, denied_sets)
def test_more_denied_means_more_banned(tokens: list[bytes], some: frozenset[str], more: frozenset[str]) -> None:
    """Denying more characters never lets a token go."""
    text = text_of(tokens)
    small, large = (StaticBan.of(text, flags_of(IntervalSet.of(*d))) for d in (some, some | more))

    assert not (small.whole & ~large.whole).any()
    assert not (small.tight & ~large.tight).any()


def test_the_toys_have_all_their_characters() -> None:
    """One, two, four and eight characters of one to four bytes."""
    assert [len(c.encode()) for c in CHARACTERS] == [1] + [2] * 2 + [3] * 4 + [4] * 8
