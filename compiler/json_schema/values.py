"""JSON out of a schema file, with the place of every value: a file of a stranger, so everything in it is counted.

A grammar as small as RFC 8259's, read without going back. Numbers stay exact: `Decimal`, or `int` where they have
neither fraction nor exponent.

Invariant: no object has a key twice, no string holds half a surrogate pair, and no more than `MAX_SCHEMA_DEPTH` lists
and objects stand inside one another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TypeAlias

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.limits import MAX_SCHEMA_DEPTH, MAX_SCHEMA_DIGITS, MAX_SCHEMA_VALUES, over_limit
from langc.compiler.source import Source, Span

Scalar: TypeAlias = bool | int | Decimal | str | None


@dataclass(frozen=True)
class Node:
    """A value. `pointer` is its JSON pointer as a fragment, `#/properties/name`."""

    data: Scalar | tuple[Node, ...] | tuple[tuple[str, Node], ...]
    kind: str
    """`null`, `boolean`, `number`, `string`, `array` or `object`."""
    pointer: str = field(compare=False)
    span: Span = field(compare=False)
    source: Source = field(compare=False, repr=False)

    @property
    def scalar(self) -> Scalar:
        """The value of anything but a list or an object."""
        assert not isinstance(self.data, tuple)
        return self.data

    @property
    def scalar_or_none(self) -> Scalar:
        """The same; None for a list or an object."""
        return None if isinstance(self.data, tuple) else self.data

    @property
    def word(self) -> str:
        """How `null`, `true` and `false` are written."""
        assert self.kind in ("null", "boolean")
        return json.dumps(self.data)

    @property
    def number(self) -> Decimal:
        """The value of a number."""
        assert isinstance(self.data, int | Decimal)
        return Decimal(self.data)

    @property
    def text(self) -> str:
        """The value of a string."""
        assert isinstance(self.data, str)
        return self.data

    @property
    def items(self) -> tuple[Node, ...]:
        """The values of a list."""
        assert self.kind == "array"
        return self.data  # type: ignore[return-value]

    @cached_property
    def members(self) -> Mapping[str, Node]:
        """The values of an object by their keys, in order."""
        assert self.kind == "object"
        return dict(self.data)  # type: ignore[arg-type]

    @property
    def label(self) -> Label:
        """Its place; of a list or an object where it begins."""
        span = self.span if not isinstance(self.data, tuple) else Span(self.span.start, self.span.start + 1)
        return Label(self.source, span)


def fault(code: str, message: str, node: Node, help: str | None = None) -> PolicyError:
    """An error at the place of a value."""
    return PolicyError(Diagnostic(code, f"{message} (at {node.pointer})", node.label, help=help))


def read_values(source: Source) -> Node:
    """The value of a JSON text.

    Raises:
        PolicyError: the text is no JSON, or JSON that readers take in several ways (LC0361).
        LimitError: it is too deep, or has too many values or digits.
    """
    reader = _Reader(source)
    node = reader.value("#", 0)
    if reader.at < len(source.text):
        raise reader.wrong("the JSON ends here, and something follows")
    return node


_STRICT = "JSON is read as in RFC 8259: no comments, no comma behind the last member, no key twice"
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"')
_WORDS: dict[str, Scalar] = {"null": None, "true": True, "false": False}


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.at = 0
        self.count = 0
        self._skip()

    def value(self, pointer: str, depth: int) -> Node:
        self._count(depth)
        start = self.at
        sign = self.text[start : start + 1]
        if sign == "{":
            return self._node(self._members(pointer, depth), "object", pointer, start)
        if sign == "[":
            return self._node(self._items(pointer, depth), "array", pointer, start)
        if sign == '"':
            return self._node(self._string(), "string", pointer, start)
        word = next((w for w in _WORDS if self.text.startswith(w, start)), None)
        if word is not None:
            self.at += len(word)
            return self._node(_WORDS[word], "null" if word == "null" else "boolean", pointer, start)
        return self._node(self._number(), "number", pointer, start)

    def wrong(self, message: str, start: int | None = None) -> PolicyError:
        at = self.at if start is None else start
        end = max(self.at, at + 1) if at < len(self.text) else at
        return PolicyError(
            Diagnostic("LC0361", f"this is no JSON: {message}", Label(self.source, Span(at, end)), help=_STRICT)
        )

    def _node(self, data: object, kind: str, pointer: str, start: int) -> Node:
        node = Node(data, kind, pointer, Span(start, self.at), self.source)  # type: ignore[arg-type]
        self._skip()
        return node

    def _members(self, pointer: str, depth: int) -> tuple[tuple[str, Node], ...]:
        found: dict[str, Node] = {}
        self._take()
        while not self._ends("}", bool(found)):
            start = self.at
            if self.text[start : start + 1] != '"':
                raise self.wrong("a key in double quotes was expected")
            key = self._string()
            if key in found:
                raise self.wrong(f"the key {json.dumps(key)} is there twice", start)
            self._skip()
            if self.text[self.at : self.at + 1] != ":":
                raise self.wrong("a colon was expected")
            self._take()
            found[key] = self.value(f"{pointer}/{escaped(key)}", depth + 1)
        return tuple(found.items())

    def _items(self, pointer: str, depth: int) -> tuple[Node, ...]:
        found: list[Node] = []
        self._take()
        while not self._ends("]", bool(found)):
            found.append(self.value(f"{pointer}/{len(found)}", depth + 1))
        return tuple(found)

    def _ends(self, closer: str, is_behind_one: bool) -> bool:
        """Whether a list ends here; if not, past the comma."""
        if self.text[self.at : self.at + 1] == closer:
            self.at += 1
            return True
        if is_behind_one:
            if self.text[self.at : self.at + 1] != ",":
                raise self.wrong(f"a comma or `{closer}` was expected")
            self._take()
        return False

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self.wrong("a string that is not closed on its line, or has an escape that JSON has not")
        value: str = json.loads(found[0])
        start, self.at = self.at, found.end()
        if re.search("[\ud800-\udfff]", value):
            raise self.wrong("half a surrogate pair, which is no character", start)
        return value

    def _number(self) -> int | Decimal:
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            raise self.wrong("a value was expected")
        start, self.at = self.at, found.end()
        if len(found[0]) > MAX_SCHEMA_DIGITS:
            label = Label(self.source, Span(start, self.at))
            raise LimitError(over_limit("digits in a number of a schema", MAX_SCHEMA_DIGITS, label))
        if len((found[2] or "").strip("eE+-")) > len("9999"):
            raise self.wrong("an exponent of five digits or more", start)
        return int(found[0]) if found[1] is None and found[2] is None else Decimal(found[0])

    def _take(self) -> None:
        """Past one sign and the white space behind it."""
        self.at += 1
        self._skip()

    def _skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def _count(self, depth: int) -> None:
        self.count += 1
        label = Label(self.source, Span(self.at, min(self.at + 1, len(self.text))))
        if depth > MAX_SCHEMA_DEPTH:
            raise LimitError(over_limit("lists and objects inside one another in a schema", MAX_SCHEMA_DEPTH, label))
        if self.count > MAX_SCHEMA_VALUES:
            raise LimitError(over_limit("values in a schema", MAX_SCHEMA_VALUES, label))


def escaped(key: str) -> str:
    """A key as a part of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
