"""What never changes while a text is written: the surface, its environment, and indexes of both.

Invariant: a base holds caches and nothing else that changes; forgetting them costs time only. Worlds of one base are
hash-consed: equal frames give the same world for as long as it is in use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from langc.compiler.limits import MAX_WORLD_MEMORY
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.model import (
    Action,
    Choice,
    Element,
    Fresh,
    Guard,
    Reference,
    Repeat,
    Sequence,
    Surface,
    Within,
)
from langc.compiler.surfaces.world.values import Derived, Members

K = TypeVar("K")
V = TypeVar("V")


class Memory(dict[K, V], Generic[K, V]):
    """A cache that forgets everything when it is full. What has many parts takes more of its room."""

    _weight = 0

    def keep(self, key: K, value: V) -> V:
        """Remembers a value."""
        self._weight += 1 + (len(value) // _PARTS if isinstance(value, Sized) else 0)
        if self._weight > MAX_WORLD_MEMORY:
            self.clear()
            self._weight = 0
        self[key] = value
        return value


_PARTS = 100
"""Of a value that counts for more than one: names of a set."""


@dataclass(frozen=True)
class Feed:
    """A slot whose names can be bound in a scope: a sort, and the attributes it asks for."""

    sort: str
    where: frozenset[str]
    where_not: frozenset[str]
    once: bool = False
    """Only what is bound in the scope right around, and only once."""


@dataclass(frozen=True)
class Use:
    """What a rule does with a fresh name: it is bound (sort, scope or None), or given out."""

    binds: tuple[tuple[str, str | None], ...] = ()
    exports: bool = False


@dataclass(eq=False)
class Base:
    """See the module."""

    surface: Surface
    environment: Environment
    spelling: Spelling = field(init=False)
    _uses: dict[int, Use] = field(init=False, default_factory=dict)
    _arguments: dict[int, tuple[object, Mapping[str, str]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.spelling = Spelling.of(self.surface)
        for rule in self.surface.rules.values():
            self._uses.update(_uses(rule.body))

    @cached_property
    def feeds(self) -> Mapping[str, tuple[Feed, ...]]:
        """By kind of scope: what can be bound in it under its own name."""
        found: dict[str, dict[Feed, None]] = {}
        for slot in self._slots:
            if isinstance(slot, Reference) and slot.feeds:
                feed = Feed(slot.sort, frozenset(slot.where), frozenset(slot.where_not), slot.once)
                found.setdefault(slot.feeds, {})[feed] = None
        return {kind: tuple(feeds) for kind, feeds in found.items()}

    @cached_property
    def member_sorts(self) -> Mapping[str, str]:
        """By kind of scope: the sort of the members that are looked for in it."""
        return {
            slot.scope: slot.sort
            for slot in self._slots
            if isinstance(slot, Reference) and slot.scope and not slot.of and self.is_member(slot)
        }

    @cached_property
    def given_out(self) -> frozenset[str]:
        """The sorts of which scopes give out names."""
        return frozenset(slot.sort for slot in self._slots if isinstance(slot, Reference) and slot.results)

    @cached_property
    def aliased(self) -> frozenset[str]:
        """Kinds of scopes in which names can be bound under a fresh name."""
        return frozenset(slot.feeds for slot in self._slots if isinstance(slot, Fresh) and slot.feeds)

    @cached_property
    def keywords(self) -> frozenset[bytes]:
        """Folded."""
        return frozenset(self.spelling.folded(word.encode()) for word in self.surface.keywords)

    @property
    def fold(self) -> bool:
        """Whether names are compared with A-Z as a-z."""
        return self.surface.fold_case

    @cached_property
    def all_names(self) -> frozenset[bytes]:
        """All names of Γ, of whatever sort, as they are compared."""
        return frozenset(map(self.key, _names(self.environment.groups)))

    @cached_property
    def memory(self) -> Memory[object, object]:
        """Answers to questions that do not depend on one world."""
        return Memory()

    def is_member(self, slot: Reference) -> bool:
        """Whether the names of a slot belong to names of another sort."""
        sort = self.surface.sorts.get(slot.sort)
        return sort is not None and sort.owner is not None and not slot.results

    def use(self, slot: Fresh) -> Use:
        """What its rule does with a fresh name."""
        return self._uses.get(id(slot), _NO_USE)

    def arguments(self, node: Action | Guard | Within) -> Mapping[str, str]:
        """The arguments of an action, or the options of a scope, by keyword."""
        found = self._arguments.get(id(node))
        if found is None:
            pairs = node.options if isinstance(node, Within) else node.arguments
            found = self._arguments[id(node)] = (node, dict(pairs))
        return found[1]

    def key(self, name: str) -> bytes:
        """A name as it is compared."""
        return self.spelling.folded(name.encode("utf-8", "surrogatepass"))

    def group(self, members: Members, sort: str) -> Group:
        """The members of a sort."""
        if isinstance(members, Entry):
            return members.members.get(sort, EMPTY)
        if isinstance(members, Derived):
            key = ("derived", members.names, sort)
            found = self.memory.get(key)
            if found is None:
                names = (name.decode("utf-8", "surrogatepass") for name in sorted(members.names))
                found = self.memory.keep(key, Group.of_names(sort, names))
            assert isinstance(found, Group)
            return found
        return EMPTY

    def owned(self, members: Members, sort: str) -> frozenset[bytes]:
        """The names of the members of a sort, as they are compared."""
        if isinstance(members, Derived):
            return members.names
        if members is None:
            return NO_NAMES
        key = (members, sort)
        found = self.memory.get(key)
        if found is None:
            group = members.members.get(sort, EMPTY)
            found = self.memory.keep(key, frozenset(self.key(entry.name) for entry in group))
        return found  # type: ignore[return-value]

    @cached_property
    def _slots(self) -> tuple[Element, ...]:
        return tuple(part for rule in self.surface.rules.values() for part in parts(rule.body))


EMPTY = Group.of(())
NO_NAMES: frozenset[bytes] = frozenset()
_NO_USE = Use()


def parts(element: Element) -> Iterator[Element]:
    """An element and all that it is made of."""
    yield element
    match element:
        case Sequence(inner) | Choice(inner):
            for part in inner:
                yield from parts(part)
        case Repeat(part) | Within(_, part):
            yield from parts(part)


def _names(groups: Mapping[str, Group]) -> Iterator[str]:
    for group in groups.values():
        for entry in group:
            yield entry.name
            yield from _names(entry.members)


def _uses(body: Element) -> Iterator[tuple[int, Use]]:
    elements = list(parts(body))
    actions = [part for part in elements if isinstance(part, Action)]
    for slot in elements:
        if isinstance(slot, Fresh) and slot.local:
            binds = tuple(dict.fromkeys(_bindings(actions, slot.local)))
            yield id(slot), Use(binds, _exported(actions, slot.local))


def _bindings(actions: Iterable[Action], local: str) -> Iterator[tuple[str, str | None]]:
    for action in actions:
        arguments = dict(action.arguments)
        if action.name == "bind" and local in words(arguments["name"]):
            yield arguments["sort"], arguments.get("in")


def _exported(actions: Iterable[Action], local: str) -> bool:
    return any(
        action.name == "export"
        and any(local in words(value) for keyword, value in action.arguments if keyword in ("name", "alias"))
        for action in actions
    )


def words(value: str) -> list[str]:
    """The locals of `a ?? b`, the preferred one first."""
    return [word.strip() for word in value.split("??")]
