"""The syntax tree as stable text, for `langc dump --stage ast` and goldens.

Invariant: the text holds everything that the tree does, spans and comments included, in ASCII.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields

from langc.compiler.source import Span
from langc.compiler.syntax.ast import Node

_COMMENTS = ("leading", "trailing", "closing")
_ELSEWHERE = ("span", "source")


def dump(node: Node) -> str:
    """One line a node: its kind, its span in code points, its values; its parts below it."""
    return "\n".join(_lines(node, "")) + "\n"


def _lines(node: Node, indent: str) -> Iterator[str]:
    values = {f.name: getattr(node, f.name) for f in fields(node) if f.name not in (*_COMMENTS, *_ELSEWHERE)}
    inline = [f"{name}={_scalar(value)}" for name, value in values.items() if not _is_part(value)]
    yield f"{indent}{' '.join([type(node).__name__, _scalar(node.span), *inline])}"
    for name in _COMMENTS:
        yield from (f"{indent}  {name} {_scalar(line)}" for line in _comments(getattr(node, name, None)))
    for value in filter(_is_part, values.values()):
        for part in value if isinstance(value, tuple) else (value,):
            yield from _lines(part, indent + "  ")


def _is_part(value: object) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return all(isinstance(part, Node) for part in parts)


def _scalar(value: object) -> str:
    if isinstance(value, Span):
        return f"{value.start}..{value.end}"
    return json.dumps(value)


def _comments(value: object) -> tuple[object, ...]:
    if isinstance(value, tuple):
        return value
    return () if value is None else (value,)
