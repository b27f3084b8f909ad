"""Levels of refinement: the same surface with more or less asked of the names of a sort.

    open  ⊒  shape  ⊒  exists  ⊒  exact

Invariant: only slots change. The skeleton stays as it is, so the networks of a surface and of its relaxed forms have
the same states, and a text can be gone on with at another level from where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from langc.compiler.surfaces.model import (
    Choice,
    Element,
    Level,
    Open,
    Reference,
    Repeat,
    Sequence,
    Surface,
    Within,
)


def at_levels(surface: Surface, levels: Mapping[str, Level]) -> Surface:
    """The surface with these levels, by sort, in the place of its own; a sort without one is exact."""
    rules = {name: replace(rule, body=_at(rule.body, levels)) for name, rule in surface.rules.items()}
    return replace(surface, rules=rules, levels=dict(levels))


def _at(element: Element, levels: Mapping[str, Level]) -> Element:
    match element:
        case Reference():
            return _slot(element, levels.get(element.sort))
        case Sequence(parts):
            return Sequence(tuple(_at(part, levels) for part in parts))
        case Choice(choices):
            return Choice(tuple(_at(choice, levels) for choice in choices))
        case Repeat(part):
            return replace(element, part=_at(part, levels))
        case Within(_, body):
            return replace(element, body=_at(body, levels))
        case _:
            return element


def _slot(slot: Reference, level: Level | None) -> Element:
    if level is None or level.kind == "exact":
        return slot
    if level.kind == "exists":
        return Reference(slot.sort, slot.local, shape=slot.shape, span=slot.span)
    return Open(slot.sort, slot.local, level.token, span=slot.span)
