"""Strategies for JSON schemas and their instances, and texts sampled from automata."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

from langc.compiler.automata.dfa import DEAD, Dfa

Schema = dict[str, Any]

NAMES = ("a", "b", 'c"', "가", "中\n")
SIGNS = 'ab"\\\x00\x1fé中가😀'
texts = st.text(st.sampled_from(SIGNS), max_size=4)
PATTERNS = ("a", "^a", "^[ab]*$", "a|中", "^(?:a|가){1,2}", "[^中]{2}", "b.?a", "^$")


def _without_none(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if value is not None}


def _maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values)


strings = st.fixed_dictionaries(
    {
        "type": st.just("string"),
        "minLength": _maybe(st.integers(0, 2)),
        "maxLength": _maybe(st.integers(0, 4)),
        "pattern": _maybe(st.sampled_from(PATTERNS)),
    }
).map(_without_none)
_bounds = _maybe(st.sampled_from([-12, -1, 0, 1, 3, 10, 12.5, -0.25, 99]))
numbers = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["integer", "number"]),
        "minimum": _bounds,
        "maximum": _bounds,
        "exclusiveMinimum": _bounds,
        "exclusiveMaximum": _bounds,
        "multipleOf": _maybe(st.sampled_from([1, 2, 5, 10])),
    }
).map(_without_none)
_listed: st.SearchStrategy[Any] = st.one_of(
    texts, st.integers(-12, 12), st.sampled_from([0.5, 1.0, -3.25]), st.booleans(), st.none()
)
listed = st.one_of(
    st.fixed_dictionaries({"enum": st.lists(_listed, min_size=1, max_size=4)}),
    st.fixed_dictionaries({"const": st.one_of(_listed, st.lists(_listed, max_size=2), st.just({"a": "b", "中": 1}))}),
)
plain = st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"], "maxLength": 2}])
scalars: st.SearchStrategy[Schema] = st.one_of(strings, numbers, listed, plain)


@st.composite
def objects(draw: st.DrawFn, parts: st.SearchStrategy[Schema]) -> Schema:
    """With named properties, some of them required, and perhaps others."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3))
    schema: Schema = {"type": "object", "properties": {name: draw(parts) for name in names}}
    schema["required"] = [name for name in names if draw(st.booleans())]
    others = draw(st.one_of(st.none(), st.just(False), scalars))
    return schema if others is None else schema | {"additionalProperties": others}


def arrays(parts: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """With a prefix or without."""
    return st.fixed_dictionaries(
        {
            "type": st.just("array"),
            "prefixItems": _maybe(st.lists(parts, min_size=1, max_size=2)),
            "items": _maybe(st.one_of(parts, st.just(False))),
            "minItems": _maybe(st.integers(0, 2)),
            "maxItems": _maybe(st.integers(0, 3)),
        }
    ).map(_without_none)


flat: st.SearchStrategy[Schema] = st.recursive(
    scalars, lambda parts: st.one_of(objects(parts), arrays(parts)), max_leaves=5
)
"""Schemas without `anyOf`, `oneOf`, `allOf` and `$ref`."""


def _combined(parts: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    several = st.lists(parts, min_size=1, max_size=3)
    words = st.sampled_from(["anyOf", "oneOf", "allOf"])
    return st.one_of(
        objects(parts),
        arrays(parts),
        st.builds(lambda word, schemas: {word: schemas}, words, several),
        st.builds(lambda base, word, schemas: base | {word: schemas}, parts, words, several),
    )


_any: st.SearchStrategy[Schema] = st.recursive(scalars, _combined, max_leaves=6)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """All of them: what is said elsewhere is said in `$defs`."""
    schema, held = draw(_any), draw(_any)
    if draw(st.booleans()):
        return schema
    reference: Schema = {"$ref": "#/$defs/held"}
    whole: Schema = draw(st.sampled_from([reference, {"type": "object", "properties": {"a": reference, "b": schema}}]))
    return {**whole, "$defs": {"held": held}}


@st.composite
def sampled(draw: st.DrawFn, dfa: Dfa) -> str:
    """A text of an automaton that has one: at random for a while, and then the shortest way to an end."""
    random = draw(st.randoms(use_true_random=False))
    return sample(dfa, random, random.randint(0, 40))


def sample(dfa: Dfa, random: Random, steps: int) -> str:
    """As `sampled`, with so many random steps."""
    distance = _distances(dfa)
    state, text = dfa.start, ""
    while state not in dfa.accepting or (steps > 0 and random.random() < 0.8):
        edges = [(members, t) for members, t in dfa.edges(state) if t in distance]
        if not edges:
            break
        steps -= 1
        if steps < 0:
            edges = [min(edges, key=lambda edge: distance[edge[1]])]
        members, state = random.choice(edges)
        low, high = random.choice(members.ranges)
        text += chr(random.choice([low, high, random.randint(low, high)]))
    return text


def _distances(dfa: Dfa) -> dict[int, int]:
    found = dict.fromkeys(dfa.accepting, 0)
    queue = list(found)
    for state in queue:
        for source in dfa.sources[state]:
            if source != DEAD and source not in found:
                found[source] = found[state] + 1
                queue.append(source)
    return found


def written(value: object) -> str:
    """As langc writes it without blanks; numbers without exponent and without a fraction that is zero."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{written(k)}:{written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def strings_in(value: object, named: bool = False) -> list[str]:
    """The strings of a value; the names of properties too if asked for."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [s for part in value for s in strings_in(part, named)]
    if isinstance(value, dict):
        return [s for k, part in value.items() for s in ([k] * named + strings_in(part, named))]
    return []
