"""JSON schemas as languages, judged by `json`, `jsonschema` and the oracle of policies: which share no code."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import Dfa
from langc.compiler.checking.check import check
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from tests.oracle.residual import Referee
from tests.property.json_schema.schemas import (
    NAMES,
    Schema,
    flat,
    sampled,
    schemas,
    strings_in,
    texts,
    written,
)
from tests.property.languages import scope_policies

pytestmark = pytest.mark.slow

RELAXED = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], deadline=None)


def _dfa(policy: Policy, schema: Schema) -> Dfa | None:
    """The automaton; None if no value fits or the schema cannot be said exactly."""
    try:
        return policy.with_(json_schema=schema).dfa
    except LangcError as error:
        if {d.code for d in error.diagnostics} <= {"LC0362", "LC0365", "LC0366"}:
            return None
        raise


def _is_valid(value: object, schema: Schema) -> bool:
    try:
        Draft202012Validator(schema).validate(value)
    except ValidationError:
        return False
    return True


@given(scope_policies, schemas(), st.data())
@RELAXED
def test_every_text_is_valid_and_permitted(policy: Policy, schema: Schema, data: st.DataObject) -> None:
    """Whatever is sampled from the automaton is JSON, valid, spelled in the one way, and holds permitted strings."""
    dfa = _dfa(policy, schema)
    assume(dfa is not None)
    assert dfa is not None
    referee = Referee(policy.ir.language)

    for _ in range(5):
        text = data.draw(sampled(dfa))
        value = json.loads(text)
        assert _is_valid(value, schema), (text, schema)
        assert all(map(referee.accepts, strings_in(value))), text
        for string in re.findall(r'"(?:[^"\\]|\\.)*"', text):
            assert json.dumps(json.loads(string), ensure_ascii=False) == string


def _narrowed(schema: Any) -> Any:
    """What the documented restrictions leave of a flat schema, as a schema."""
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    if "properties" in schema:
        found["properties"] = {name: _narrowed(s) for name, s in schema["properties"].items()}
        found["additionalProperties"] = schema.get("additionalProperties", False)
    if schema.get("type") == "array":
        prefix = [_narrowed(s) for s in schema.get("prefixItems", [])]
        found["items"] = _narrowed(schema.get("items", False))
        most = schema.get("maxItems", len(prefix))
        found["minItems"] = max(schema.get("minItems", 0), min(len(prefix), most))
        if prefix:
            found["prefixItems"] = prefix
    return found


_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(texts, st.integers(-13, 100), st.sampled_from([0.5, -3.25, 12.5, 12.75]), st.booleans(), st.none()),
    lambda parts: st.one_of(st.lists(parts, max_size=3), st.dictionaries(st.sampled_from([*NAMES, "z"]), parts)),
    max_leaves=4,
)


@st.composite
def _instances(draw: st.DrawFn, schema: Any) -> Any:
    """A value that may well be valid."""
    if not isinstance(schema, dict) or draw(st.integers(0, 9)) == 0:
        return draw(_values)
    if "enum" in schema or "const" in schema:
        return draw(st.sampled_from(schema.get("enum", [schema.get("const")])))
    match schema["type"]:
        case "object":
            named = schema["properties"]
            there = [n for n in named if n in schema["required"] or draw(st.booleans())]
            others = [n for n in ("z", "中") if n not in named and draw(st.integers(0, 3)) == 0]
            below = {n: draw(_instances(named[n])) for n in there}
            return below | {n: draw(_instances(schema.get("additionalProperties"))) for n in others}
        case "array":
            prefix = [draw(_instances(s)) for s in schema.get("prefixItems", [])]
            return prefix + [draw(_instances(schema.get("items"))) for _ in range(draw(st.integers(0, 2)))]
        case "string" | ["string", "null"]:
            return draw(texts)
        case "integer" | "number":
            return draw(st.one_of(st.integers(-13, 100), st.sampled_from([0.5, -3.25, 12.5, 12.75])))
        case _:
            return draw(st.sampled_from([True, False, None]))


def _is_named_well(value: Any, schema: Any, referee: Referee) -> bool:
    """Whether the names of properties that no schema names are permitted."""
    if isinstance(value, list) and isinstance(schema, dict):
        prefix = schema.get("prefixItems", [])
        parts = [(v, prefix[n] if n < len(prefix) else schema.get("items")) for n, v in enumerate(value)]
        return all(_is_named_well(v, s, referee) for v, s in parts)
    if isinstance(value, dict) and isinstance(schema, dict) and "properties" in schema:
        named = schema["properties"]
        fine = all(referee.accepts(name) for name in value if name not in named)
        return fine and all(_is_named_well(v, named.get(n), referee) for n, v in value.items())
    return True


@given(scope_policies, flat, st.data())
@RELAXED
def test_a_value_is_written_iff_it_is_valid_and_permitted(policy: Policy, schema: Schema, data: st.DataObject) -> None:
    """But for what docs/json-schema.md leaves out: its properties in the order of the schema, and no others."""
    dfa = _dfa(policy, schema)
    assume(dfa is not None)
    assert dfa is not None
    referee = Referee(policy.ir.language)

    for _ in range(4):
        value = data.draw(_instances(schema))
        permitted = all(map(referee.accepts, strings_in(value))) and _is_named_well(value, schema, referee)
        expected = permitted and _is_valid(value, _narrowed(schema))
        assert dfa.accepts(map(ord, written(value))) == expected, (written(value), schema)


ORDERED: Schema = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "null"}}},
}


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ('{"a":1,"b":[null,null]}', True),
        ('{"a": 1, "b": [null, null]}', True),
        ('{"a":1, "b": [null,null]}', True),
        ('{"b":[]}', True),
        ("{}", True),
        ('{"a":  1}', False),
        ('{"a" :1}', False),
        ('{ "a":1}', False),
        ('{"a":1 }', False),
        ('{"a":1,"b":[ ]}', False),
        ('{"a":1,\n"b":[]}', False),
        ('{"b":[],"a":1}', False),
        ('{"a":1}\n', False),
        ('{"a":1,"a":1}', False),
        ('{"a":1,}', False),
    ],
)
def test_blanks_and_order(text: str, fine: bool) -> None:
    """One blank may stand behind a comma and a colon, and properties stand in their order."""
    assert Policy(_open()).with_(json_schema=ORDERED).accepts(text) == fine


def _open() -> Any:
    from langc.compiler.ir.language import cover
    from langc.compiler.ir.nodes import PolicyIR
    from langc.compiler.unicode.intervals import SCALARS

    return PolicyIR("open", None, (), cover(SCALARS))


def test_the_referee_can_say_no() -> None:
    """What is compared is no constant."""
    dfa = build_dfa(Policy(_open()).with_(json_schema={"type": "integer", "minimum": 3}).ir.language)

    assert [n for n in range(6) if dfa.accepts(map(ord, str(n)))] == [3, 4, 5]


@given(scope_policies, schemas(), st.data())
@RELAXED
def test_check_finds_the_first_violation(policy: Policy, schema: Schema, data: st.DataObject) -> None:
    """Of a text with a few characters changed, and has none to find iff the text is permitted."""
    dfa = _dfa(policy, schema)
    assume(dfa is not None)
    assert dfa is not None
    held = policy.with_(json_schema=schema)
    text = data.draw(sampled(dfa))
    at = data.draw(st.integers(0, len(text)))
    text = (
        text[:at]
        + data.draw(st.text(st.sampled_from('ab"\\中,}'), max_size=2))
        + text[at + data.draw(st.integers(0, 2)) :]
    )
    assume(text)  # there is no place in an empty text to point at
    first, violations = held.first_violation(text), check(text, held).violations

    assert (first is None) == dfa.accepts(map(ord, text)) == (not violations)
    if violations:
        assert min(v.offset for v in violations) == first
