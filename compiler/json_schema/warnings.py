"""What is said of a schema although it is no error: formats that are not checked."""

from __future__ import annotations

from collections.abc import Iterator

from langc.compiler.diagnostics import Diagnostic, Severity
from langc.compiler.json_schema.formats import FORMATS
from langc.compiler.json_schema.values import Node

_ONE = ("items", "additionalProperties")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "$defs", "definitions")


def warnings_of(schema: Node) -> tuple[Diagnostic, ...]:
    """A warning (LC0369) for each format of the schema that langc does not know."""
    return tuple(
        Diagnostic(
            "LC0369",
            f"format `{found.text}` is not checked: any string may stand there (at {found.pointer})",
            found.label,
            help=f"say it with `pattern`; formats that are checked are {', '.join(FORMATS)}",
            severity=Severity.WARNING,
        )
        for node in _schemas(schema)
        if (found := node.members.get("format")) is not None and found.kind == "string" and found.text not in FORMATS
    )


def _schemas(node: Node) -> Iterator[Node]:
    """The schemas that are objects, this one first."""
    if node.kind != "object":
        return
    yield node
    for word, below in node.members.items():
        if word in _ONE:
            yield from _schemas(below)
        elif word in _SEVERAL and below.kind == "array":
            for part in below.items:
                yield from _schemas(part)
        elif word in _NAMED and below.kind == "object":
            for part in below.members.values():
                yield from _schemas(part)
