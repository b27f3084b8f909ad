"""Denied phrases: both automata against the definition by substrings."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from tests.oracle.bounded import Scope
from tests.oracle.phrases import Wanted, folded, occurs
from tests.oracle.soft import Decoder
from tests.property.rule_worlds import (
    OTHERS,
    World,
    compare,
    deny_phrases,
    escaped,
    few_characters,
    letters,
    phrases,
    policy_of,
    slices,
)

pytestmark = pytest.mark.slow

W = Wanted
WORLDS: dict[str, tuple[str, int, tuple[Wanted, ...]]] = {
    "case, words": ("aAb ", 6, (W("ab", case=True, left="word", right="word"),)),
    "half of a fold": ("sßSẞ", 5, (W("sss", case=True, right="script"),)),
    "jamo, a syllable": ("각가\u1100\u1161\u11a8", 5, (W("가", normalization="nfd"),)),
    "jamo, two phrases": (
        "각가\u1100\u1161\u11a8",
        5,
        (W("각", normalization="nfc"), W("\u1161", normalization="nfd")),
    ),
    "runs of white space": ("a \u3000\u200bb", 5, (W("a b", space="run", invisible=True, right="word"),)),
    "no white space": ("a \u3000\u200bb", 5, (W("a b", space="any", left="script", right="word"),)),
    "white space at the ends": ("a \u200bb", 6, (W(" a ", space="run", invisible=True),)),
    "dotted i": ("i\u0307İıI", 5, (W("i̇", case=True), W("I", case=True, right="word"))),
    "rings": ("Å\u212bA\u030a\u0301å", 5, (W("å", case=True, normalization="nfc"),)),
    "a decomposition with white space": (
        "\u00a8 \u0308a",
        5,
        (W(" \u0308", normalization="nfkc", space="run"), W("a\u0308", normalization="nfkd", space="any")),
    ),
    "width": ("ABＡab", 5, (W("aba", case=True, width=True, left="script"), W("bab", right="word", early=True))),
    "half-width kana": (
        "ｶﾞガカ\u3099",
        5,
        (W("ガ", width=True, normalization="nfkc"), W("カ", width=True, right="script")),
    ),
    "phrases in phrases": (
        "ab_1",
        6,
        (W("a", left="word", right="word"), W("aa", right="script"), W("ab", right="word")),
    ),
    "math letters": ("𝐀aA\ufe0f\u200d", 5, (W("aa", case=True, normalization="nfkc", invisible=True),)),
    "prototypes": ("mrnаa", 5, (W("man", confusables=True), W("rn", confusables=True, right="word"))),
    "prototypes and case": ("IlLiоo0", 4, (W("li", case=True, confusables=True), W("o0", case=True, confusables=True))),
    "a prototype that case undoes": ("ꝺꝹdx", 6, (W("ꝺꝺ", case=True, confusables=True), W("Ꝺd", confusables=True))),
    "prototypes of jamo": ("그\u1100\u1173ー각\u11a8", 5, (W("그", confusables=True), W("각", confusables=True))),
    "prototypes of white space": ("a \u00a0\u2001b", 5, (W("a b", confusables=True, space="run"),)),
    "prototypes of what has several": ("βßsсS", 5, (W("ßs", confusables=True, case=True), W("β", confusables=True))),
    "particles": ("Rr가a", 5, (W("r", case=True, left="script", right="script"),)),
}


@pytest.mark.parametrize("name", WORLDS)
def test_small_worlds(name: str) -> None:
    """Every text over an alphabet that hits the rule."""
    alphabet, length, wanted = WORLDS[name]
    referee = Scope(banned=wanted).trying(alphabet + "a가1\u0301\u1161\u11a8 -")

    assert compare(policy_of(deny_phrases(wanted)), referee, alphabet, length) >= 600


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_drawn_phrases(data: st.DataObject) -> None:
    """Up to two phrases with any options, on texts over their own characters."""
    characters = data.draw(few_characters)
    wanted = tuple(data.draw(st.lists(phrases(characters), min_size=1, max_size=2)))
    referee = Scope(banned=wanted).trying(characters + OTHERS + letters(wanted))
    policy = policy_of(deny_phrases(wanted))
    for text in data.draw(st.lists(_texts(characters, wanted), min_size=8, max_size=8)):
        assert policy.first_violation(text) == referee.first_violation(text), ascii(text)
        assert policy.accepts(text) == referee.accepts(text), ascii(text)


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_drawn_tokens(data: st.DataObject) -> None:
    """Tokens that cut characters, after histories of them."""
    characters = data.draw(few_characters)
    wanted = tuple(data.draw(st.lists(phrases(characters), min_size=1, max_size=3)))
    denied = data.draw(st.sampled_from(["", characters[0]]))
    tokens = (*data.draw(slices(characters)), b"")
    scope = Scope(lambda c: c not in denied, banned=wanted).trying(characters + OTHERS + letters(wanted))
    policy = policy_of(f"deny [{escaped(denied)}]; {deny_phrases(wanted)}")
    try:
        world = World(policy, Decoder(scope, (), tokens, len(tokens) - 1, depth=6))
    except PolicyError:  # nothing but the empty text is left
        assume(False)
    history: list[int] = []
    while len(history) < 6 and (allowed := world.compare(history)):
        history.append(data.draw(st.sampled_from(allowed)))


def _texts(characters: str, wanted: tuple[Wanted, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*characters, *(w.text for w in wanted)]), max_size=6).map("".join)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (W("Straße", case=True), "strasse"),
        (W("ﾊﾟＡ", width=True), "ハ\u309aA"),
        (W("각", normalization="nfc"), "\u1100\u1161\u11a8"),
        (W("𝐀", normalization="nfkc", case=True), "a"),
        (W("\u00a8", normalization="nfkd", space="any"), "\u0308"),
        (W("a\u3000\t b\u200b", space="run", invisible=True), "a b"),
        (W("금 지", space="any"), "금지"),
        (W("modern", confusables=True), "rnodern"),
        (W("раураI", confusables=True), "paypal"),
        (W("Iꝺ1", confusables=True, case=True), "iꝺl"),
        (W("그", confusables=True), "\u1100ー"),
    ],
)
def test_the_referee_folds(wanted: Wanted, expected: str) -> None:
    """Worked by hand from the Unicode standard."""
    assert folded(wanted.text, wanted) == expected


@pytest.mark.parametrize(
    ("wanted", "text", "expected"),
    [
        (W("s", case=True), "ß", False),
        (W("가", normalization="nfd"), "\u1100\u1161\u11a8", False),
        (W("가", normalization="nfd"), "\u1100\u1161", True),
        (W("a", normalization="nfc"), "a\u0301", False),
        (W("a"), "a\u0301", True),
        (W("admin", right="script"), "admin이", True),
        (W("admin", right="word"), "admin이", False),
        (W("lamp", left="word"), "clamp", False),
        (W("lamp", right="word"), "lamps", False),
        (W("lamp", right="word", early=True), "lamps", True),
        (W("ガ", width=True), "ｶﾞ", False),
        (W("カ\u3099", width=True), "ｶﾞ", True),
        (W("q\u0323\u0307", normalization="nfd"), "q\u0307\u0323", False),
        (W("modern", confusables=True), "modem", True),
        (W("paypal", confusables=True), "раypaĺ", False),
        (W("paypal", confusables=True), "раypal\u0301", False),
        (W("그", confusables=True), "\u1100\u1173\u11a8", False),
        (W("r", confusables=True), "m", False),
    ],
)
def test_the_referee_finds(wanted: Wanted, text: str, expected: bool) -> None:
    """Worked by hand from the definition; marks in another order are not caught."""
    assert occurs(wanted, text) == expected
