"""What the keywords of a schema may hold, and what to do about those that langc does not know.

Invariant: a keyword is read, or it is an annotation, which says nothing of the value, or it is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from langc.compiler.json_schema.values import Node, fault
from langc.compiler.suggest import did_you_mean

ANNOTATIONS = frozenset(
    {
        *("title", "description", "default", "examples", "$schema", "$id", "$comment"),
        *("deprecated", "readOnly", "writeOnly"),
        *("discriminator", "example", "externalDocs"),
    }
)
"""The last ones are of OpenAPI; its `discriminator` is a hint beside `oneOf` and `anyOf`, and excludes no value."""
CONTAINERS = frozenset({"$defs", "definitions"})
"""They hold schemas for `$ref`, and say nothing where they stand."""
TYPES = ("string", "number", "integer", "boolean", "null", "array", "object")

_SCHEMA = frozenset({"object", "boolean"})


def _is_schema(node: Node) -> bool:
    return node.kind in _SCHEMA


def _are_schemas(node: Node) -> bool:
    return node.kind == "array" and bool(node.items) and all(map(_is_schema, node.items))


def _are_named_schemas(node: Node) -> bool:
    return node.kind == "object" and all(map(_is_schema, node.members.values()))


def _is_count(node: Node) -> bool:
    return node.kind == "number" and node.number >= 0 and node.number == node.number.to_integral_value()


def _is_number(node: Node) -> bool:
    return node.kind == "number"


def _is_step(node: Node) -> bool:
    return node.kind == "number" and node.number > 0


def _is_text(node: Node) -> bool:
    return node.kind == "string"


def _are_texts(node: Node) -> bool:
    texts = [n.scalar for n in node.items] if node.kind == "array" else [None]
    return all(isinstance(t, str) for t in texts) and len(set(texts)) == len(texts)


def _are_types(node: Node) -> bool:
    named = node.items if node.kind == "array" else (node,)
    return bool(named) and all(n.kind == "string" and n.scalar in TYPES for n in named)


def _are_values(node: Node) -> bool:
    return node.kind == "array" and bool(node.items)


def _is_anything(_: Node) -> bool:
    return True


def _is_boolean(node: Node) -> bool:
    return node.kind == "boolean"


_COUNT = (_is_count, "a whole number, not below 0")
_NUMBER = (_is_number, "a number")
_SOME = (_are_schemas, "a list of schemas")
_KNOWN: dict[str, tuple[Callable[[Node], bool], str]] = {
    "type": (_are_types, f"one of {', '.join(TYPES)}, or a list of them"),
    "enum": (_are_values, "a list of values"),
    "const": (_is_anything, "any value"),
    "anyOf": _SOME,
    "oneOf": _SOME,
    "allOf": _SOME,
    "$ref": (_is_text, "a text"),
    "properties": (_are_named_schemas, "an object of schemas"),
    "required": (_are_texts, "a list of different texts"),
    "additionalProperties": (_is_schema, "a schema"),
    "items": (_is_schema, "a schema; the items of a tuple stand in `prefixItems`"),
    "prefixItems": _SOME,
    "minItems": _COUNT,
    "maxItems": _COUNT,
    "uniqueItems": (_is_boolean, "true or false"),
    "minLength": _COUNT,
    "maxLength": _COUNT,
    "pattern": (_is_text, "a text"),
    "format": (_is_text, "a text"),
    "minimum": _NUMBER,
    "maximum": _NUMBER,
    "exclusiveMinimum": (_is_number, "a number; beside `minimum`, and not `true` as in draft 4"),
    "exclusiveMaximum": (_is_number, "a number; beside `maximum`, and not `true` as in draft 4"),
    "multipleOf": (_is_step, "a number above 0"),
}

ABOUT: dict[str, tuple[str, ...]] = {
    "object": ("properties", "required", "additionalProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""The keywords that say something of one type alone."""

_CASES = "write the cases as schemas of `anyOf`"
_ADVICE = {
    "not": "say what is permitted instead, with `enum`, `pattern` or `anyOf`",
    "if": _CASES,
    "then": _CASES,
    "else": _CASES,
    "dependentRequired": _CASES,
    "dependentSchemas": _CASES,
    "dependencies": _CASES,
    "patternProperties": "name the properties, or give `additionalProperties` a schema",
    "propertyNames": "name the properties; other names obey the policy",
    "minProperties": "say which properties are `required`",
    "maxProperties": "name the properties: there are no others without `additionalProperties`",
    "unevaluatedProperties": "leave it out: there are no other properties without `additionalProperties`",
    "unevaluatedItems": "leave it out: behind `prefixItems` there are no others without `items`",
    "additionalItems": "leave it out: behind `prefixItems` there are no others without `items`",
    "contains": "say of all items what they are, with `items` and `prefixItems`",
    "minContains": "say of all items what they are, with `items` and `prefixItems`",
    "maxContains": "say of all items what they are, with `items` and `prefixItems`",
    "nullable": 'write `"type": ["…", "null"]`',
    "$dynamicRef": "refer with `$ref` to a place in this file",
    "$anchor": "refer with `$ref` to a JSON pointer, as in `#/$defs/NAME`",
}


def keywords(node: Node) -> Iterator[tuple[str, Node]]:
    """The keywords of a schema that say something of the value, each with what it holds.

    Raises PolicyError for one that langc cannot read (LC0362), or that holds what it may not (LC0363).
    """
    for key, value in node.members.items():
        if key in ANNOTATIONS | CONTAINERS:
            continue
        if key not in _KNOWN:
            raise fault("LC0362", f"keyword `{key}` is none that langc can carry exactly", value, help=_advice(key))
        holds, what = _KNOWN[key]
        if not holds(value):
            raise fault("LC0363", f"`{key}` cannot hold this", value, help=f"it holds {what}")
        yield key, value


def _advice(key: str) -> str:
    help_ = "leave it out if it is an annotation of your own; docs/json-schema.md has all keywords that are read"
    return _ADVICE.get(key) or did_you_mean(key, (*_KNOWN, *ANNOTATIONS)) or help_
