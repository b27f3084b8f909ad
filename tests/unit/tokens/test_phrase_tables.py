"""Phrases beside tables: no way into a dead end, in cases made by hand."""

from __future__ import annotations

import numpy as np
import pytest

import langc
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.ir.apart import denied_phrases, without_phrases
from langc.compiler.policy import Apart, Policy
from langc.compiler.tokens.choose import phrase_tables
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.phrases import ways as phrase_ways
from langc.compiler.tokens.phrases.tables import PhraseTables
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.unit.tokens.toys import split_bytes, toy


def tables_of(rules: str, vocabulary: Vocabulary) -> PhraseTables:
    """Of a policy with these rules, taken apart however few its phrases are."""
    policy = langc.parse_policy(f"policy p {{ {rules} }}")
    apart = Apart(policy, Policy(without_phrases(policy.lowered)), denied_phrases(policy.lowered))
    return phrase_tables(apart, vocabulary)


def allowed(tables: PhraseTables, *tokens: int) -> list[int]:
    """The tokens that may follow these."""
    state: int | None = tables.start
    for token in tokens:
        assert state is not None
        state = tables.target(state, token)
    assert state is not None
    by_step = [token for token in range(tables.size) if tables.target(state, token) is not None]

    assert np.flatnonzero(tables.mask(state)).tolist() == by_step
    assert tables.edges(state).ids.tolist() == by_step

    return by_step


def test_a_phrase_that_could_never_be_barred_is_not_begun() -> None:
    """Behind `ab` only `-` may follow, which completes the phrase, or `ab` again, behind which it is no better."""
    rules = 'only [\\-]; allow "ab"; deny phrase "ab" { boundary right; }'

    assert allowed(tables_of(rules, toy(b"a", b"b", b"ab", b"-", b"-ab", "<eos>"))) == [3]
    with pytest.raises(PolicyError, match="LC0402"):
        tables_of(rules, toy(b"a", b"b", b"ab", "<eos>"))


def test_a_phrase_that_can_be_barred_may_wait() -> None:
    """With `x` permitted as well, `ab` can go on; it cannot end, nor be followed by `-`."""
    tables = tables_of('only [x\\-]; allow "ab"; deny phrase "ab" { boundary right; }', toy(b"ab", b"-", b"x", "<eos>"))

    assert allowed(tables) == [0, 1, 2]
    assert allowed(tables, 0) == [0, 2]
    assert allowed(tables, 0, 2) == [0, 1, 2]


def test_a_term_that_would_complete_a_phrase_is_not_begun() -> None:
    """`x` stands only in `xyz`, and `yz` is denied."""
    tables = tables_of('deny [xyz]; allow "xyz"; deny phrase "yz";', toy(b"x", b"xy", b"y", b"z", b"-", "<eos>"))

    assert allowed(tables) == [4]


def test_a_character_that_no_byte_can_finish_is_not_begun() -> None:
    """C3 A9 is a denied phrase; C3 A8 is not, where the vocabulary has it."""
    rules = 'deny phrase "é";'

    assert allowed(tables_of(rules, toy(b"-", *split_bytes("C3", "A9"), "<eos>"))) == [0]
    assert allowed(tables_of(rules, toy(b"-", *split_bytes("C3", "A9", "A8"), "<eos>"))) == [0, 1]
    assert allowed(tables_of(rules, toy(b"-", *split_bytes("C3", "A9", "A8"), "<eos>")), 1) == [3]


def test_a_character_that_cannot_bar_is_not_begun() -> None:
    """Behind a waiting phrase E2 80 is a sign or a blank whatever follows, and C3 is a letter."""
    vocabulary = toy(b"a", b" ", *split_bytes("E280", "E2", "80", "93", "C3", "A9", "B0"), "<eos>")
    tables = tables_of('deny phrase "a" { boundary right word; }', vocabulary)

    assert allowed(tables) == [0, 1, 2, 3, 6]
    assert allowed(tables, 0) == [0, 3, 6]  # E2 B0 80 is a letter
    assert allowed(tables, 0, 3) == [5, 8]  # so is E2 93 80, a K in a circle; E2 80 and E2 A9 have signs only


def test_tokens_that_hold_complete_and_carry_on_phrases() -> None:
    """Whole phrases, ends of phrases begun before, and the same bytes where they are neither."""
    vocabulary = toy(b"ass", b" ass ", b"s ", b"s", b"a", b"x", b" ", "<eos>")
    tables = tables_of('deny phrase "ass", "x" { boundary both; }', vocabulary)

    assert allowed(tables) == [0, 2, 3, 4, 5, 6]
    assert allowed(tables, 0) == [0, 2, 3, 4, 5]
    assert allowed(tables, 4) == [0, 2, 3, 4, 5, 6]
    assert allowed(tables, 4, 3) == [0, 3, 4, 5, 6]
    assert allowed(tables, 3, 0) == [0, 2, 3, 4, 5, 6]


def test_the_search_for_an_end_has_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no single character settles it, so many tokens are read and no more."""
    rules = 'only [\\-]; allow "ab"; deny phrase "ab" { boundary right; }'
    monkeypatch.setattr(phrase_ways, "MAX_PHRASE_STEPS", 1)

    with pytest.raises(LimitError, match="LC0701"):
        tables_of(rules, toy(b"a", b"b", b"ab", b"-", b"-ab", "<eos>"))


@pytest.mark.parametrize(
    ("phrase", "before", "character"),
    [
        ("ass", b"a", "ß"),
        ("a가", b"a", "가"),
        ("가", b"", "가"),
        ("i\u0307", b"", "İ"),
        ("a b", b"a", "\u3000b"),
    ],
)
def test_a_character_in_pieces_completes_a_phrase(phrase: str, before: bytes, character: str) -> None:
    """One that counts as several letters, too: its last byte is refused, and one that leads elsewhere is not."""
    pieces = [bytes([byte]) for byte in character.encode()]
    ids = [*range(len(before)), *(len(before) + n for n in range(len(pieces)))]
    other = bytes([pieces[-1][0] ^ 1])
    tables = tables_of(
        f'deny phrase "{phrase}" {{ ignore case, space, width; }}',
        toy(*(bytes([b]) for b in before), *pieces, other, "<eos>"),
    )

    assert ids[-1] not in allowed(tables, *ids[:-1])
    assert character[1:] or len(ids) in allowed(tables, *ids[:-1])


def test_the_rows_that_others_are_made_of_can_be_made_before() -> None:
    """A text with nothing in progress makes none, and they are those that a step makes."""
    tables = tables_of('only [abx ]; deny phrase "ab" { boundary left word; }', toy(b"a", b"b", b"x", b" ", "<eos>"))
    prepared, plain = TokenMachine(tables), TokenMachine(tables)
    prepared.prepare()
    made = set(prepared.packed._rows)

    assert tables.plain_states() == [tables.start, tables.target(tables.start, 2)]
    assert {prepared._near is not None and prepared._near[state].state for state in tables.plain_states()} == made
    for state in tables.plain_states():
        assert prepared.masks[state].tolist() == plain.masks[state].tolist()
