"""Binding, merging, giving out results, settling: what changes one scope, and whether its promises allow it.

Every function takes the frames of a world and the place of one of them, and returns the frames as they are afterwards,
or None where that must not be. Invariant: if the promises of all frames can be kept before, they can be afterwards.
"""

from __future__ import annotations

from typing import TypeAlias

from langc.compiler.limits import MAX_SCOPE_SOURCES
from langc.compiler.surfaces.environment.names import Entry
from langc.compiler.surfaces.world.base import NO_NAMES, Base
from langc.compiler.surfaces.world.frame import Frame, Pledge, Result
from langc.compiler.surfaces.world.promises import Count, Problem, fits, possible
from langc.compiler.surfaces.world.supplies import Supply, supply_of
from langc.compiler.surfaces.world.values import Bound, Derived, Members, Promised, Value

Frames: TypeAlias = tuple[Frame, ...]


def replaced(frames: Frames, at: int, frame: Frame) -> Frames:
    """The frames with one of them changed."""
    return (*frames[:at], frame, *frames[at + 1 :])


def owners(base: Base, frame: Frame, name: bytes) -> list[Bound]:
    """The bindings of a scope that own a member, those that have merged it left out."""
    sort = base.member_sorts.get(frame.kind)
    if sort is None:
        return []
    return [one for one in frame.bound if name not in one.hidden and name in base.owned(one.members, sort)]


def size(base: Base, frame: Frame, members: Members) -> int:
    """Number of members that something gives out with a star."""
    if isinstance(members, Derived):
        return members.size
    return len(base.group(members, member_sort(base, frame, members)))


def member_sort(base: Base, frame: Frame, members: Members) -> str:
    """The sort of what a star gives out: that of the scope, or the first one whose owner has the sort of an entry."""
    found = base.member_sorts.get(frame.kind)
    if found is None and isinstance(members, Entry):
        return next((sort.name for sort in base.surface.sorts.values() if sort.owner == members.sort), "")
    return found or ""


# --- whether promises can be kept -------------------------------------------------------------------


def problem_of(base: Base, frames: Frames, at: int) -> tuple[Supply, Problem]:
    """What the promises of a frame ask for."""
    frame = frames[at]
    supply = supply_of(base, frames, at)
    allowed = supply.all & ~supply.union(unmergeable(base, frame) if frame.merging else frame.pins)
    aliased = frame.kind in base.aliased
    if not aliased:
        for bound in frame.bound:
            allowed &= ~supply.numbers.get(bound.name, 0)
        for _, name in frame.barred:
            allowed &= ~supply.numbers.get(name, 0)
    named = [candidates(supply, allowed, pledge, aliased) for pledge in frame.pledges]
    if frame.stars and frame.early and not frame.open and not named:
        named.append(allowed)  # all members are given out of something
    signatures = frozenset(supply.signature(name) & allowed for name in frame.open)
    return supply, Problem(allowed, signatures, tuple(named), frame.merging, supply.single)


def unmergeable(base: Base, frame: Frame) -> frozenset[bytes]:
    """The names that nothing bound later may own, even if it can be merged: nothing here owns them.

    Of what is owned here, one binding owns each pinned name, and others have merged it.
    """
    found, sort = frame.pins, base.member_sorts.get(frame.kind, "")
    for bound in frame.bound:
        if not found:
            break
        found = found - base.owned(bound.members, sort)
    return found


def candidates(supply: Supply, allowed: int, pledge: Pledge, aliased: bool) -> int:
    """The suppliers that a promised name may stand for."""
    found = supply.common(pledge.members) & allowed
    return found if aliased else found & supply.numbers.get(pledge.name, 0)


def counts(frame: Frame) -> bool:
    """Whether the number of members matters to the promises."""
    limited = frame.least > 0 or frame.most is not None
    return limited and (frame.stars > 0 or any(pledge.stars for pledge in frame.pledges))


def has_room(frame: Frame) -> bool:
    """Whether a frame may give out one result more: its promises, if their number does not matter, stay as they are."""
    return not counts(frame) and (frame.most is None or frame.count < frame.most)


def solvable(base: Base, frames: Frames, at: int) -> bool:
    """Whether all promises of a frame can be kept by binding suppliers."""
    frame = frames[at]
    if frame.settled or not (frame.open or frame.pledges or frame.stars):
        return frame.most is None or frame.count <= frame.most
    if frame.kind not in base.feeds:
        return not frame.open and not frame.stars
    supply, problem = problem_of(base, frames, at)
    if not counts(frame):
        return possible(problem) and (frame.most is None or frame.count <= frame.most)
    return _fits(base, frame, supply, problem)


def _fits(base: Base, frame: Frame, supply: Supply, problem: Problem) -> bool:
    """Whether one binding, there or to come, gives out what is wanted."""
    if len(frame.bound) > 1 or (frame.bound and (frame.open or frame.pledges)):
        return False
    times = frame.stars + sum(pledge.stars for pledge in frame.pledges)
    most = None if frame.most is None else frame.most - frame.count
    count = Count(times, frame.least - frame.count, most)
    if frame.bound:
        return count.holds(size(base, frame, frame.bound[0].members))
    return fits(supply, problem, count)


def checked(base: Base, frames: Frames, at: int) -> Frames | None:
    """The frames, if those promises can be kept."""
    return frames if solvable(base, frames, at) else None


# --- binding ----------------------------------------------------------------------------------------


def bind(
    base: Base, frames: Frames, at: int, sort: str, name: bytes | None, members: Members, merge: str = "no"
) -> Frames | None:
    """A name is bound in a frame. None as the name stands for one that is used nowhere.

    `merge`: "no"; "all" where `merge(all)` follows; any other word where members may be merged.
    """
    frame = frames[at]
    if frame.pending or (name is not None and (frame.binding(sort, name) or (sort, name) in frame.barred)):
        return None
    pledge = frame.pledge(sort, name) if name is not None else None
    owned = base.owned(members, base.member_sorts.get(frame.kind, ""))
    if pledge is not None and not pledge.members <= owned:
        return None
    bound = Bound(sort, b"" if name is None else name, members)
    if frame.settled:
        return replaced(frames, at, frame.but(bound=_ordered((*frame.bound, bound))))
    pending = _pending(base, frame, members, owned, merge)
    if pending is None or not _has_room(base, frame, pledge is not None or not owned.isdisjoint(frame.open)):
        return None
    kept = frame.open & owned
    still_open, pledges = frame.open - kept, frame.redeeming(pledge)
    changed = frame.but(
        bound=(*frame.bound, bound),
        open=still_open,
        pins=frame.pins | kept,
        pledges=pledges,
        pending=pending,
        merging=frame.merging and bool(still_open or pledges),
    )
    if pledge is not None and pledge.stars:
        changed = _given_out(base, changed, members, pledge.stars)
        if changed.count < changed.least:
            return None
    return checked(base, replaced(frames, at, changed), at)


def _pending(
    base: Base, frame: Frame, members: Members, owned: frozenset[bytes], merge: str
) -> frozenset[bytes] | None:
    """The names that have to be merged if something that owns these is bound. None if it may not be bound."""
    if merge == "all" and any(map(_is_irregular, (members, *(bound.members for bound in frame.bound)))):
        return None
    twice = frame.pins & owned
    if not twice:
        return NO_NAMES
    return twice if merge != "no" and all(len(owners(base, frame, name)) == 1 for name in twice) else None


def _is_irregular(members: Members) -> bool:
    """Whether it has columns whose names are not known: these could be merged too."""
    return isinstance(members, Derived) and members.size != len(members.names)


def _has_room(base: Base, frame: Frame, needed: bool) -> bool:
    """Whether one more binding keeps the number of sources bounded."""
    if needed or frame.kind not in base.feeds or counts(frame):
        return True
    return len(frame.bound) + len(frame.pledges) < MAX_SCOPE_SOURCES


def _ordered(bound: tuple[Bound, ...]) -> tuple[Bound, ...]:
    return tuple(sorted(bound, key=lambda one: (one.sort, one.name)))


def can_bind(base: Base, frames: Frames, kind: str, value: Members | Bound, merge: str) -> bool:
    """Whether something can be bound in the innermost frame of a kind, under whatever name."""
    at = innermost(frames, kind)
    if at is None:
        return False
    frame = frames[at]
    members = value.members if isinstance(value, Bound) else value
    own = None
    if kind not in base.aliased:
        assert isinstance(value, Entry | Bound)
        own = value.name if isinstance(value, Bound) else base.key(value.name)
        if any(own == one.name for one in frame.bound) or any(own == name for _, name in frame.barred):
            return False
    for sort in {pledge.sort for pledge in frame.pledges}:
        for pledge in frame.pledges:
            fitting = pledge.sort == sort and own in (None, pledge.name)
            if fitting and bind(base, frames, at, sort, pledge.name, members, merge) is not None:
                return True
    if own is not None and any(pledge.name == own for pledge in frame.pledges):
        return False
    return bind(base, frames, at, "", own, members, merge) is not None


def innermost(frames: Frames, kind: str | None) -> int | None:
    """The place of the innermost frame of a kind; of any kind with None."""
    if kind is None:
        return len(frames) - 1
    for at in range(len(frames) - 1, -1, -1):
        if frames[at].kind == kind:
            return at
    return None


# --- merging ----------------------------------------------------------------------------------------


def shared(base: Base, frame: Frame) -> frozenset[bytes]:
    """The names that the last binding and exactly one earlier one own."""
    return frozenset(name for name, count in _common(base, frame).items() if count == 1)


def _common(base: Base, frame: Frame) -> dict[bytes, int]:
    """The names that the last binding and earlier ones own, with the number of the latter."""
    if frame.settled or len(frame.bound) < 2:
        return {}
    last = frame.bound[-1]
    names = base.owned(last.members, base.member_sorts.get(frame.kind, "")) - last.hidden
    before = frame.but(bound=frame.bound[:-1])
    found = {name: len(owners(base, before, name)) for name in names}
    return {name: count for name, count in found.items() if count}


def merge(base: Base, frames: Frames, at: int, name: bytes | None) -> Frames | None:
    """The last binding's member counts as one with the earlier one; with None all that they share."""
    frame = frames[at]
    names = frozenset(_common(base, frame)) if name is None else shared(base, frame) & {name}
    if name is not None and not names:
        return None
    last = frame.bound[-1] if frame.bound else None
    if last is None:
        return frames
    merged = Bound(last.sort, last.name, last.members, last.hidden | names)
    changed = frame.but(bound=(*frame.bound[:-1], merged), pending=frame.pending - names)
    return checked(base, replaced(frames, at, changed), at)


def separate(base: Base, frames: Frames, at: int) -> Frames | None:
    """Nothing bound in a frame from here on is merged: None if promises need it."""
    frame = frames[at]
    if frame.pending:
        return None
    return checked(base, replaced(frames, at, frame.but(merging=False)), at) if frame.merging else frames


# --- giving out -------------------------------------------------------------------------------------


def takes(base: Base, frames: Frames, at: int, names: frozenset[bytes]) -> bool:
    """Whether the scope that a frame feeds can bind what has these members."""
    kind = frames[at].feeds
    target = innermost(frames[:at], kind) if kind is not None else None
    if target is None:
        return True
    outer = frames[: target + 1]
    if counts(outer[target]):
        return False
    merge = "may" if frames[at].merges else "no"
    return bind(base, outer, target, "", None, Derived(names, len(names)), merge) is not None


def names_of(frame: Frame) -> frozenset[bytes]:
    """The names of the results of a frame."""
    return frozenset(result.name for result in frame.results)


def export(base: Base, frames: Frames, name: bytes | None, explicit: bool) -> Frames | None:
    """The innermost scope gives out one result more, with or without a name."""
    at = len(frames) - 1
    frame = frames[at]
    if not has_room(frame):
        return None
    if name is not None and frame.feeds and not takes(base, frames, at, names_of(frame) | {name}):
        return None
    results = frame.results
    known = any(one.name == name and one.explicit == explicit for one in results)  # of a name the first one counts
    if name is not None and not known:
        results = results | {Result(name, explicit, not explicit and _is_plain(base, frame, name), frame.marks)}
    flagged = (*frame.flagged, (frame.count + 1, frame.marks)) if frame.marks else frame.flagged
    changed = _moved(frame).but(results=results, count=frame.count + 1, flagged=flagged)
    return replaced(frames, at, changed)


def _is_plain(base: Base, frame: Frame, name: bytes) -> bool:
    """Whether the bare name finds it, as far as is known: always where there are no members."""
    if frame.kind not in base.member_sorts:
        return True
    return frame.settled and _is_alone(base, frame, name)


def _is_alone(base: Base, frame: Frame, name: bytes) -> bool:
    """Whether one binding owns a member, and none has merged it: its bare name is not that of another one."""
    return len(owners(base, frame, name)) == 1 and not any(name in bound.hidden for bound in frame.bound)


def export_all(base: Base, frames: Frames) -> Frames | None:
    """The innermost scope gives out all members of all that is, or will be, bound in it."""
    at = len(frames) - 1
    frame = frames[at]
    if not frame.settled and (frame.kind not in base.feeds or not _feeds_freely(frames, at)):
        return None
    certain = frame.count if frame.certain is None else frame.certain
    changed = _moved(frame).but(stars=frame.stars + 1, certain=None if frame.settled else certain)
    if not frame.settled:
        return checked(base, replaced(frames, at, changed), at)
    return _all_given(base, frames, at, changed)


def _feeds_freely(frames: Frames, at: int) -> bool:
    """Whether any members may be given out."""
    kind = frames[at].feeds
    target = innermost(frames[:at], kind) if kind is not None else None
    return target is None or not (frames[target].open or frames[target].pins or counts(frames[target]))


def export_all_of(base: Base, frames: Frames, value: Value) -> Frames | None:
    """The innermost scope gives out all members of one name that is, or will be, bound in it."""
    at = len(frames) - 1
    frame = frames[at]
    given = _moved(frame)
    if isinstance(value, Promised):
        pledge = frame.pledge(value.sort, value.name)
        if pledge is None or not _feeds_freely(frames, at):
            return None
        more = Pledge(pledge.sort, pledge.name, pledge.members, pledge.stars + 1)
        certain = frame.count if frame.certain is None else frame.certain
        changed = given.but(pledges=frame.pledging(more), certain=certain)
        return checked(base, replaced(frames, at, changed), at)
    if isinstance(value, Bound) and frame.binding(value.sort, value.name) is None:
        return None
    if not isinstance(value, Entry | Bound):
        return None
    changed = _given_out(base, given, value.members if isinstance(value, Bound) else value, 1)
    if isinstance(value, Entry):  # not what is there, but what is to be filled
        group = base.group(value, member_sort(base, frame, value))
        fixed = sum("generated" in entry.attributes for entry in group)
        changed = changed.but(count=changed.count - fixed)
    if not takes(base, frames, at, names_of(changed)):
        return None
    return checked(base, replaced(frames, at, changed), at)


def _moved(frame: Frame) -> Frame:
    """The frame once what was marked has been given out."""
    return frame.but(marks=frozenset(), given=frame.given | frame.marks) if frame.marks else frame


def _given_out(base: Base, frame: Frame, members: Members, times: int) -> Frame:
    owned = base.owned(members, member_sort(base, frame, members))
    results = frozenset(Result(name, False, _is_plain(base, frame, name)) for name in owned)
    return frame.but(results=frame.results | results, count=frame.count + times * size(base, frame, members))


def _all_given(base: Base, frames: Frames, at: int, frame: Frame) -> Frames | None:
    """All members of a settled frame are given out as often as its stars say."""
    if frame.stars and not frame.bound:
        return None
    for bound in frame.bound if frame.stars else ():
        owned = base.owned(bound.members, base.member_sorts.get(frame.kind, "")) - bound.hidden
        results = frozenset(Result(name, False, _is_alone(base, frame, name)) for name in owned)
        more = frame.stars * (size(base, frame, bound.members) - len(bound.hidden))
        frame = frame.but(results=frame.results | results, count=frame.count + more)
    frame = frame.but(stars=0)
    after = replaced(frames, at, frame)
    fitting = frame.most is None or frame.count <= frame.most
    return after if fitting and takes(base, after, at, names_of(frame)) else None


def settle(base: Base, frames: Frames, at: int) -> Frames | None:
    """Nothing more is bound in a frame: what is promised has to be there."""
    frame = frames[at]
    if frame.settled:
        return frames
    if frame.promises:
        return None
    frame = frame.but(
        settled=True,
        pins=NO_NAMES,
        barred=frozenset(),
        bound=_ordered(frame.bound),
        merging=False,
        results=frozenset(),
    )
    results = frozenset(
        Result(one.name, one.explicit, one.plain or (not one.explicit and _is_plain(base, frame, one.name)), one.marks)
        for one in frames[at].results
    )
    return _all_given(base, frames, at, frame.but(results=results))
