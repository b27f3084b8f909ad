"""What can still be bound in a scope under its own name, and who owns which member.

Sets of suppliers are bit sets (integers): bit i is the i-th one. All questions go by the set of owners of a name, its
*signature*, and most names share theirs with others or ask about few, so that large environments cost little.

Invariant: a supply is immutable; supplies of one scope kind that hold the same suppliers are the same object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from langc.compiler.limits import MAX_WORLD_MEMORY
from langc.compiler.surfaces.environment.names import Entry
from langc.compiler.surfaces.world.base import Base, Feed
from langc.compiler.surfaces.world.frame import Frame, Name
from langc.compiler.surfaces.world.values import Bound, Derived


@dataclass(frozen=True, slots=True)
class Supplier:
    """A name that can be bound, with the members that it brings."""

    sort: str
    name: bytes
    value: Entry | Bound
    names: frozenset[bytes]
    """Those of its members, as they are compared."""
    size: int


@dataclass(eq=False)
class Supply:
    """See the module."""

    suppliers: Sequence[Supplier]
    parent: Supply | None = None
    """The supply of Γ alone, whose suppliers come first here: only what differs is worked out anew."""
    hidden: int = 0
    """Those of the parent's that cannot be seen."""
    single: int = 0
    """Those that can be bound once."""
    owners: Mapping[bytes, int] = field(init=False)
    """For each member's name its signature."""
    all: int = field(init=False)

    def __post_init__(self) -> None:
        owners = {} if self.parent is None else dict(self.parent.owners)
        for bit, supplier in self.each(self.hidden):
            for name in supplier.names:
                owners[name] &= ~bit
                if not owners[name]:
                    del owners[name]
        first = 0 if self.parent is None else len(self.parent.suppliers)
        for number, supplier in enumerate(self.suppliers[first:], first):
            for name in supplier.names:
                owners[name] = owners.get(name, 0) | 1 << number
        self.owners = owners
        self.all = ((1 << len(self.suppliers)) - 1) & ~self.hidden

    def signature(self, name: bytes) -> int:
        """The suppliers that own a name."""
        return self.owners.get(name, 0)

    def union(self, names: Iterable[bytes]) -> int:
        """The suppliers that own one of some names."""
        found = 0
        for name in names:
            found |= self.owners.get(name, 0)
        return found

    def common(self, names: Iterable[bytes]) -> int:
        """The suppliers that own all of some names."""
        found = self.all
        for name in names:
            found &= self.owners.get(name, 0)
        return found

    @cached_property
    def signatures(self) -> tuple[int, ...]:
        """The different signatures: the *groups* of names, numbered. Sets of groups are bit sets too."""
        return tuple(dict.fromkeys(self.owners.values()))

    @cached_property
    def group_of(self) -> Mapping[bytes, int]:
        """For each member's name the number of its group."""
        numbers = {signature: number for number, signature in enumerate(self.signatures)}
        return {name: numbers[signature] for name, signature in self.owners.items()}

    @cached_property
    def all_groups(self) -> int:
        """The set of all groups."""
        return (1 << len(self.signatures)) - 1

    @cached_property
    def _groups_owned(self) -> tuple[int, ...]:
        """For each supplier the groups that it owns."""
        group = self.group_of
        return tuple(sum({1 << group[name] for name in one.names if name in group}) for one in self.suppliers)

    def groups_of(self, bits: int) -> int:
        """The groups that some suppliers own."""
        found = self._known_groups.get(bits)
        if found is None:
            found, owned, left = 0, self._groups_owned, bits
            while left:
                low = left & -left
                found |= owned[low.bit_length() - 1]
                left ^= low
            if len(self._known_groups) >= MAX_WORLD_MEMORY:
                self._known_groups.clear()
            self._known_groups[bits] = found
        return found

    @cached_property
    def _known_groups(self) -> dict[int, int]:
        return {}

    @cached_property
    def numbers(self) -> Mapping[bytes, int]:
        """The bit of each supplier, by its own name."""
        return {supplier.name: bit for bit, supplier in self.each(self.all)}

    def each(self, bits: int) -> Iterator[tuple[int, Supplier]]:
        """The suppliers of a bit set, each with its bit."""
        while bits:
            low = bits & -bits
            yield low, self.suppliers[low.bit_length() - 1]
            bits ^= low


NOTHING = Supply(())


def supply_of(base: Base, frames: tuple[Frame, ...], at: int) -> Supply:
    """What can be bound in the frame at a place, as its scopes show it."""
    kind = frames[at].kind
    feeds = base.feeds.get(kind)
    if not feeds:
        return NOTHING
    shown = tuple([(frame.bound, frame.hidden) for frame in frames[: at + 1] if frame.bound or frame.hidden])
    near = near_by(frames, at, feeds) if at and frames[at - 1].bound else ()
    key = ("shown", kind, shown, near)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, _remembered(base, kind, feeds, *_visible(frames, at, feeds), near))
    assert isinstance(found, Supply)
    return found


def near_by(frames: tuple[Frame, ...], at: int, feeds: Iterable[Feed]) -> tuple[Bound, ...]:
    """What is bound in the scope right around a frame and can be bound in it once, where it was not."""
    sorts = {feed.sort for feed in feeds if feed.once}
    if not sorts:
        return ()
    used = frames[at].used
    bound = (one for one in frames[at - 1].bound if one.sort in sorts and (one.sort, one.name) not in used)
    return tuple(sorted(bound, key=lambda one: (one.sort, one.name)))


def _remembered(
    base: Base,
    kind: str,
    feeds: tuple[Feed, ...],
    made: tuple[Bound, ...],
    gone: frozenset[Name],
    near: tuple[Bound, ...] = (),
) -> Supply:
    key = ("supply", kind, made, gone, near)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, _build(base, kind, feeds, made, gone, near))
    assert isinstance(found, Supply)
    return found


def _visible(frames: tuple[Frame, ...], at: int, feeds: tuple[Feed, ...]) -> tuple[tuple[Bound, ...], frozenset[Name]]:
    """The names bound in scopes that can be bound once more, and the names that they or `hide` hide."""
    sorts = {feed.sort for feed in feeds if not feed.once}
    made: list[Bound] = []
    gone: set[Name] = set()
    for frame in reversed(frames[: at + 1]):
        own = [bound for bound in frame.bound if bound.sort in sorts]
        made += [bound.plain for bound in own if (bound.sort, bound.name) not in gone]
        gone |= {(bound.sort, bound.name) for bound in own}
        gone |= {name for name in frame.hidden if name[0] in sorts}
    return tuple(sorted(made, key=lambda bound: (bound.sort, bound.name))), frozenset(gone)


def _build(
    base: Base,
    kind: str,
    feeds: tuple[Feed, ...],
    made: tuple[Bound, ...],
    gone: frozenset[Name],
    near: tuple[Bound, ...],
) -> Supply:
    sort = base.member_sorts.get(kind, "")
    if not made and not gone and not near:
        return Supply(tuple(_of_environment(base, feeds, sort)))
    parent = _remembered(base, kind, feeds, (), frozenset())
    known = {(one.sort, one.name): 1 << number for number, one in enumerate(parent.suppliers)}
    hidden = sum(known[name] for name in gone if name in known)
    more = [
        _supplier(base, bound.sort, bound.name, bound, sort)
        for bound in (*made, *near)
        if bound.members is not None and any(feed.sort == bound.sort and not feed.where for feed in feeds)
    ]
    once = {feed.sort for feed in feeds if feed.once}
    single = sum(1 << number for number, one in enumerate(more, len(parent.suppliers)) if one.sort in once)
    return Supply((*parent.suppliers, *more), parent, hidden, single)


def _of_environment(base: Base, feeds: tuple[Feed, ...], sort: str) -> Iterator[Supplier]:
    seen: set[Name] = set()
    for feed in feeds:
        for entry in () if feed.once else base.environment.group(feed.sort):
            name = (feed.sort, base.key(entry.name))
            if name not in seen and entry.has(feed.where, feed.where_not) and base.spelling.spellings(entry.name):
                seen.add(name)
                yield _supplier(base, *name, entry, sort)


def _supplier(base: Base, sort: str, name: bytes, value: Entry | Bound, member_sort: str) -> Supplier:
    members = value if isinstance(value, Entry) else value.members
    size = members.size if isinstance(members, Derived) else len(base.group(members, member_sort))
    return Supplier(sort, name, value, base.owned(members, member_sort), size)
