"""Which names a slot could be offered, anywhere in a text: those of Γ, and those that a text can declare.

Invariant: what is said here is never less than what the world could offer. A declared name can be any word that its own
slot takes, so a sort that a text can bind fresh names for is open: scopes, which would say where they hold, are no
matter of a context-free grammar. Found by going round until nothing is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from langc.compiler.surfaces.model import (
    Action,
    Choice,
    Element,
    Fresh,
    Open,
    Reference,
    Repeat,
    Rule,
    Sequence,
    Slot,
    Surface,
    TokenUse,
    Within,
)

_ORDINAL = "Ordinal"


@dataclass(frozen=True)
class Supply:
    """Where names come from."""

    sorts: frozenset[str] = frozenset()
    """Γ's names of these, its own and members of others."""
    shapes: frozenset[str | None] = frozenset()
    """Any word of these tokens; None is the surface's word."""
    ordinals: bool = False
    """The numbers from 1 on."""

    def __or__(self, other: Supply) -> Supply:
        return Supply(self.sorts | other.sorts, self.shapes | other.shapes, self.ordinals or other.ordinals)


@dataclass
class Supplies:
    """The supplies of a surface."""

    surface: Surface
    _by_sort: dict[str, Supply] = field(default_factory=dict)
    _given_out: Supply = Supply()

    def of(self, slot: Slot) -> Supply:
        """What a slot could be offered."""
        return self._settled._slot(slot)

    @cached_property
    def _settled(self) -> Supplies:
        self._by_sort = {name: Supply(frozenset({name})) for name in self.surface.sorts}
        before = None
        while before != (self._by_sort, self._given_out):
            before = (dict(self._by_sort), self._given_out)
            for rule in self.surface.rules.values():
                self._read(rule)
        return self

    def _slot(self, slot: Slot) -> Supply:
        match slot:
            case Reference():
                return self._reference(slot)
            case Fresh() | Open():
                return Supply(shapes=frozenset({slot.shape}))

    def _reference(self, slot: Reference) -> Supply:
        if slot.where and slot.scope is None and slot.of is None:
            return Supply(frozenset({slot.sort}))  # what is declared has no attributes
        found = self._by_sort[slot.sort]
        if slot.results:
            found |= self._given_out | Supply(ordinals=slot.sort == _ORDINAL)
        if slot.defer and self.surface.sorts[slot.sort].owner is None:
            found |= Supply(shapes=frozenset({None}))
        return found

    def _read(self, rule: Rule) -> None:
        kept = list(_kept(rule.body))
        for action in _actions(rule.body):
            arguments = dict(action.arguments)
            if action.name == "bind":
                bound = self._locals(kept, arguments["name"])
                self._by_sort[arguments["sort"]] |= bound
            elif action.name == "export":
                self._give_out(self._locals(kept, arguments.get("alias", arguments.get("name", ""))))

    def _give_out(self, names: Supply) -> None:
        """What a scope gives out can become members of what is bound next, and members are given out in turn."""
        self._given_out |= names
        for sort in self.surface.sorts.values():
            if sort.owner is not None:
                self._by_sort[sort.name] |= self._given_out
                self._given_out |= self._by_sort[sort.name]

    def _locals(self, kept: Iterable[tuple[str, Slot | TokenUse]], written: str) -> Supply:
        """What the locals of `a ?? b` can hold."""
        names = {part.strip() for part in written.split("??")}
        found = Supply()
        for local, use in kept:
            if local in names:
                found |= Supply(shapes=frozenset({use.token})) if isinstance(use, TokenUse) else self._slot(use)
        return found


def _elements(element: Element) -> Iterator[Element]:
    yield element
    match element:
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from _elements(part)
        case Repeat(part, _, _):
            yield from _elements(part)
        case Within():
            yield from _elements(element.body)


def _kept(body: Element) -> Iterator[tuple[str, Slot | TokenUse]]:
    for element in _elements(body):
        if isinstance(element, Reference | Fresh | Open | TokenUse) and element.local:
            yield element.local, element


def _actions(body: Element) -> Iterator[Action]:
    return (element for element in _elements(body) if isinstance(element, Action))
