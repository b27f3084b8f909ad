"""`keep` gives up the fewest denied characters: against trying all of them."""

from __future__ import annotations

import pytest
from hypothesis import given

from langc.compiler.tokens.characters.code_points import flags_of, set_of
from langc.compiler.tokens.static_bias.keep import give_up
from langc.compiler.unicode.intervals import IntervalSet
from tests.property.static_bias.toys import banned_tight, denied_sets, pieces, spells, subsets, text_of, vocabularies


@given(vocabularies | pieces, denied_sets, denied_sets)
def test_nothing_smaller_would_do(tokens: list[bytes], denied: frozenset[str], kept: frozenset[str]) -> None:
    """Of all sets to give up under which every kept character is spelled, it is the only smallest one."""
    spellable = [c for c in kept if spells(tokens, c)]

    def works(given_up: set[str]) -> bool:
        allowed = set(tokens) - banned_tight(tokens, denied - given_up)
        return all(spells(allowed, c) for c in spellable)

    solutions = [s for s in subsets(denied) if works(s)]
    smallest = [s for s in solutions if len(s) == len(solutions[0])]
    found = give_up(text_of(tokens), flags_of(IntervalSet.of(*denied)), flags_of(IntervalSet.of(*kept)))

    assert [set(map(chr, set_of(found)))] == smallest


ONE, TWO, THREE = {0x40001, 0x40040}, {0x41040}, {0x41000}
"""Characters that share one, two and three bytes with U+41001, which is F1 81 80 81."""


@pytest.mark.parametrize(
    ("tokens", "given_up"),
    [
        pytest.param("F1 80 81", ONE | TWO | THREE, id="one byte after another"),
        pytest.param("F1 8180 81", ONE | TWO | THREE, id="a byte, two, and a byte"),
        pytest.param("F1 81 8081", ONE | TWO | THREE, id="a byte, a byte, and two"),
        pytest.param("F1 818081", ONE | TWO | THREE, id="a byte and three at once"),
        pytest.param("F1 80 81 F181", TWO | THREE, id="two bytes that open it"),
        pytest.param("F181 8081", TWO | THREE, id="two halves"),
        pytest.param("F1 F181 80 8081 F18180 81", THREE, id="three bytes that open it"),
        pytest.param("F1 80 81 F1818081", set(), id="a token of its own"),
        pytest.param("F1 80", set(), id="no spelling"),
    ],
)
def test_the_longest_beginning_counts(tokens: str, given_up: set[int]) -> None:
    """U+41001 is kept: of its spellings that one counts whose first token is longest."""
    text = text_of(bytes.fromhex(t) for t in tokens.split())
    denied = flags_of(IntervalSet.of(*ONE, *TWO, *THREE))

    assert set(set_of(give_up(text, denied, flags_of(IntervalSet.of(0x41001))))) == given_up


def test_a_kept_character_that_is_denied_is_given_up() -> None:
    """With a token of its own it takes nothing else along; without, what shares its first bytes."""
    denied, kept = flags_of(IntervalSet.of(0x41000, 0x41001, 0x41040)), flags_of(IntervalSet.of(0x41001))
    whole, halves = (text_of([bytes.fromhex(t) for t in tokens.split()]) for tokens in ("F1818081", "F18180 81"))

    assert list(set_of(give_up(whole, denied, kept))) == [0x41001]
    assert list(set_of(give_up(halves, denied, kept))) == [0x41000, 0x41001]
