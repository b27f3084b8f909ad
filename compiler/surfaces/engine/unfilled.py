"""Slots that nothing can ever fill: Γ has no such name that could be written, and no action binds one.

Invariant: what is found holds for every text. A rule that cannot end without such a slot is never begun, wherever the
slot stands in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from langc.compiler.surfaces.environment.names import Environment, Group
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.model import Reference, Surface
from langc.compiler.surfaces.syntax.supply import made_by_actions


def unfilled(surface: Surface, environment: Environment) -> Callable[[Reference], bool]:
    """Whether a slot of the surface is one of these."""
    made = made_by_actions(surface)
    found: dict[tuple[str, frozenset[str], frozenset[str]], bool] = {}

    def is_unfilled(slot: Reference) -> bool:
        if slot.results or slot.sort in made:
            return False
        key = (slot.sort, frozenset(slot.where), frozenset(slot.where_not))
        if key not in found:
            spelling = Spelling.of(surface)
            found[key] = not any(group.names(spelling, *key[1:]) for group in _groups(environment, slot.sort))
        return found[key]

    return is_unfilled


def _groups(environment: Environment, sort: str) -> Iterator[Group]:
    """The groups of a sort, those of all members too."""
    seen: dict[int, None] = {}
    waiting = [environment.groups]
    for groups in waiting:
        for own, group in groups.items():
            if id(group) in seen:
                continue
            seen[id(group)] = None
            if own == sort:
                yield group
            waiting.extend(entry.members for entry in group if entry.members)
