"""Where a reference is found: one name, as the tool would look it up.

Every `find_*` returns the frames as they are once the name has been taken, and what it stands for; None if it cannot
be taken. `offers.py` lists the names for which they do not return None, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from langc.compiler.limits import MAX_SCOPE_SOURCES
from langc.compiler.surfaces.environment.names import Entry, Group
from langc.compiler.surfaces.model import Fresh, Reference
from langc.compiler.surfaces.world.base import Base
from langc.compiler.surfaces.world.binding import (
    Frames,
    can_bind,
    innermost,
    owners,
    replaced,
    shared,
    solvable,
)
from langc.compiler.surfaces.world.frame import Frame, Pledge, Result
from langc.compiler.surfaces.world.supplies import Supply, supply_of
from langc.compiler.surfaces.world.values import Bound, Declared, Promised, Value, members_of

Found: TypeAlias = tuple[Frames, Value]
ORDINAL = "Ordinal"


def find(base: Base, frames: Frames, slot: Reference, name: bytes, held: Value | None, merge: str) -> Found | None:
    """Where a reference is found. `held` is the value of the local that `of` names."""
    found = _find(base, frames, slot, name, held, merge)
    if found is None or not slot.once:
        return found
    return None if (slot.sort, name) in frames[-1].used and not repeats(found[1]) else found


def _find(base: Base, frames: Frames, slot: Reference, name: bytes, held: Value | None, merge: str) -> Found | None:
    if slot.of is not None:
        return find_of(base, frames, slot, name, held)
    if slot.results:
        return find_result(base, frames, slot, name)
    if slot.shared:
        return find_shared(base, frames, slot, name)
    if slot.scope is None:
        return find_visible(base, frames, slot, name, merge)
    if base.is_member(slot):
        return find_member(base, frames, slot, name)
    return find_bound(base, frames, slot, name)


def repeats(value: Value) -> bool:
    """Whether `once` does not hold for a name."""
    return isinstance(value, Entry) and "repeat" in value.attributes


def scopes(frames: Frames, kind: str, outward: bool) -> Iterator[int]:
    """The places of the frames of a kind that are seen from inside, inner ones first."""
    for at in range(len(frames) - 1, -1, -1):
        if frames[at].kind == kind:
            yield at
            if not outward:
                return
        if frames[at].opaque:
            return


def member(base: Base, group: Group, slot: Reference, name: bytes) -> Entry | None:
    """The first member of a name that has the attributes which a slot asks for."""
    for entry in group.all(name, base.fold):
        if entry.has(slot.where, slot.where_not):
            return entry
    return None


# --- members ----------------------------------------------------------------------------------------


def find_of(base: Base, frames: Frames, slot: Reference, name: bytes, held: Value | None) -> Found | None:
    """A member of the name that a local holds."""
    if isinstance(held, Entry | Bound):
        members = held.members if isinstance(held, Bound) else held
        entry = member(base, base.group(members, slot.sort), slot, name)
        return None if entry is None else (frames, entry)
    place = pledge_of(frames, held)
    if place is None or base.member_sorts.get(frames[place[0]].kind) != slot.sort:
        return None
    at, pledge = place
    if not all_have(base, supply_of(base, frames, at), slot, name):
        return None
    more = Pledge(pledge.sort, pledge.name, pledge.members | {name}, pledge.stars)
    after = replaced(frames, at, frames[at].but(pledges=frames[at].pledging(more)))
    return (after, Declared(name)) if solvable(base, after, at) else None


def pledge_of(frames: Frames, held: Value | None) -> tuple[int, Pledge] | None:
    """The innermost frame that promises the name that a local holds, and the promise."""
    if isinstance(held, Promised):
        for at in range(len(frames) - 1, -1, -1):
            pledge = frames[at].pledge(held.sort, held.name)
            if pledge is not None:
                return at, pledge
    return None


def all_have(base: Base, supply: Supply, slot: Reference, name: bytes) -> bool:
    """Whether every supplier's member of a name has the attributes that a slot asks for."""
    if not slot.where and not slot.where_not:
        return True
    groups = (base.group(members_of(one.value), slot.sort) for _, one in supply.each(supply.signature(name)))
    return all(entry.has(slot.where, slot.where_not) for group in groups for entry in group.all(name, base.fold)[:1])


def find_member(base: Base, frames: Frames, slot: Reference, name: bytes) -> Found | None:
    """A member of what is bound in scopes of a kind."""
    assert slot.scope is not None
    passed: list[int] = []
    for at in scopes(frames, slot.scope, slot.outward):
        frame = frames[at]
        own = owners(base, frame, name)
        if own:
            found = _owned(base, frames, at, slot, name, own)
            return None if found is None else (_pinned(found[0], passed, name), found[1])
        if frame.settled:
            if has_alias(frame, name):
                return None
            continue
        supply = supply_of(base, frames, at)
        if supply.signature(name):
            if not (frame.early and slot.defer) or not all_have(base, supply, slot, name):
                return None
            after = replaced(frames, at, frame.but(open=frame.open | {name}))
            return (_pinned(after, passed, name), Declared(name)) if solvable(base, after, at) else None
        if has_alias(frame, name):
            return None
        passed.append(at)
    return None


def kept_free(base: Base, frames: Frames, slot: Fresh, lexeme: bytes) -> Frames | None:
    """The frames once a text has been written that would be a member if something bound later owned it.

    None if something that has still to be bound owns it.
    """
    name = base.spelling.name_of(lexeme)
    if name is None or set(slot.other_than).isdisjoint(base.member_sorts.values()):
        return frames
    for at, frame in enumerate(frames):
        if frame.settled or frame.kind not in base.feeds or name in frame.pins:
            continue
        frames = replaced(frames, at, frame.but(pins=frame.pins | {name}))
        if name in frame.open or not solvable(base, frames, at):
            return None
    return frames


def has_alias(frame: Frame, name: bytes) -> bool:
    """Whether a result has this alias: it hides the members of outer scopes."""
    return any(result.explicit and result.name == name for result in frame.results)


def _owned(
    base: Base, frames: Frames, at: int, slot: Reference, name: bytes, own: list[Bound]
) -> tuple[Frames, Entry] | None:
    if slot.unique and len(own) > 1:
        return None
    entry = member(base, base.group(own[0].members, slot.sort), slot, name)
    if entry is None:
        return None
    frame = frames[at]
    if frame.settled or not slot.unique or name in frame.pins:
        return frames, entry
    after = replaced(frames, at, frame.but(pins=frame.pins | {name}))
    return (after, entry) if solvable(base, after, at) else None


def _pinned(frames: Frames, passed: list[int], name: bytes) -> Frames:
    """The frames once a name was found outside of some that are not settled: nothing bound there may own it."""
    for at in passed:
        frames = replaced(frames, at, frames[at].but(pins=frames[at].pins | {name}))
    return frames


def find_shared(base: Base, frames: Frames, slot: Reference, name: bytes) -> Found | None:
    """A name that the last binding and exactly one earlier one own."""
    at = innermost(frames, slot.scope)
    if at is None or name not in shared(base, frames[at]):
        return None
    entry = member(base, base.group(frames[at].bound[-1].members, slot.sort), slot, name)
    return None if entry is None else (frames, entry)


# --- names ------------------------------------------------------------------------------------------


def find_bound(base: Base, frames: Frames, slot: Reference, name: bytes) -> Found | None:
    """A name of a sort without owner that is, or will be, bound in scopes of a kind."""
    assert slot.scope is not None
    passed: list[int] = []
    for at in scopes(frames, slot.scope, slot.outward):
        frame = frames[at]
        bound = frame.binding(slot.sort, name)
        if bound is not None:
            return None if slot.where else (_barred(frames, passed, slot.sort, name), bound.plain)
        if can_promise(base, frame, slot) and (slot.sort, name) not in frame.barred:
            after = promise(base, frames, at, slot.sort, name)
            return None if after is None else (_barred(after, passed, slot.sort, name), Promised(slot.sort, name))
        if frame.settled:
            continue
        if frame.pledge(slot.sort, name) or not may_bar(base, frames, at, name):
            return None
        passed.append(at)
    return None


def can_promise(base: Base, frame: Frame, slot: Reference) -> bool:
    """Whether a frame can promise names of a slot's sort."""
    return slot.defer and not frame.settled and not slot.where and (not frame.bound or frame.kind not in base.feeds)


def promise(base: Base, frames: Frames, at: int, sort: str, name: bytes) -> Frames | None:
    """The frames once a frame promises a name."""
    frame = frames[at]
    if frame.pledge(sort, name) is not None:
        return frames
    if frame.kind in base.feeds and len(frame.bound) + len(frame.pledges) >= MAX_SCOPE_SOURCES:
        return None
    after = replaced(frames, at, frame.but(pledges=frame.pledging(Pledge(sort, name))))
    return after if solvable(base, after, at) else None


def may_bar(base: Base, frames: Frames, at: int, name: bytes) -> bool:
    """Whether a frame can do without ever binding a name."""
    frame = frames[at]
    return frame.kind in base.aliased or name not in supply_of(base, frames, at).numbers


def _barred(frames: Frames, passed: list[int], sort: str, name: bytes) -> Frames:
    for at in passed:
        frames = replaced(frames, at, frames[at].but(barred=frames[at].barred | {(sort, name)}))
    return frames


def find_visible(base: Base, frames: Frames, slot: Reference, name: bytes, merge: str) -> Found | None:
    """A name bound in any scope, or one of Γ."""
    if slot.feeds and slot.once:
        return find_once(base, frames, slot, name, merge)
    found = _visible(base, frames, slot, name)
    if found is None:
        return None
    if slot.feeds and not (isinstance(found, Entry | Bound) and can_bind(base, frames, slot.feeds, found, merge)):
        return None
    return frames, found


def find_once(base: Base, frames: Frames, slot: Reference, name: bytes, merge: str) -> Found | None:
    """A name bound in the scope right around the one that it is to be bound in, where that was not done before."""
    at = innermost(frames, slot.feeds)
    bound = frames[at - 1].binding(slot.sort, name) if at else None
    if at is None or bound is None or slot.feeds is None:
        return None
    after = replaced(frames, at, frames[at].but(used=frames[at].used | {(slot.sort, name)}))
    return (frames, bound.plain) if can_bind(base, after, slot.feeds, bound.plain, merge) else None


def _visible(base: Base, frames: Frames, slot: Reference, name: bytes) -> Value | None:
    for frame in reversed(frames):
        bound = frame.binding(slot.sort, name)
        if bound is not None:
            return None if slot.where else bound.plain
        if (slot.sort, name) in frame.hidden:
            return None
    return member(base, known(base, slot), slot, name)


def known(base: Base, slot: Reference) -> Group:
    """The names of Γ of a slot's sort; those of a sort with an owner are the members of all owners."""
    own = base.environment.group(slot.sort)
    sort = base.surface.sorts.get(slot.sort)
    if len(own) or sort is None or sort.owner is None:
        return own
    key = ("known", slot.sort)
    found = base.memory.get(key)
    if found is None:
        names = {
            base.key(entry.name): entry
            for owner in reversed(base.environment.group(sort.owner).entries)
            for entry in reversed(base.group(owner, slot.sort).entries)
        }
        found = base.memory.keep(key, Group.of(names[name] for name in sorted(names)))
    assert isinstance(found, Group)
    return found


# --- results ----------------------------------------------------------------------------------------


def find_result(base: Base, frames: Frames, slot: Reference, name: bytes) -> Found | None:
    """A name that a scope gives out."""
    at = innermost(frames, slot.scope)
    if at is None:
        return None
    if slot.sort == ORDINAL:
        return (frames, Declared(name)) if name in ordinals(frames[at], slot) else None
    return (frames, Declared(name)) if name in result_names(base, frames[at], slot) else None


def ordinals(frame: Frame, slot: Reference) -> frozenset[bytes]:
    """The places of results that a slot offers."""
    marked = {place: marks for place, marks in frame.flagged if frame.certain is None or place <= frame.certain}
    unsure = len(marked) < len(frame.flagged) or bool(slot.where)
    last = frame.certain if frame.certain is not None and unsure and (slot.where or slot.where_not) else frame.count
    none: frozenset[str] = frozenset()
    asked, refused = set(slot.where), set(slot.where_not)
    found = (
        place
        for place in range(1, last + 1)
        if asked <= marked.get(place, none) and refused.isdisjoint(marked.get(place, none))
    )
    return frozenset(str(place).encode() for place in found)


def result_names(base: Base, frame: Frame, slot: Reference) -> frozenset[bytes]:
    """The names of results that a slot offers."""
    found = frozenset(result.name for result in frame.results if _is_asked(result, slot))
    if slot.unique:
        found = frozenset(name for name in found if len(owners(base, frame, name)) < 2)
    return found


def _is_asked(result: Result, slot: Reference) -> bool:
    has = set(result.marks)
    if result.explicit:
        has.add("explicit")
    if result.plain:
        has.add("plain")
    if not slot.where and not has & {"explicit", "plain"}:
        return False
    return has.issuperset(slot.where) and has.isdisjoint(slot.where_not)
