"""What the demo says, worked out a second time without its code and without the matcher."""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import combinations, pairwise

import pytest

from langc.compiler.demo import trial
from langc.compiler.demo.trial import HAN, HANGUL, Outcome, Trial


@cache
def _trial() -> Trial:
    return trial.run()


@cache
def _tokens() -> dict[int, bytes]:
    vocabulary = _trial().vocabulary
    return {i: vocabulary.token_bytes(i) for i in range(vocabulary.size)}


def _is_cjk(character: str) -> bool:
    """By the character's name; enough for what the tokens hold."""
    name = unicodedata.name(character, "")
    return name.startswith(("CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER"))


def _recipe(fffd: bool) -> frozenset[bytes]:
    """The tokens that the recipe leaves, as bytes."""
    strings = {token: token.decode("utf-8", "replace") for token in _tokens().values() if token}
    banned = {t for t, s in strings.items() if any(map(_is_cjk, s)) or (fffd and "\ufffd" in s)}
    return frozenset(strings) - banned


def _can_write(character: int, tokens: frozenset[bytes]) -> bool:
    """Whether some way to cut the encoding gives nothing but these tokens."""
    data = chr(character).encode()
    inner = range(1, len(data))
    cuts = [(0, *c, len(data)) for n in range(len(data)) for c in combinations(inner, n)]
    return any(all(data[a:b] in tokens for a, b in pairwise(c)) for c in cuts)


def _outcome(name: str) -> Outcome:
    return next(o for o in _trial().outcomes if o.method.name == name)


def test_the_methods_in_their_order() -> None:
    """Nothing, the common recipe in two forms, langc."""
    assert [o.method.name for o in _trial().outcomes] == ["none", "recipe", "recipe-fffd", "langc"]


@pytest.mark.parametrize(("name", "fffd"), [("recipe", False), ("recipe-fffd", True)])
def test_the_recipes(name: str, fffd: bool) -> None:
    """Banned tokens and both verdicts, by cutting the encodings in every way."""
    left, outcome = _recipe(fffd), _outcome(name)

    assert outcome.method.banned == 499 - len(left)
    assert outcome.unwanted.is_written == _can_write(0x6F22, left)
    assert outcome.wanted.is_written == _can_write(0xBDC1, left)


@pytest.mark.parametrize(("name", "fffd"), [("recipe", False), ("recipe-fffd", True)])
def test_what_the_recipes_leave(name: str, fffd: bool) -> None:
    """Every character of the two ranges is counted."""
    left, outcome = _recipe(fffd), _outcome(name)

    assert outcome.han == sum(_can_write(c, left) for c in HAN)
    assert outcome.hangul == sum(_can_write(c, left) for c in HANGUL)


def test_without_a_constraint() -> None:
    """All 256 bytes are tokens, so everything can be written."""
    outcome = _outcome("none")

    assert (outcome.han, outcome.hangul, outcome.method.banned) == (20_992, 11_172, 0)
    assert outcome.unwanted.pieces == (b"\xe6", b"\xbc", b"\xa2")
    assert outcome.wanted.pieces == (b"\xeb", b"\xb7", b"\x81")


def test_langc() -> None:
    """By the definition of the policy, all syllables and no Han."""
    outcome = _outcome("langc")

    assert (outcome.han, outcome.hangul, outcome.method.banned) == (0, 11_172, None)
    assert (outcome.unwanted.is_right, outcome.wanted.is_right) == (True, True)


def test_the_story_holds() -> None:
    """One recipe leaks, the other breaks, only langc does both things; with another corpus this could change."""
    right = {o.method.name: (o.unwanted.is_right, o.wanted.is_right) for o in _trial().outcomes}

    assert right == {
        "none": (False, True),
        "recipe": (False, True),
        "recipe-fffd": (True, False),
        "langc": (True, True),
    }
