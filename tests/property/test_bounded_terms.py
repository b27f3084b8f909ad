"""Permitted terms with boundaries and foldings: both automata against the definition by occurrences."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from tests.oracle.bounded import Scope
from tests.oracle.phrases import Wanted
from tests.property.rule_worlds import (
    OTHERS,
    allow_terms,
    compare,
    deny_phrases,
    escaped,
    few_characters,
    letters,
    phrases,
    policy_of,
    terms,
)

pytestmark = pytest.mark.slow

W = Wanted
WORLDS: dict[str, tuple[str, int, str, tuple[Wanted, ...], tuple[Wanted, ...]]] = {
    "case": ("abA.", 7, "abAB", (W("ab", case=True, right="word"),), ()),
    "a boundary beside a term": (
        "ab.",
        7,
        "ab",
        (W("ab", left="word", right="script"), W("ba", right="word"), W("bb")),
        (),
    ),
    "terms that overlap": (
        "ab.c",
        7,
        "abc",
        (W("ab", left="word", right="word"), W("abc"), W("bca", right="word")),
        (),
    ),
    "half of a fold": ("sßS가", 6, "sßS", (W("ss", case=True, right="script"), W("ßs", left="word")), ()),
    "width": ("AＡb.", 7, "aAＡbBＢ", (W("ab", case=True, width=True, left="script", right="script"),), ()),
    "terms that hold a permitted character": ("ab-", 9, "ab", (W("a-b", right="word"), W("b-a", left="word")), ()),
    "a phrase takes a term away": (
        "ab.",
        8,
        "ab",
        (W("ab", right="word"), W("aab", left="word")),
        (W("b.a"), W(".aa", right="word")),
    ),
    "scripts": ("ABa1", 6, "AB", (W("AB", left="script", right="script"), W("BA", left="word")), ()),
}


def _referee(denied: str, wanted: tuple[Wanted, ...], banned: tuple[Wanted, ...]) -> Scope:
    return Scope(lambda character: character not in denied, wanted, banned)


def _rules(denied: str, wanted: tuple[Wanted, ...], banned: tuple[Wanted, ...]) -> str:
    return f"deny [{escaped(denied)}]; {allow_terms(wanted)} {deny_phrases(banned)}"


@pytest.mark.parametrize("name", WORLDS)
def test_small_worlds(name: str) -> None:
    """Every text over an alphabet that hits the rule."""
    alphabet, length, denied, wanted, banned = WORLDS[name]
    referee = _referee(denied, wanted, banned).trying(alphabet + "x가1 " + letters(wanted), 3)

    assert compare(policy_of(_rules(denied, wanted, banned)), referee, alphabet, length) >= 90


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_drawn_terms(data: st.DataObject) -> None:
    """Up to two terms and one denied phrase with any options, over characters of which some are denied."""
    characters = data.draw(few_characters)
    denied = "".join(data.draw(st.lists(st.sampled_from(characters), min_size=1, max_size=4, unique=True)))
    wanted = tuple(data.draw(st.lists(terms(characters), min_size=1, max_size=2)))
    banned = tuple(data.draw(st.lists(phrases(characters), max_size=1)))
    referee = _referee(denied, wanted, banned).trying(characters + OTHERS + letters((*wanted, *banned)), 3)
    policy = policy_of(_rules(denied, wanted, banned))
    pieces = st.sampled_from([*characters, *(w.text for w in wanted)])
    for text in data.draw(st.lists(st.lists(pieces, max_size=6).map("".join), min_size=8, max_size=8)):
        assert policy.first_violation(text) == referee.first_violation(text), ascii(text)
        assert policy.accepts(text) == referee.accepts(text), ascii(text)


@pytest.mark.parametrize("option", ["ignore space", "ignore invisible", "space any", "normalization nfc", "early"])
def test_nothing_in_a_term_is_passed_over(option: str) -> None:
    """A term is given back character by character; what could hide others in it is no option of terms."""
    with pytest.raises(PolicyError, match="LC0330"):
        _ = policy_of(f'deny [a]; allow "ab" {{ {option}; }}').ir
