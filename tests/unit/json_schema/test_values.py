"""The reader of schemas: what it reads, with its places, and what it refuses."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.errors import LangcError, LimitError
from langc.compiler.json_schema.values import Node, read_values
from langc.compiler.limits import MAX_SCHEMA_DEPTH, MAX_SCHEMA_DIGITS, MAX_SCHEMA_VALUES
from langc.compiler.source import Source

values = st.recursive(
    st.one_of(st.text(max_size=5), st.integers(), st.floats(-1e9, 1e9), st.booleans(), st.none()),
    lambda parts: st.one_of(st.lists(parts, max_size=3), st.dictionaries(st.text(max_size=3), parts, max_size=3)),
)


def read(text: str) -> Node:
    """The value of a text."""
    return read_values(Source("t", text))


def plain(node: Node) -> object:
    """The value as Python has it."""
    if node.kind == "array":
        return [plain(n) for n in node.items]
    if node.kind == "object":
        return {k: plain(v) for k, v in node.members.items()}
    return float(node.number) if isinstance(node.data, Decimal) else node.scalar


@given(values, st.sampled_from([None, 1]), st.booleans())
def test_it_reads_what_python_writes(value: object, indent: int | None, ascii_only: bool) -> None:
    """Nested values, escapes and white space."""
    assert plain(read(json.dumps(value, indent=indent, ensure_ascii=ascii_only))) == value


@given(values)
def test_places(value: object) -> None:
    """The text between the ends of a span is the value again; pointers lead to it."""
    text = json.dumps(value)
    queue = [read(text)]
    for node in queue:
        assert json.loads(text[node.span.start : node.span.end]) == plain(node)
        if node.kind == "array":
            queue += node.items
        if node.kind == "object":
            queue += node.members.values()


def test_pointers() -> None:
    """With the signs of pointers escaped."""
    node = read('{"a/b": [0, {"~": 1}]}')

    assert node.members["a/b"].items[1].members["~"].pointer == "#/a~1b/1/~0"


BROKEN = (
    *("", " ", "{", "[", '"', "{]", "[1 2]", "[1,]", '{"a":1,}', "{a:1}", '{"a" 1}', "tru", "nul", "NaN", "01", "1."),
    *("+1", ".5", "1e", "'a'", '"\\x41"', '"\\ud800"', '"a\nb"', '{"a":1,"a":1}', "1 2", "// c\n1", "1e12345"),
)


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_json(text: str) -> None:
    """It is an error with a place and a help line."""
    with pytest.raises(LangcError) as refused:
        read(text)
    (diagnostic,) = refused.value.diagnostics

    assert diagnostic.code == "LC0361"
    assert diagnostic.primary is not None
    assert diagnostic.help


@pytest.mark.parametrize("opener", ["[", '{"a":'])
def test_depth(opener: str) -> None:
    """At the limit it is read, one more is refused, and a hundred thousand more as fast."""
    closer = "]" if opener == "[" else "}"
    for depth in (MAX_SCHEMA_DEPTH - 1, MAX_SCHEMA_DEPTH):
        read(opener * depth + "1" + closer * depth)
    for depth in (MAX_SCHEMA_DEPTH + 1, 100_000):
        with pytest.raises(LimitError, match="inside one another"):
            read(opener * depth + "1" + closer * depth)


@pytest.mark.slow
def test_how_many_values() -> None:
    """The list counts as one."""
    for count in (MAX_SCHEMA_VALUES - 2, MAX_SCHEMA_VALUES - 1):
        read("[" + ",".join("1" * count) + "]")
    with pytest.raises(LimitError, match="values in a schema"):
        read("[" + ",".join("1" * MAX_SCHEMA_VALUES) + "]")


def test_digits() -> None:
    """Of one number."""
    for count in (MAX_SCHEMA_DIGITS - 1, MAX_SCHEMA_DIGITS):
        read("1" * count)
    for count in (MAX_SCHEMA_DIGITS + 1, 100_000):
        with pytest.raises(LimitError, match="digits"):
            read("1" * count)
