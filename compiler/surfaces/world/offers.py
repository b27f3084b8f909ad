"""All names that a slot takes, as one object: equal questions get the same one.

Invariant: a name is offered if and only if taking it is possible and keeps the promises of all scopes possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from langc.compiler.surfaces.environment.names import Entry, NameSet, Words
from langc.compiler.surfaces.model import Fresh, Open, Reference
from langc.compiler.surfaces.world.base import NO_NAMES, Base
from langc.compiler.surfaces.world.binding import (
    Frames,
    bind,
    can_bind,
    innermost,
    names_of,
    problem_of,
    shared,
    takes,
)
from langc.compiler.surfaces.world.frame import Frame
from langc.compiler.surfaces.world.lookup import (
    ORDINAL,
    can_promise,
    find_bound,
    find_member,
    find_of,
    known,
    ordinals,
    pledge_of,
    promise,
    result_names,
    scopes,
)
from langc.compiler.surfaces.world.supplies import Supply, supply_of
from langc.compiler.surfaces.world.values import Bound, Derived, Members, Value

Offer: TypeAlias = NameSet | Words | None


def reference(base: Base, frames: Frames, slot: Reference, held: Value | None, merge: str) -> Offer:
    """What a reference may be. `held` is the value of the local that `of` names."""
    if slot.of is not None:
        found = _of(base, frames, slot, held)
    elif slot.results:
        found = _results(base, frames, slot)
    elif slot.shared:
        found = _shared(base, frames, slot)
    elif slot.scope is None:
        found = _visible(base, frames, slot, merge)
    elif base.is_member(slot):
        found = _members(base, frames, slot)
    else:
        found = _bound(base, frames, slot)
    if slot.once and isinstance(found, NameSet):
        used = {name for sort, name in frames[-1].used if sort == slot.sort}
        if used:
            return _without(base, found, used)
    return found or None


def _set(base: Base, entries: Iterable[Entry]) -> NameSet:
    """The names of entries; equal rows give the same object."""
    row = tuple(entries)
    key = ("names", row)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, NameSet.of(row, base.spelling))
    assert isinstance(found, NameSet)
    return found


def _named(base: Base, names: Iterable[bytes], sort: str) -> NameSet:
    """The names of made entries."""
    return _set(base, (Entry.made(_text(name), sort) for name in sorted(names)))


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogatepass")


def _without(base: Base, names: NameSet, used: set[bytes]) -> NameSet:
    return _set(base, (entry for entry in dict.fromkeys(names.entries) if base.key(entry.name) not in used))


# --- members ----------------------------------------------------------------------------------------


def _of(base: Base, frames: Frames, slot: Reference, held: Value | None) -> Offer:
    if isinstance(held, Entry | Bound):
        members = held.members if isinstance(held, Bound) else held
        return base.group(members, slot.sort).names(base.spelling, slot.where, slot.where_not)
    place = pledge_of(frames, held)
    if place is None or base.member_sorts.get(frames[place[0]].kind) != slot.sort:
        return None
    supply, problem = problem_of(base, frames, place[0])
    pledge = place[1]
    owners = supply.common(pledge.members) & problem.allowed
    names = {name for _, one in supply.each(owners) for name in one.names}
    taken = (name for name in sorted(names) if find_of(base, frames, slot, name, held) is not None)
    return _set(base, (_entry(base, supply, slot.sort, name) for name in taken))


def _entry(base: Base, supply: Supply, sort: str, name: bytes) -> Entry:
    """Some entry of a member's name."""
    signature = supply.signature(name)
    _, first = next(supply.each(signature & -signature))
    entry = base.group(first.members, sort).get(name, base.fold)
    assert entry is not None
    return entry


def _members(base: Base, frames: Frames, slot: Reference) -> Offer:
    assert slot.scope is not None
    found: dict[bytes, Entry] = {}
    seen: set[bytes] = set()
    for at in scopes(frames, slot.scope, slot.outward):
        for name, entry in _layer(base, frames, at, slot).items():
            if name not in seen and name not in found:
                found[name] = entry
        seen |= _stops(base, frames, at)
    taken = (name for name in sorted(found) if find_member(base, frames, slot, name) is not None)
    return _set(base, (found[name] for name in taken))


def _layer(base: Base, frames: Frames, at: int, slot: Reference) -> Mapping[bytes, Entry]:
    """The members that one frame could offer."""
    frame = frames[at]
    found: dict[bytes, Entry] = {}
    for bound in frame.bound:
        for entry in base.group(bound.members, slot.sort):
            found.setdefault(base.key(entry.name), entry)
    if frame.early and slot.defer:
        supply = supply_of(base, frames, at)
        for name in supply.owners:
            found[name] = _entry(base, supply, slot.sort, name)
    return found


def _stops(base: Base, frames: Frames, at: int) -> set[bytes]:
    """The names for which no outer frame is asked."""
    frame = frames[at]
    found = {result.name for result in frame.results if result.explicit}
    sort = base.member_sorts.get(frame.kind, "")
    for bound in frame.bound:
        found |= base.owned(bound.members, sort)
    if not frame.settled:
        found |= set(supply_of(base, frames, at).owners)
    return found


def _shared(base: Base, frames: Frames, slot: Reference) -> Offer:
    at = innermost(frames, slot.scope)
    if at is None:
        return None
    names = shared(base, frames[at])
    if not names:
        return None
    group = base.group(frames[at].bound[-1].members, slot.sort)
    entries = (group.get(name, base.fold) for name in sorted(names))
    return _set(base, (entry for entry in entries if entry and entry.has(slot.where, slot.where_not)))


# --- names ------------------------------------------------------------------------------------------


def _bound(base: Base, frames: Frames, slot: Reference) -> Offer:
    assert slot.scope is not None
    names: set[bytes] = set()
    stopped: set[bytes] = set()
    for at in scopes(frames, slot.scope, slot.outward):
        frame = frames[at]
        if can_promise(base, frame, slot):
            if frame.kind in base.aliased or frame.kind not in base.feeds:
                if promise(base, frames, at, slot.sort, _unused(frame)) is not None:
                    return _any_word(base, frozenset(stopped))
            else:
                names |= set(supply_of(base, frames, at).numbers)
            names |= {pledge.name for pledge in frame.pledges if pledge.sort == slot.sort}
        names |= {bound.name for bound in frame.bound if bound.sort == slot.sort}
        if not frame.settled:
            stopped |= {pledge.name for pledge in frame.pledges if pledge.sort == slot.sort}
            if frame.kind not in base.aliased:
                stopped |= set(supply_of(base, frames, at).numbers)
    return _named(base, (name for name in names if find_bound(base, frames, slot, name) is not None), slot.sort)


def _unused(frame: Frame) -> bytes:
    """A name that a frame does not know; no name of a text is empty."""
    return b""


def _any_word(base: Base, excluded: frozenset[bytes]) -> Words:
    key = ("any word", excluded)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, _words(base, base.surface.word, excluded, bool(base.surface.quotes)))
    assert isinstance(found, Words)
    return found


def _words(base: Base, shape: str, excluded: frozenset[bytes], quoted: bool) -> Words:
    return Words(shape, base.keywords | excluded, base.fold, quoted and not excluded)


def _visible(base: Base, frames: Frames, slot: Reference, merge: str) -> Offer:
    made, gone = _in_scopes(frames, slot.sort)
    group = known(base, slot)
    if not made and not gone and not slot.feeds:
        return group.names(base.spelling, slot.where, slot.where_not)
    found: dict[bytes, Entry | Bound] = {}
    if not slot.where:
        found.update((bound.name, bound) for bound in made)
    for entry in group:
        name = base.key(entry.name)
        if name not in gone and name not in found and entry.has(slot.where, slot.where_not):
            found[name] = entry
    values: Iterable[Entry | Bound] = (found[name] for name in sorted(found))
    if slot.feeds is not None:
        values = _bindable(base, frames, slot.feeds, values, merge)
    return _set(base, (_as_entry(value) for value in values))


def _bindable(
    base: Base, frames: Frames, kind: str, values: Iterable[Entry | Bound], merge: str
) -> Iterable[Entry | Bound]:
    return (value for value in values if can_bind(base, frames, kind, value, merge))


def _in_scopes(frames: Frames, sort: str) -> tuple[list[Bound], set[bytes]]:
    """The names of a sort that are bound, inner ones first, and all names that these and `hide` hide."""
    made: list[Bound] = []
    gone: set[bytes] = set()
    for frame in reversed(frames):
        own = [bound for bound in frame.bound if bound.sort == sort]
        made += [bound for bound in own if bound.name not in gone]
        gone |= {bound.name for bound in own}
        gone |= {name for hidden, name in frame.hidden if hidden == sort}
    return made, gone


def _as_entry(value: Entry | Bound) -> Entry:
    return value if isinstance(value, Entry) else Entry.made(_text(value.name), value.sort)


# --- results ----------------------------------------------------------------------------------------


def _results(base: Base, frames: Frames, slot: Reference) -> Offer:
    at = innermost(frames, slot.scope)
    if at is None:
        return None
    if slot.sort == ORDINAL:
        return _ordinals(base, ordinals(frames[at], slot))
    return _named(base, result_names(base, frames[at], slot), slot.sort)


def _ordinals(base: Base, places: frozenset[bytes]) -> NameSet:
    """Numbers as names: they stand bare, and only so."""
    key = ("ordinals", places)
    found = base.memory.get(key)
    if found is None:
        names = tuple(sorted(places))
        found = base.memory.keep(
            key, NameSet(names, tuple(Entry.made(_text(n), ORDINAL) for n in names), base.spelling)
        )
    assert isinstance(found, NameSet)
    return found


# --- fresh names ------------------------------------------------------------------------------------


def fresh(base: Base, frames: Frames, slot: Fresh, held: Members | Bound, merge: str) -> Offer:
    """What may be declared. `held` is what will be bound under the name, if the slot feeds a scope."""
    excluded = _excluded(base, frames, slot)
    if slot.feeds is None:
        return _declared(base, slot, excluded)
    at = innermost(frames, slot.feeds)
    if at is None:
        return None
    frame = frames[at]
    members = held.members if isinstance(held, Bound) else held
    sort = _fed_sort(base, slot)
    fitting = {
        pledge.name
        for pledge in frame.pledges
        if pledge.sort == sort and bind(base, frames, at, sort, pledge.name, members, merge) is not None
    }
    unfit = {pledge.name for pledge in frame.pledges if pledge.sort == sort} - fitting
    excluded |= unfit | {bound.name for bound in frame.bound if bound.sort == sort}
    excluded |= {name for barred, name in frame.barred if barred == sort}
    if bind(base, frames, at, sort, None, members, merge) is not None:
        return _declared(base, slot, excluded)
    return _named(base, fitting - excluded, slot.sort) or None


def _fed_sort(base: Base, slot: Fresh) -> str:
    """The sort under which a fresh name is bound: its own, unless its rule says otherwise."""
    return next((sort for sort, kind in base.use(slot).binds if kind == slot.feeds), slot.sort)


def _declared(base: Base, slot: Fresh | Open, excluded: frozenset[bytes]) -> Words:
    if slot.shape is None:
        return _words(base, base.surface.word, excluded, bool(base.surface.quotes))
    return _words(base, base.surface.tokens[slot.shape].pattern, _spelled(base, excluded), False)


def _spelled(base: Base, names: frozenset[bytes]) -> frozenset[bytes]:
    """All ways to write some names."""
    key = ("spelled", names)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, frozenset(way for name in names for way in base.spelling.spellings(_text(name))))
    assert isinstance(found, frozenset)
    return found


def open_slot(base: Base, slot: Open) -> Words:
    """Any name of the shape."""
    return _declared(base, slot, NO_NAMES)


def _excluded(base: Base, frames: Frames, slot: Fresh) -> frozenset[bytes]:
    """The names that may not be declared."""
    excluded: frozenset[bytes] = NO_NAMES
    for sort in slot.other_than:
        excluded |= _all_visible(base, frames, sort)
    use = base.use(slot)
    for sort, kind in use.binds:
        at = innermost(frames, kind)
        if at is not None:
            excluded |= {bound.name for bound in frames[at].bound if bound.sort == sort}
    if use.exports:
        excluded |= _not_exported(base, frames)
    return excluded


def _all_visible(base: Base, frames: Frames, sort: str) -> frozenset[bytes]:
    """All names of a sort, whether they could be taken here or not: those of members too."""
    group = known(base, Reference(sort))
    key = ("all", group)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, frozenset(base.key(entry.name) for entry in group))
    assert isinstance(found, frozenset)
    made = {bound.name for bound in _in_scopes(frames, sort)[0]}
    declared = base.surface.sorts.get(sort)
    if declared is not None and declared.owner is not None:
        for frame in frames:
            made.update(*(bound.members.names for bound in frame.bound if isinstance(bound.members, Derived)))
    return found if made <= found else found | made


def _not_exported(base: Base, frames: Frames) -> frozenset[bytes]:
    """The names that the innermost scope may not give out, for the sake of the scope that it feeds."""
    at = len(frames) - 1
    target = innermost(frames[:at], frames[at].feeds) if frames[at].feeds is not None else None
    if target is None:
        return NO_NAMES
    outer = frames[target]
    given = names_of(frames[at])
    return frozenset(name for name in outer.open | outer.pins if not takes(base, frames, at, given | {name}))
