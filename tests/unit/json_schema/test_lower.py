"""Each keyword by examples, where two of them meet, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

import langc
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy

OPEN = langc.parse_policy(r"policy open { deny [\u{10FFFF}]; }")
KO = langc.parse_policy(r'policy ko { deny script Han; allow "漢江"; }')

Json = Any


def takes(schema: Json, text: str, policy: Policy = OPEN) -> bool:
    """Whether a text is permitted under a schema."""
    return policy.with_(json_schema=schema).accepts(text)


ONE_OF = {"oneOf": [{"type": "integer"}, {"type": "number", "maximum": 5}]}
KINDS = {
    "oneOf": [
        {"type": "object", "properties": {"kind": {"const": kind}, kind: {"type": "null"}}, "required": ["kind"]}
        for kind in ("a", "b")
    ]
}
CLOSED = {
    "allOf": [
        {"properties": {"a": {"type": "null"}}, "additionalProperties": False},
        {"properties": {"a": {}, "b": {"type": "null"}}},
    ]
}

TABLE: list[tuple[Json, list[str], list[str]]] = [
    ({"type": "null"}, ["null"], ["", "nul", " null", '"null"']),
    ({"type": "boolean"}, ["true", "false"], ["True", "0", "null"]),
    ({"type": ["null", "boolean"]}, ["null", "true"], ["1"]),
    ({"type": "integer"}, ["0", "-7", "123456789012345678"], ["-0", "01", "1.0", "1e3", "+1", "1234567890123456789"]),
    ({"type": "integer", "minimum": -3, "exclusiveMaximum": 12.5}, ["-3", "0", "12"], ["-4", "13", "120"]),
    ({"type": "integer", "multipleOf": 25, "minimum": -50}, ["0", "-25", "1075"], ["-75", "5", "1074"]),
    ({"type": "number"}, ["0.5", "-12.25", "3", "0.50", "123456789012345"], ["-0", "-0.0", ".5", "5.", "1e3", "NaN"]),
    ({"type": "number", "minimum": 0.1, "exclusiveMaximum": 2}, ["0.1", "0.10", "1.999", "1"], ["0.09", "2", "2.0"]),
    ({"type": "number", "multipleOf": 2}, ["4"], ["3", "4.0", "4.5"]),
    ({"type": "string"}, ['""', '"a\\"\\\\"', '"\\u0000"'], ['"', '"\\u0041"', "a", '"\\/"']),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ['"ab"', '"😀\\n가"'], ['"a"', '"abcd"']),
    ({"type": "string", "pattern": "b{2}"}, ['"bb"', '"abba"'], ['"b"', '"bab"']),
    ({"type": "string", "pattern": "^\\p{Script=Hangul}+$"}, ['"가"'], ['"a"', '""']),
    ({"type": "string", "pattern": "a", "minLength": 3}, ['"xxa"'], ['"a"', '"xxx"']),
    ({"type": "string", "format": "date"}, ['"2024-02-29"', '"2000-02-29"'], ['"2023-02-29"', '"1900-02-29"']),
    ({"type": "string", "format": "ipv4"}, ['"127.0.0.1"'], ['"256.0.0.1"', '"01.0.0.1"']),
    ({"enum": ["a", 1, 1.5, None, [1, {"b": "c"}]]}, ['"a"', "1", "1.5", "null", '[1, {"b":"c"}]'], ["1.0", "[1]"]),
    ({"enum": ["a", "bc", 3], "type": "string", "minLength": 2}, ['"bc"'], ['"a"', "3"]),
    ({"const": 2.0, "type": "integer"}, ["2"], ["2.0", "3"]),
    ({"enum": [1, 2, 3], "minimum": 2}, ["2", "3"], ["1"]),
    ({"anyOf": [{"type": "null"}, {"type": "integer", "maximum": 3}], "minimum": 2}, ["null", "2", "3"], ["1", "4"]),
    ({"anyOf": [{"const": "漢"}, {"const": "가"}]}, ['"漢"', '"가"'], ['"나"']),
    (ONE_OF, ["6", "4.5", "0.5"], ["4", "6.5", "4.0", "5.00"]),
    (KINDS, ['{"kind":"a"}', '{"kind":"b","b":null}'], ['{"kind":"a","b":null}', "{}"]),
    (CLOSED, ["{}", '{"a":null}'], ['{"b":null}', '{"a":null,"b":null}']),
    (
        {"type": "array", "items": {"type": "null"}},
        ["[]", "[null]", "[null, null,null]"],
        ["[null,]", "[ null]", "null"],
    ),
    (
        {"type": "array", "items": {"type": "null"}, "minItems": 1, "maxItems": 2},
        ["[null]"],
        ["[]", "[null,null,null]"],
    ),
    ({"type": "array", "prefixItems": [{"type": "null"}, {"const": 1}]}, ["[null,1]"], ["[]", "[null]", "[null,1,1]"]),
    ({"prefixItems": [{"const": 0}], "items": {"const": 1}, "maxItems": 2}, ["[0]", "[0,1]"], ["[0,1,1]", "[]"]),
    ({"type": "object"}, ["{}"], ['{"a":1}', "{ }"]),
    (
        {"properties": {"a": {"const": 1}}, "additionalProperties": {"const": 2}},
        ["{}", '{"a":1}', '{"z":2}', '{"a":1, "z": 2,"y":2}'],
        ['{"a":2}', '{"z":2,"a":1}', '{"z":1}'],
    ),
    ({"additionalProperties": {"const": 2}, "required": ["k"]}, ['{"k":2}', '{"k":2,"l":2}'], ["{}", '{"l":2}']),
    ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "null"}}}, ["null"], ["1"]),
    ({"$ref": "#/definitions/n", "minimum": 3, "definitions": {"n": {"type": "integer"}}}, ["3"], ["2"]),
    ({"allOf": [{"type": "integer", "minimum": 2}, {"maximum": 3}]}, ["2", "3"], ["1", "4"]),
    (
        {"title": "t", "description": "d", "default": 3, "examples": [1], "type": "null", "$comment": ""},
        ["null"],
        ["3"],
    ),
]


@pytest.mark.parametrize(("schema", "fine", "wrong"), TABLE, ids=[json.dumps(row[0])[:60] for row in TABLE])
def test_keywords(schema: Json, fine: list[str], wrong: list[str]) -> None:
    """What each lets pass."""
    policy = OPEN.with_(json_schema=schema)

    assert [t for t in fine if not policy.accepts(t)] == []
    assert [t for t in wrong if policy.accepts(t)] == []


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ('{"漢字":"漢江"}', True),  # names are the schema's own; a permitted term stands whole
        ('{"漢字":"漢"}', False),
        ('{"漢字":"가","z漢":"가"}', False),
        ('{"漢字":"가","漢江":"가"}', True),
        ('{"漢字":"\\u6f22\\u6c5f"}', False),
    ],
)
def test_strings_obey_the_policy(text: str, fine: bool) -> None:
    """Values do, and names that the schema does not give."""
    schema = {"properties": {"漢字": {"type": "string"}}, "additionalProperties": {"type": "string"}}

    assert takes(schema, text, KO) == fine


def test_listed_values_that_the_policy_denies_fall_away() -> None:
    """The others stay."""
    schema = {"enum": ["가", "漢", "漢江", ["漢"], {"漢": 1}]}

    assert [t for t in ('"가"', '"漢"', '"漢江"', '["漢"]', '{"漢":1}') if takes(schema, t, KO)] == [
        '"가"',
        '"漢江"',
        '{"漢":1}',
    ]


REFUSED: list[tuple[Json, str]] = [
    ({"type": "string", "x-mine": 1}, "LC0362"),
    ({"type": "object", "patternProperties": {}}, "LC0362"),
    ({"type": "number", "multipleOf": 0.1}, "LC0362"),
    ({"type": "integer", "multipleOf": 3}, "LC0362"),
    ({"type": "number", "minimum": 0.12345678901234567}, "LC0362"),
    ({"type": "number", "enum": [1e300]}, "LC0362"),
    ({"enum": [[1]], "type": "array", "minItems": 2}, "LC0362"),
    ({"allOf": [{"items": {"type": "null"}}, {"prefixItems": [{"type": "null"}]}]}, "LC0362"),
    ({"type": "strin"}, "LC0363"),
    ({"type": []}, "LC0363"),
    ({"required": ["a", "a"]}, "LC0363"),
    ({"minLength": -1}, "LC0363"),
    ({"minLength": 1.5}, "LC0363"),
    ({"maximum": 3, "exclusiveMaximum": True}, "LC0363"),
    ({"items": [{"type": "null"}]}, "LC0363"),
    ({"properties": {"a": 1}}, "LC0363"),
    ({"$ref": "#"}, "LC0364"),
    ({"properties": {"a": {"items": {"$ref": "#"}}}}, "LC0364"),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}, "LC0364"),
    ({"oneOf": [{"type": "object"}, {"type": "object", "properties": {"a": {"type": "null"}}}]}, "LC0365"),
    ({"oneOf": [{"items": {"type": "null"}}, {"items": {"type": "boolean"}}]}, "LC0365"),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}], "type": "integer"}, "LC0366"),
    ({"enum": ["漢"]}, "LC0366"),
    ({"type": "string", "pattern": "^漢$"}, "LC0366"),
    ({"type": "string", "minLength": 3, "maxLength": 2}, "LC0366"),
    ({"type": "integer", "minimum": 0.1, "maximum": 0.9}, "LC0366"),
    ({"allOf": [{"type": "string"}, {"type": "null"}]}, "LC0366"),
    ({"properties": {"a": False}, "required": ["a"]}, "LC0366"),
    ({"type": "object", "required": ["a"]}, "LC0366"),
    ({"type": "array", "minItems": 1}, "LC0366"),
    ({"$ref": "other.json"}, "LC0367"),
    ({"$ref": "#/$defs/a"}, "LC0367"),
    ({"$ref": "#/type", "type": "null"}, "LC0367"),
    ({"type": "string", "pattern": "("}, "LC0368"),
    ({"type": "string", "pattern": "a$b"}, "LC0368"),
    ({}, "LC0370"),
    ({"type": "object", "additionalProperties": True}, "LC0370"),
    ({"type": "array", "items": {"title": "anything"}}, "LC0370"),
]


@pytest.mark.parametrize(("schema", "code"), REFUSED, ids=[json.dumps(row[0])[:60] for row in REFUSED])
def test_what_is_refused(schema: Json, code: str) -> None:
    """With its code, its place in the JSON, and a pointer."""
    with pytest.raises(LangcError) as refused:
        takes(schema, "", KO)
    (diagnostic,) = refused.value.diagnostics

    assert diagnostic.code == code
    assert diagnostic.primary is not None
    assert "(at #" in diagnostic.message


def test_a_reference_that_is_used_twice_is_no_recursion() -> None:
    """Nor is one beside a schema that refers to it inside."""
    held = {"a": {"properties": {"p": {"$ref": "#/$defs/b"}}}, "b": {"properties": {"q": {"type": "null"}}}}
    schema = {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "$defs": held}

    assert takes(schema, '{"p":{"q":null},"q":null}')


def test_annotations_of_openapi() -> None:
    """A union as pydantic writes it: `discriminator` says how to tell its schemas apart, and excludes nothing."""
    kinds = {
        name: {"type": "object", "properties": {"kind": {"const": name}}, "required": ["kind"]}
        for name in ("cat", "dog")
    }
    schema = {
        "$defs": kinds,
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in kinds],
        "discriminator": {"propertyName": "kind", "mapping": {name: f"#/$defs/{name}" for name in kinds}},
        "example": {"kind": "cat"},
    }
    policy = langc.load_policy("ko").with_(json_schema=schema)

    assert policy.accepts('{"kind":"dog"}')
    assert not policy.accepts('{"kind":"cow"}')


def test_zeros_in_front_of_a_repetition() -> None:
    """However many, they do not change the number."""
    policy = langc.load_policy("ko").with_(
        json_schema={"type": "string", "pattern": "^a{0000000000002,0000000000003}$"}
    )

    assert [policy.accepts(f'"{"a" * n}"') for n in range(5)] == [False, False, True, True, False]
