"""Schemas of strangers: what they could make langc spend ends at a budget, in bounded time."""

from __future__ import annotations

import json
from typing import Any

import pytest

import langc
from langc.compiler import limits
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.json_schema.read import read_schema
from langc.compiler.json_schema.size import Size
from langc.compiler.limits import (
    MAX_DFA_STATES,
    MAX_ENUM_VALUES,
    MAX_SCHEMA_BYTES,
    MAX_SCHEMA_CHOICES,
    MAX_SCHEMA_REFERENCES,
    MAX_SCHEMA_SIZE,
    MAX_SCHEMA_VARIANTS,
)

pytestmark = pytest.mark.slow

OPEN = langc.parse_policy(r"policy open { deny [\u{10FFFF}]; }")


def language(schema: Any) -> Any:
    """The expression."""
    return OPEN.with_(json_schema=schema).ir.language


def test_bytes() -> None:
    """Of a JSON text; a file is held to them too."""
    schema = '{"type":"null","title":"%s"}'
    space = MAX_SCHEMA_BYTES - len(schema % "")
    for size in (space - 1, space):
        read_schema(schema % ("x" * size))
    with pytest.raises(LimitError, match="bytes"):
        read_schema(schema % ("x" * (space + 1)))


def test_listed_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one list. The real limit is far above what anybody lists."""
    monkeypatch.setattr("langc.compiler.json_schema.shape.MAX_ENUM_VALUES", 20)
    for count in (19, 20):
        assert OPEN.with_(json_schema={"enum": [*range(count)]}).accepts(str(count - 1))
    with pytest.raises(LimitError, match="enum"):
        language({"enum": [*range(21)]})
    assert MAX_ENUM_VALUES >= 10_000


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_ways_to_choose(word: str) -> None:
    """Of all choices that hold for one value together."""
    few = {"allOf": [{"anyOf": [{"minimum": n} for n in range(10)]} for _ in range(2)], "type": "integer"}
    many = {"allOf": [{word: [{"minimum": n} for n in range(2)]} for _ in range(60)], "type": "integer"}

    language(few)
    with pytest.raises(LimitError, match=f"{MAX_SCHEMA_VARIANTS:,}"):
        language(many)


def _chain(word: str, count: int) -> dict[str, Any]:
    """A schema that refers to the next, so many times."""
    names = [f"#/$defs/a{n}" for n in range(count)]
    links = [{"$ref": name} if word == "$ref" else {word: [{"$ref": name}]} for name in names]
    inner = {f"a{n}": link for n, link in enumerate([*links[1:], {"type": "integer"}])}
    return {"$defs": inner, **links[0]}


def test_references_in_a_row() -> None:
    """They end at a budget, and not where the memory does."""
    language(_chain("$ref", MAX_SCHEMA_REFERENCES))
    for count in (MAX_SCHEMA_REFERENCES + 1, 15_000):
        with pytest.raises(LimitError, match="references in a row"):
            language(json.dumps(_chain("$ref", count)))


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_choices_one_after_another(word: str) -> None:
    """In a row of references or side by side: at a budget, and not where the stack ends."""
    language(_chain(word, MAX_SCHEMA_CHOICES))
    with pytest.raises(LimitError, match="choices for one value"):
        language(_chain(word, MAX_SCHEMA_CHOICES + 1))
    for count in (MAX_SCHEMA_CHOICES + 1, 5_000):
        with pytest.raises(LimitError, match="choices for one value"):
            language({"allOf": [{word: [{"type": "integer"}]} for _ in range(count)]})


def test_schemas_for_one_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain in which each schema names the next one twice, and choices of which none fits in the end."""
    monkeypatch.setattr("langc.compiler.json_schema.expand.MAX_SCHEMA_STEPS", 2_000)
    twice = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}
    halves = [{"anyOf": [{"minimum": n}, {"maximum": -n}]} for n in range(40)]
    for schema in (
        {"$defs": twice | {"a40": {"type": "integer"}}, "$ref": "#/$defs/a0"},
        {"type": "integer", "allOf": [*halves, {"anyOf": [False, False]}]},
    ):
        with pytest.raises(LimitError, match="schemas that hold for one value"):
            language(schema)


@pytest.mark.parametrize("number", ["1e40", "9" * 60, "1e9999"])
def test_long_listed_numbers_beside_a_step(number: str) -> None:
    """They have more digits than decimal arithmetic keeps."""
    policy = OPEN.with_(json_schema=f'{{"enum": [{number}, 15], "multipleOf": 500, "minimum": 3}}')
    with pytest.raises(LangcError, match=r"LC036[26]"):
        _ = policy.ir


@pytest.mark.parametrize("bound", [{"maxLength": MAX_DFA_STATES + 1}, {"minLength": MAX_DFA_STATES + 1}])
def test_long_strings(bound: dict[str, int]) -> None:
    """They are refused at their place, before an automaton is made."""
    with pytest.raises(LimitError, match="characters of a bounded string") as caught:
        language({"type": "array", "items": {"type": "string", **bound}})
    assert caught.value.diagnostics[0].primary is not None


def test_size_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The expression of a schema may be as large, and no larger."""
    schema = {"type": "array", "items": {"type": "null"}, "maxItems": 50}
    size = Size().of(language(schema))
    monkeypatch.setattr("langc.compiler.json_schema.lower.MAX_SCHEMA_SIZE", size)

    language(schema)
    with pytest.raises(LimitError, match="written out"):
        language(schema | {"maxItems": 51})
    assert limits.MAX_SCHEMA_SIZE == MAX_SCHEMA_SIZE


LAUGHS = {
    "$ref": "#/$defs/0",
    "$defs": {str(n): {"prefixItems": [{"$ref": f"#/$defs/{n + 1}"}] * 9} for n in range(20)} | {"20": {"const": 1}},
}
NEVER = {
    "$ref": "#/$defs/0",
    "$defs": {str(n): {"items": {"anyOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2}} for n in range(60)} | {"60": False},
}


@pytest.mark.parametrize(
    "schema",
    [
        LAUGHS,
        NEVER,
        {"type": "string", "maxLength": 10**9},
        {"type": "string", "minLength": 10**30},
        {"type": "array", "items": {"type": "null"}, "maxItems": 10**30},
        {"type": "array", "items": {"type": "null"}, "minItems": 10**9},
        {"type": "string", "pattern": "(((a{9999}){9999}){9999}){9999}"},
        {"type": "string", "pattern": "(" * 30_000 + ")" * 30_000},
        {"type": "string", "pattern": "a{99999999999999999999}"},
        {"type": "string", "pattern": "^(.*a.{60}b)?$"},
        {"allOf": [{"$ref": "#/allOf/1"}, {"$ref": "#/allOf/0"}]},
        {"type": "integer", "enum": [1], "minimum": 10**90},
    ],
    ids=lambda schema: json.dumps(schema)[:50],
)
def test_bombs(schema: Any) -> None:
    """An error, soon."""
    with pytest.raises(LangcError):
        OPEN.with_(json_schema=schema).dfa  # noqa: B018 - it is made when it is first asked for


def test_depth_of_what_is_described() -> None:
    """References can lead deeper than the file is."""

    def nested(depth: int) -> Any:
        held = {str(n): {"type": "array", "items": {"$ref": f"#/$defs/{n + 1}"}} for n in range(depth)}
        return {"$ref": "#/$defs/0", "$defs": held | {str(depth): {"type": "null"}}}

    for depth in (limits.MAX_SCHEMA_DEPTH - 1, limits.MAX_SCHEMA_DEPTH):
        policy = OPEN.with_(json_schema=nested(depth))
        assert policy.accepts("[" * depth + "null" + "]" * depth)
    with pytest.raises(LimitError, match="inside one another"):
        language(nested(limits.MAX_SCHEMA_DEPTH + 1))


def test_the_same_way_twice_is_one() -> None:
    """Sixty times over."""
    held = {str(n): {"type": "array", "items": {"anyOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2}} for n in range(60)}
    policy = OPEN.with_(json_schema={"$ref": "#/$defs/0", "$defs": held | {"60": {"const": 1}}})

    assert policy.accepts("[" * 60 + "1,1" + "]" * 60)
