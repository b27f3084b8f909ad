"""A surface as stable text: names looked up, with all that it has from what it refines.

Invariant: the text holds all that `model.Surface` compares, in the order of the declarations, and no spans.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from langc.compiler.surfaces.model import Choice, Element, Repeat, Sequence, Surface, Within

_PARTS = ("parts", "choices", "part", "body")
_TABLES = ("tokens", "sorts", "scopes", "levels")


def dump(surface: Surface) -> str:
    """One line a declaration, then one an element, those in it indented."""
    return "\n".join(_lines(surface)) + "\n"


def _lines(surface: Surface) -> Iterator[str]:
    refines = f" refines {surface.refines}" if surface.refines else ""
    yield f"surface {surface.name}{refines}"
    yield f"start {surface.start}"
    yield f"case {'ascii-fold' if surface.fold_case else 'exact'}"
    yield f"word {json.dumps(surface.word)}"
    yield from (f"quote {json.dumps(opening)} {json.dumps(closing)}" for opening, closing in surface.quotes)
    yield from (f"keyword {json.dumps(word)}" for word in sorted(surface.keywords))
    for table in _TABLES:
        yield from (_line(value) for value in getattr(surface, table).values())
    yield from map(_line, surface.environments)
    for rule in surface.rules.values():
        yield f"rule {rule.name}"
        yield from _element(rule.body, "  ")


def _element(element: Element, indent: str) -> Iterator[str]:
    yield indent + _line(element)
    match element:
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from _element(part, indent + "  ")
        case Repeat(part) | Within(body=part):
            yield from _element(part, indent + "  ")


def _line(node: object) -> str:
    """The kind of a node, and what it holds besides other elements."""
    assert is_dataclass(node)
    values = {f.name: getattr(node, f.name) for f in fields(node) if f.compare and f.name not in _PARTS}
    said = (
        f"{name}={json.dumps(value)}"
        for name, value in values.items()
        if value is not None and value is not False and value != ()
    )
    return " ".join([type(node).__name__.lower(), *said])
