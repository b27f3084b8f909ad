"""The one spelling of a text inside the quotes of a JSON string."""

from __future__ import annotations

import json

import pytest

from langc.compiler.automata.build import build_dfa
from langc.compiler.ir.json_text import OUTSIDE, SPELLINGS, json_text_of, quoted, spelled, spelled_out
from langc.compiler.ir.language import ANY_TEXT, FAIL, Complement, class_, cover, json_string, literal
from langc.compiler.unicode.intervals import SCALARS, IntervalSet


def test_it_is_what_python_writes() -> None:
    """For every scalar value."""
    assert all(spelled(c) == json.dumps(c, ensure_ascii=False)[1:-1] for c in map(chr, SCALARS))


def test_no_spelling_begins_another() -> None:
    """So a text can be read back from left to right."""
    assert [(a, b) for a in SPELLINGS.values() for b in SPELLINGS.values() if a != b and b.startswith(a)] == []


def test_a_whole_string() -> None:
    """With its quotes."""
    assert quoted('a"\n') == literal('"a\\"\\n"')


@pytest.mark.parametrize("members", [IntervalSet.of("ab"), IntervalSet.of('"\x00\x1f\n'), IntervalSet(), SCALARS])
def test_sets_spelled_out(members: IntervalSet) -> None:
    """The expression is the same language as the automaton."""
    assert build_dfa(spelled_out(class_(members))) == build_dfa(json_string(class_(members)))


def test_only_plain_expressions_are_spelled_out() -> None:
    """A complement is none: what is no spelling at all would be in it."""
    with pytest.raises(TypeError, match="Complement"):
        spelled_out(Complement(ANY_TEXT))


def test_json_texts() -> None:
    """Outside of strings there are the characters of JSON alone."""
    dfa = build_dfa(json_text_of(json_string(cover(SCALARS - IntervalSet.of("中"))), OUTSIDE))

    for text in ["", '{"a":"가", "b\\u0001" : [-1.5e+3, true,false,\r\n\tnull]}', '""', "]["]:
        assert dfa.accepts(map(ord, text)), text
    for text in ['"中"', '"\\u4e2d"', '"', "가", "'a'", '"\\/"', '"\\u0041"', '"\\u000a"', '"\\u001F"', "NaN", '"\t"']:
        assert not dfa.accepts(map(ord, text)), text


def test_without_any_string() -> None:
    """If no string is permitted at all, the quotes are not either."""
    assert not build_dfa(json_text_of(FAIL, OUTSIDE)).accepts(map(ord, '""'))
