"""All names that a slot takes, as one object: equal questions get the same one.

Invariant: a name is offered if and only if taking it is possible and keeps the promises of all scopes possible.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import compress
from typing import TypeAlias

from langc.compiler.limits import MAX_OPEN_NAMES, MAX_SCOPE_SOURCES
from langc.compiler.surfaces.environment.names import Entry, NameSet, Words
from langc.compiler.surfaces.model import Fresh, Open, Reference
from langc.compiler.surfaces.world.base import NO_NAMES, Base
from langc.compiler.surfaces.world.binding import (
    Frames,
    bind,
    can_bind,
    counts,
    innermost,
    names_of,
    problem_of,
    shared,
    takes,
    unmergeable,
)
from langc.compiler.surfaces.world.frame import Frame
from langc.compiler.surfaces.world.lookup import (
    ORDINAL,
    all_have,
    can_promise,
    find_bound,
    find_member,
    find_of,
    find_once,
    known,
    ordinals,
    pledge_of,
    promise,
    repeats,
    result_names,
    scopes,
)
from langc.compiler.surfaces.world.promises import Problem, can_add, kinds, possible, rest, solution
from langc.compiler.surfaces.world.supplies import Supplier, Supply, supply_of
from langc.compiler.surfaces.world.values import Bound, Derived, Members, Value, members_of

Offer: TypeAlias = NameSet | Words | None
_UNUSED = b""
"""A name that stands for one that nothing knows: no name that is written is empty."""


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
            found = _without(base, found, used)
    if slot.shape is not None and base.spelling.quotes:
        found = _bare(base, found)
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


def _bare(base: Base, offer: Offer) -> Offer:
    """What is offered, without quotes: where a slot has the shape of a token, a name stands as it is."""
    if isinstance(offer, Words):
        return _words(base, offer.shape, offer.excluded, False)
    if offer is None:
        return None
    key = ("bare", offer)
    found = base.memory.get(key)
    if found is None:
        bare = frozenset(way for entry in offer.entries if (way := base.spelling.bare(entry.name)) is not None)
        found = base.memory.keep(key, _cut(offer, (way in bare for way in offer.spellings)))
    assert isinstance(found, NameSet)
    return found


def _named(base: Base, names: Iterable[bytes], sort: str) -> NameSet:
    """The names of made entries."""
    return _set(base, (Entry.made(_text(name), sort) for name in sorted(names)))


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogatepass")


def _without(base: Base, names: NameSet, used: set[bytes]) -> NameSet:
    entries = dict.fromkeys(names.entries)
    return _set(base, (entry for entry in entries if repeats(entry) or base.key(entry.name) not in used))


# --- members ----------------------------------------------------------------------------------------


def _of(base: Base, frames: Frames, slot: Reference, held: Value | None) -> Offer:
    if isinstance(held, Entry | Bound):
        return base.group(members_of(held), slot.sort).names(base.spelling, slot.where, slot.where_not)
    place = pledge_of(frames, held)
    if place is None or base.member_sorts.get(frames[place[0]].kind) != slot.sort:
        return None
    at, pledge = place
    if counts(frames[at]) or supply_of(base, frames, at).single:
        names = supply_of(base, frames, at).owners
        return _tried(base, frames, at, slot, (n for n in names if find_of(base, frames, slot, n, held) is not None))
    supply, problem = problem_of(base, frames, at)
    groups = _groups_of_pledge(base, supply, problem, frames[at].pledges.index(pledge))
    return _filtered(base, supply, slot, supply_names(base, supply, slot.sort, groups))


def _tried(base: Base, frames: Frames, at: int, slot: Reference, names: Iterable[bytes]) -> NameSet:
    supply = supply_of(base, frames, at)
    return _set(base, (some_entry(base, supply, slot.sort, name) for name in sorted(names)))


def _groups_of_pledge(base: Base, supply: Supply, problem: Problem, number: int) -> int:
    """The groups of names that some supplier owns which the n-th promised name may stand for."""
    if problem.merging:
        return supply.groups_of(problem.named[number])
    key = ("pledge", supply, problem, number)
    found = base.memory.get(key)
    if found is None:
        bits = 0
        for own, fitting, suppliers in kinds(problem):
            if fitting[number] and possible(rest(problem, own, number)):
                bits |= suppliers
        found = base.memory.keep(key, supply.groups_of(bits))
    assert isinstance(found, int)
    return found


def _groups_to_open(base: Base, supply: Supply, problem: Problem) -> int:
    """The groups of names that can be promised besides what is promised."""
    if problem.merging:
        return supply.groups_of(problem.allowed)
    key = ("open", supply, problem)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, _openable(supply, problem))
    assert isinstance(found, int)
    return found


def _openable(supply: Supply, problem: Problem) -> int:
    found = 0
    if len(problem.open) + len(problem.named) < MAX_OPEN_NAMES:
        for own, _, suppliers in kinds(problem):
            others = solution(rest(problem, own, None))
            if others is not None:
                found |= supply.groups_of(suppliers) & ~_owned(supply, others)
        found |= _once(supply, solution(problem) or ())
    left = supply.all_groups & ~found
    while left:
        low = left & -left
        left ^= low
        signature = supply.signatures[low.bit_length() - 1] & problem.allowed
        if signature and possible(Problem(problem.allowed, problem.open | {signature}, problem.named)):
            found |= low
    return found


def _owned(supply: Supply, bits: Iterable[int]) -> int:
    found = 0
    for bit in bits:
        found |= supply.groups_of(bit)
    return found


def _once(supply: Supply, bits: Iterable[int]) -> int:
    """The groups that exactly one of some suppliers owns."""
    once = twice = 0
    for bit in bits:
        groups = supply.groups_of(bit)
        twice |= once & groups
        once |= groups
    return once & ~twice


def supply_names(base: Base, supply: Supply, sort: str, groups: int) -> NameSet:
    """The names of some groups. All of them are one object, and a part is cut out of it."""
    key = ("groups", supply, sort, groups)
    found = base.memory.get(key)
    if found is None:
        if groups == supply.all_groups:
            found = base.memory.keep(key, _whole(base, supply, sort))
        else:
            whole = supply_names(base, supply, sort, supply.all_groups)
            numbers = _numbers(base, supply, whole)
            found = base.memory.keep(key, _cut(whole, (groups >> number & 1 for number in numbers)))
    assert isinstance(found, NameSet)
    return found


def _whole(base: Base, supply: Supply, sort: str) -> NameSet:
    parent = supply.parent
    if parent is None:
        return _set(base, (some_entry(base, supply, sort, name) for name in sorted(supply.owners)))
    known = parent.owners
    more = {name for one in supply.suppliers[len(parent.suppliers) :] for name in one.names if name not in known}
    less = {name for _, one in supply.each(supply.hidden) for name in one.names if name not in supply.owners}
    before = supply_names(base, parent, sort, parent.all_groups)
    return edited(before, (some_entry(base, supply, sort, name) for name in sorted(more)), less)


def edited(names: NameSet, added: Iterable[Entry], removed: Iterable[bytes]) -> NameSet:
    """The names without some, and with some entries more."""
    spelling = names.spelling
    spellings, entries = list(names.spellings), list(names.entries)
    for name in removed:
        for way in spelling.spellings(_text(name)):
            at = bisect_left(spellings, way)
            if at < len(spellings) and spellings[at] == way:
                del spellings[at], entries[at]
    more = NameSet.of(added, spelling)
    for way, entry in zip(more.spellings, more.entries, strict=True):
        at = bisect_left(spellings, way)
        if at == len(spellings) or spellings[at] != way:
            spellings.insert(at, way)
            entries.insert(at, entry)
    if len(spellings) == len(names) and tuple(entries) == names.entries:
        return names
    return NameSet(tuple(spellings), tuple(entries), spelling)


def _numbers(base: Base, supply: Supply, names: NameSet) -> tuple[int, ...]:
    """The group of each spelling."""
    key = ("numbers", supply, names)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, tuple(supply.group_of[base.key(entry.name)] for entry in names.entries))
    assert isinstance(found, tuple)
    return found


def _cut(names: NameSet, kept: Iterable[object]) -> NameSet:
    chosen = tuple(kept)
    spellings, entries = tuple(compress(names.spellings, chosen)), tuple(compress(names.entries, chosen))
    return NameSet(spellings, entries, names.spelling)


def some_entry(base: Base, supply: Supply, sort: str, name: bytes) -> Entry:
    """Some entry of a member's name."""
    signature = supply.signature(name)
    _, first = next(supply.each(signature & -signature))
    entry = base.group(members_of(first.value), sort).get(name, base.fold)
    assert entry is not None
    return entry


def _filtered(base: Base, supply: Supply, slot: Reference, names: NameSet) -> NameSet:
    """Without the names that some supplier's member has not the asked attributes for."""
    if not slot.where and not slot.where_not:
        return names
    entries = (entry for entry in dict.fromkeys(names.entries) if all_have(base, supply, slot, base.key(entry.name)))
    return _set(base, entries)


def _members(base: Base, frames: Frames, slot: Reference) -> NameSet | None:
    assert slot.scope is not None
    found: NameSet | None = None
    for at in reversed(list(scopes(frames, slot.scope, slot.outward))):
        own = _layer(base, frames, at, slot)
        found = _over(base, own, found, _Stops.of(base, frames, at)) if found else own
    return found


def _layer(base: Base, frames: Frames, at: int, slot: Reference) -> NameSet | None:
    """The members that one frame offers."""
    frame = frames[at]
    if not frame.early:
        return _owned_here(base, frames, at, slot)
    if not slot.defer:
        return None
    supply, problem = problem_of(base, frames, at)
    if counts(frame) or supply.single:
        inner = frames[: at + 1]
        return _tried(base, frames, at, slot, (n for n in supply.owners if find_member(base, inner, slot, n)))
    return _filtered(base, supply, slot, supply_names(base, supply, slot.sort, _groups_to_open(base, supply, problem)))


def _owned_here(base: Base, frames: Frames, at: int, slot: Reference) -> NameSet:
    """The members of what is bound in a frame."""
    frame = frames[at]
    bare = frame.settled or not (frame.open or frame.pledges)
    guarded = () if bare else (frame.open, frame.pledges, frame.pins, frame.merging, supply_of(base, frames, at))
    key = ("owned", frame.kind, frame.bound, slot.sort, slot.unique, slot.where, slot.where_not, guarded)
    found = base.memory.get(key)
    if found is None:
        names = {name: None for bound in frame.bound for name in base.owned(bound.members, slot.sort) - bound.hidden}
        inner = frames[: at + 1]
        values = ((name, find_member(base, inner, slot, name)) for name in sorted(names))
        entries = (value[1] for _, value in values if value is not None)
        found = base.memory.keep(key, _set(base, (entry for entry in entries if isinstance(entry, Entry))))
    assert isinstance(found, NameSet)
    return found


@dataclass(frozen=True)
class _Stops:
    """The names for which no frame further out is asked."""

    bound: tuple[Bound, ...]
    sort: str
    aliases: frozenset[bytes]
    supply: Supply | None
    """What can still be bound; None in a settled frame."""

    @classmethod
    def of(cls, base: Base, frames: Frames, at: int) -> _Stops:
        frame = frames[at]
        aliases = frozenset(result.name for result in frame.results if result.explicit)
        supply = None if frame.settled else supply_of(base, frames, at)
        return cls(frame.bound, base.member_sorts.get(frame.kind, ""), aliases, supply)

    def names(self, base: Base) -> set[bytes]:
        found = set(self.aliases)
        for bound in self.bound:
            found |= base.owned(bound.members, self.sort)
        return found | self.supply.owners.keys() if self.supply is not None else found


def _over(base: Base, own: NameSet | None, outer: NameSet, stops: _Stops) -> NameSet | None:
    """The names of an inner layer, and those of the outer ones that it does not stop."""
    key = ("over", own, outer, stops)
    if key not in base.memory:
        base.memory.keep(key, _layered(base, own, outer, stops.names(base)))
    found = base.memory[key]
    assert found is None or isinstance(found, NameSet)
    return found


def _layered(base: Base, own: NameSet | None, outer: NameSet, stops: set[bytes]) -> NameSet | None:
    inside = _by_name(base, own) if own is not None else {}
    outside = _by_name(base, outer)
    kept = outside.keys() - stops
    if not kept:
        return own
    if len(kept) + len(inside.keys() - kept) == len(outside) and inside.keys() <= outside.keys():
        return outer
    names = {**{name: outside[name] for name in kept}, **inside}
    return _set(base, (names[name] for name in sorted(names)))


def _by_name(base: Base, names: NameSet) -> Mapping[bytes, Entry]:
    key = ("by name", names)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, {base.key(entry.name): entry for entry in names.entries})
    return found  # type: ignore[return-value]


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
        names |= {bound.name for bound in frame.bound if bound.sort == slot.sort}
        if can_promise(base, frame, slot):
            if frame.kind in base.aliased or frame.kind not in base.feeds:
                if promise(base, frames, at, slot.sort, _UNUSED) is not None:
                    return _any_word(base, frozenset(stopped))
            else:
                names |= set(supply_of(base, frames, at).numbers)
            names |= {pledge.name for pledge in frame.pledges if pledge.sort == slot.sort}
            names |= {name for sort, name in frame.barred if sort == slot.sort}
            break
        if not frame.settled:
            stopped |= {pledge.name for pledge in frame.pledges if pledge.sort == slot.sort} - names
            if frame.kind not in base.aliased:
                stopped |= supply_of(base, frames, at).numbers.keys() - names
    return _named(base, (name for name in names if find_bound(base, frames, slot, name) is not None), slot.sort)


def _any_word(base: Base, excluded: frozenset[bytes]) -> Words:
    return _words(base, base.surface.word, excluded, bool(base.surface.quotes))


def _words(base: Base, shape: str, excluded: frozenset[bytes], quoted: bool) -> Words:
    key = ("words", shape, excluded, quoted)
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, Words(shape, base.keywords | excluded, base.fold, quoted, excluded))
    assert isinstance(found, Words)
    return found


def _visible(base: Base, frames: Frames, slot: Reference, merge: str) -> Offer:
    if slot.feeds is not None:
        at = innermost(frames, slot.feeds)
        return None if at is None else _feeding(base, frames, at, slot, merge)
    made, gone = _in_scopes(frames, slot.sort)
    group = known(base, slot)
    whole = group.names(base.spelling, slot.where, slot.where_not)
    if not made and not gone:
        return whole
    more = frozenset() if slot.where else frozenset(map(_as_entry, made))
    key = ("visible", whole, more, frozenset(gone))
    found = base.memory.get(key)
    if found is None:
        found = base.memory.keep(key, edited(whole, sorted(more, key=lambda entry: entry.name), gone))
    assert isinstance(found, NameSet)
    return found


def _seen(base: Base, slot: Reference, made: list[Bound], gone: set[bytes]) -> list[Entry | Bound]:
    """What is bound, and what of Γ is not hidden, in order of name."""
    found: dict[bytes, Entry | Bound] = {}
    if not slot.where:
        found.update((bound.name, bound) for bound in made)
    for entry in known(base, slot):
        name = base.key(entry.name)
        if name not in gone and name not in found and entry.has(slot.where, slot.where_not):
            found[name] = entry
    return [found[name] for name in sorted(found)]


def _feeding(base: Base, frames: Frames, at: int, slot: Reference, merge: str) -> NameSet:
    """The names that can be bound in a frame."""
    frame = frames[at]
    supply, problem = problem_of(base, frames, at)
    if slot.once:
        near = (one for _, one in supply.each(supply.single) if one.sort == slot.sort)
        found = (one for one in near if find_once(base, frames, slot, one.name, merge) is not None)
        return _set(base, (_as_entry(one.value) for one in found))
    alike = not any(one.bound or one.hidden for one in frames[at + 1 :])
    simple = frame.kind in base.aliased and not counts(frame) and not frame.settled and not supply.single
    able = _able(base, frame, supply, problem, merge) if simple else None
    if not alike or able is None or frame.pending or not _has_room(frame):
        made, gone = _in_scopes(frames, slot.sort)
        values = _seen(base, slot, made, gone)
        bindable = (value for value in values if can_bind(base, frames, frame.kind, value, merge))
        return _set(base, map(_as_entry, bindable))
    return supplier_names(base, supply, slot, able)


def _able(base: Base, frame: Frame, supply: Supply, problem: Problem, merge: str) -> int | None:
    """The suppliers that can be bound where any may be bound under a new name; None where each has to be tried."""
    if merge == "no" and problem.merging:
        return problem.allowed & ~supply.union(frame.pins)
    if merge == "no":
        key = ("feeding", problem)
        found = base.memory.get(key)
        if found is None:
            bits = sum(bits for own, fitting, bits in kinds(problem) if can_add(problem, own, fitting))
            found = base.memory.keep(key, bits)
        assert isinstance(found, int)
        return found
    if merge == "all" or not (problem.merging or not frame.promises):
        return None
    return supply.all & ~supply.union(unmergeable(base, frame))


def _has_room(frame: Frame) -> bool:
    return len(frame.bound) + len(frame.pledges) < MAX_SCOPE_SOURCES


def supplier_names(base: Base, supply: Supply, slot: Reference, bits: int) -> NameSet:
    """The names of some suppliers that have the sort and the attributes which a slot asks for."""
    key = ("suppliers", supply, slot.sort, slot.where, slot.where_not, bits)
    found = base.memory.get(key)
    if found is None:
        if bits == supply.all:
            chosen = sorted((one for _, one in supply.each(bits) if _suits(one, slot)), key=lambda one: one.name)
            found = base.memory.keep(key, _set(base, (_as_entry(one.value) for one in chosen)))
        else:
            whole = supplier_names(base, supply, slot, supply.all)
            numbers = {_as_entry(one.value): bit for bit, one in supply.each(supply.all)}
            found = base.memory.keep(key, _cut(whole, (numbers[entry] & bits for entry in whole.entries)))
    assert isinstance(found, NameSet)
    return found


def _suits(one: Supplier, slot: Reference) -> bool:
    if one.sort != slot.sort:
        return False
    return one.value.has(slot.where, slot.where_not) if isinstance(one.value, Entry) else not slot.where


def _in_scopes(frames: Frames, sort: str) -> tuple[list[Bound], set[bytes]]:
    """The names of a sort that are bound, inner ones first, and all names that these and `hide` hide."""
    made: list[Bound] = []
    gone: set[bytes] = set()
    for frame in reversed(frames):
        if not frame.bound and not frame.hidden:
            continue
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
        if sort in base.given_out:
            excluded |= {result.name for frame in frames for result in frame.results if result.explicit}
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
