"""JSON strings whose values are in a language, judged by Python's own reader and writer of JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.eliminate import plain
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Language, json_string
from langc.compiler.policy import Policy
from tests.oracle.residual import Referee
from tests.property.languages import POOL, covers, languages, scope_policies

_SIGNS = ['"', "\\", "/", "u", "n", "b", "0", "1", "f", "F", "4e2d", "\n", "\x1f", "u0000", "u001f", "u001F", "ud83d"]
_pieces = st.one_of(st.sampled_from(_SIGNS), st.sampled_from(POOL), st.sampled_from(["\\n", "\\u000a", "\\u0000"]))
written = st.lists(_pieces, max_size=6).map("".join)
"""What may stand between quotes, or may not."""
values = st.one_of(st.text(st.sampled_from(POOL + '"\\\n/'), max_size=6), st.text(max_size=4))


def _value(text: str) -> str | None:
    """The value of what stands between two quotes, None if it is no JSON or Python would write it in another way."""
    try:
        value = json.loads(f'"{text}"')
    except ValueError:
        return None
    return value if isinstance(value, str) and json.dumps(value, ensure_ascii=False) == f'"{text}"' else None


@given(languages, written)
def test_a_text_is_in_it_iff_its_value_is(part: Language, text: str) -> None:
    """And the text is the one spelling of that value."""
    value = _value(text)
    expected = value is not None and Referee(part).accepts(value)

    assert build_dfa(json_string(part)).accepts(map(ord, text)) == expected


@given(languages, values)
def test_every_value_has_its_spelling(part: Language, value: str) -> None:
    """As Python writes it."""
    text = json.dumps(value, ensure_ascii=False)[1:-1]

    assert build_dfa(json_string(part)).accepts(map(ord, text)) == Referee(part).accepts(value)


@given(covers)
def test_the_expression_is_the_same_language(part: Language) -> None:
    """What regular expressions say of strings is what the automaton says."""
    language = json_string(part)
    try:
        written_out = plain(language)
    except LimitError:
        return
    assert build_dfa(written_out) == build_dfa(language)


_json = st.recursive(
    st.one_of(values, st.integers(-9, 99), st.booleans(), st.none()),
    lambda parts: st.one_of(st.lists(parts, max_size=3), st.dictionaries(values, parts, max_size=3)),
    max_leaves=6,
)


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [s for part in value for s in _strings(part)]
    if isinstance(value, dict):
        return [s for key, part in value.items() for s in (key, *_strings(part))]
    return []


@given(scope_policies, _json, st.booleans())
def test_json_strings_obey_a_policy(policy: Policy, value: object, indented: bool) -> None:
    """A JSON text is permitted iff each of its strings is; written with escapes for everything it is not."""
    held = Policy(replace(policy.lowered, json_strings=True))
    referee = Referee(policy.ir.language)
    text = json.dumps(value, ensure_ascii=False, indent=1 if indented else None)

    assert held.accepts(text) == all(map(referee.accepts, _strings(value)))
    escaped = "".join(f"\\u{ord(c):04x}" if "가" <= c <= "힣" or c == "中" else c for c in text)
    if escaped != text:
        assert not held.accepts(escaped)
