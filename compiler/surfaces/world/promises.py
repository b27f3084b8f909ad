"""Whether all promises of a scope can still be kept.

The question is one of exact cover (Knuth, "Dancing links", 2000) with a few additions: bind some suppliers, each as
often as is wanted, so that every open member has exactly one owner, every promised name gets a supplier of its own that
has all members taken of it, and no supplier owns a pinned member. Where the number of results is limited and all
members are given out (`SELECT *` of a column's worth), exactly one is bound, and its number of members has to fit.

Where what is bound later can be merged with what is there (`JOIN … USING`), an open member may have several owners: the
later ones merge it with the first, which is the one that keeps it. Then every promise can be kept by itself, in any
order, and all of them can if each has somebody who could.

Suppliers that own the same open members are alike, so the search goes over *traces*: sets of open members. Open members
with equal owners are one. What only one kind of supplier can give is decided first (unit propagation); the rest is
searched exactly while at most `MAX_OPEN_NAMES` of them are left, and counts as impossible beyond. Binding a supplier
never makes more of them, so whatever is possible has a row of bindings that stay possible.

Invariant: the answer depends on the problem alone, never on what was asked before.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache

from langc.compiler.limits import MAX_OPEN_NAMES
from langc.compiler.surfaces.world.supplies import Supply


@dataclass(frozen=True, slots=True)
class Problem:
    """What has to be kept, as sets of suppliers. Equal problems are asked once."""

    allowed: int
    """The suppliers that may be bound."""
    open: frozenset[int]
    """For each open member its allowed owners."""
    named: tuple[int, ...] = ()
    """For each promised name the suppliers that it may stand for, in order."""
    merging: bool = False
    """Whether open members may have several owners."""
    single: int = 0
    """The suppliers that can be bound once."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many members the one binding has to give out, each of them `times`."""

    times: int
    least: int
    most: int | None

    def holds(self, size: int) -> bool:
        """Whether something with this many members will do."""
        given = size * self.times
        return self.least <= given and (self.most is None or given <= self.most)


def possible(problem: Problem) -> bool:
    """Whether some bindings keep all promises."""
    if 0 in problem.open or 0 in problem.named:
        return False
    once = problem.single & problem.allowed
    if once:
        return _possible_once(problem, _lowest(once))
    return problem.merging or not problem.open or solution(problem) is not None


def _possible_once(problem: Problem, bit: int) -> bool:
    """The same, for each use of a supplier that can be bound once: none, as a promised name, as another one."""
    own = frozenset(owner for owner in problem.open if owner & bit)
    if possible(_without(problem, bit)) or possible(_without(rest(problem, own, None), bit)):
        return True
    fitting = (number for number, bits in enumerate(problem.named) if bits & bit)
    return any(possible(_without(rest(problem, own, number), bit)) for number in fitting)


def _without(problem: Problem, bit: int) -> Problem:
    return Problem(
        problem.allowed & ~bit,
        frozenset(owner & ~bit for owner in problem.open),
        tuple(bits & ~bit for bits in problem.named),
        problem.merging,
        problem.single & ~bit,
    )


@lru_cache(maxsize=1 << 16)
def solution(problem: Problem) -> tuple[int, ...] | None:
    """The suppliers (bits) of some bindings that keep all promises without a merge; None if there are none."""
    if 0 in problem.open or 0 in problem.named:
        return None
    owners = tuple(sorted(problem.open))
    touched = 0
    for owner in owners:
        touched |= owner
    # A name that a supplier without open members can stand for hinders nothing.
    free = tuple(_lowest(bits & ~touched) for bits in problem.named if bits & ~touched)
    if not owners:
        return free
    named = [bits for bits in problem.named if not bits & ~touched]
    found = _Search(_traces(touched, owners), len(owners), named).solve()
    return None if found is None else (*free, *found)


@lru_cache(maxsize=1 << 8)
def kinds(problem: Problem) -> tuple[tuple[frozenset[int], tuple[bool, ...], int], ...]:
    """The allowed suppliers by what they can do: the open members that they own (as signatures), for each promised name
    whether they can stand for it, and the suppliers themselves."""
    owners = tuple(sorted(problem.open))
    found = []
    for trace, bits in _traces(problem.allowed, (*owners, *problem.named)).items():
        own = frozenset(owner for number, owner in enumerate(owners) if trace >> number & 1)
        fitting = tuple(bool(trace >> number & 1) for number in range(len(owners), len(owners) + len(problem.named)))
        if bits:
            found.append((own, fitting, bits))
    return tuple(found)


def rest(problem: Problem, own: frozenset[int], named: int | None) -> Problem:
    """What is left once something has been bound that owns these open members, as the n-th promised name or as none."""
    allowed = problem.allowed
    for owner in own:
        allowed &= ~owner
    left = problem.named if named is None else problem.named[:named] + problem.named[named + 1 :]
    return Problem(
        allowed,
        frozenset(owner & allowed for owner in problem.open - own),
        tuple(bits & allowed for bits in left),
        single=problem.single,
    )


def can_add(problem: Problem, own: frozenset[int], fitting: tuple[bool, ...]) -> bool:
    """Whether something of this kind can be bound, under a promised name or under another one."""
    if possible(rest(problem, own, None)):
        return True
    return any(fits_it and possible(rest(problem, own, number)) for number, fits_it in enumerate(fitting))


def _lowest(bits: int) -> int:
    return bits & -bits


def _traces(touched: int, owners: tuple[int, ...]) -> dict[int, int]:
    """The suppliers by the set of open members that they own (bit n: the n-th)."""
    classes = {0: touched}
    for number, owner in enumerate(owners):
        split: dict[int, int] = {}
        for trace, bits in classes.items():
            if bits & owner:
                split[trace | 1 << number] = bits & owner
            if bits & ~owner:
                split[trace] = bits & ~owner
        classes = split
    return classes


@dataclass(eq=False)
class _Search:
    classes: dict[int, int]
    """Traces and the suppliers that have them. None is empty here."""
    count: int
    """Of open members."""
    named: list[int]

    def solve(self) -> tuple[int, ...] | None:
        """The suppliers (bits) of a solution."""
        taken: list[tuple[int, int]] = []
        forced = self._propagate(taken)
        if forced is None:
            return None
        chosen = tuple(_lowest(bits) for _, bits in taken)
        if self.count + len(self.named) <= MAX_OPEN_NAMES:
            start = 0
            for trace, _ in taken:
                start |= trace
        elif self.named:
            return None
        else:
            start = 0
            for trace in forced:
                start |= trace
            mine = [trace for trace, _ in taken]
            chosen += tuple(_lowest(self.classes[trace]) for trace in forced if trace not in mine)
        left = ((1 << self.count) - 1) & ~start
        if left.bit_count() > MAX_OPEN_NAMES:
            return None
        found = self._search(start)
        return None if found is None else chosen + found

    def _propagate(self, taken: list[tuple[int, int]]) -> list[int] | None:
        """Decides what has one way only. Returns the traces that have to be there; None if something has no way.

        Promised names with one way move to `taken`: the trace, and the suppliers that have it and fit.
        """
        forced: list[int] = []
        changed = True
        while changed:
            changed = False
            for number in range(self.count):
                options = [trace for trace in self.classes if trace >> number & 1]
                if not options:
                    return None
                if len(options) == 1 and options[0] not in forced:
                    forced.append(options[0])
                    changed = self._choose(options[0]) or changed
            for bits in list(self.named):
                options = [trace for trace, suppliers in self.classes.items() if suppliers & bits]
                if not options or (len(options) == 1 and any(options[0] & trace for trace, _ in taken)):
                    return None
                if len(options) == 1:
                    taken.append((options[0], self.classes[options[0]] & bits))
                    self.named.remove(bits)
                    if options[0] not in forced:
                        forced.append(options[0])
                    changed = self._choose(options[0]) or changed
        return forced

    def _choose(self, trace: int) -> bool:
        """Leaves out what shares an open member with a trace that has to be there."""
        kept = {other: bits for other, bits in self.classes.items() if other == trace or not other & trace}
        changed = len(kept) < len(self.classes)
        self.classes = kept
        return changed

    def _search(self, start: int) -> tuple[int, ...] | None:
        """Breadth first, so that few suppliers are chosen."""
        reached: dict[int, tuple[int, ...]] = {start: ()}
        for bits in self.named:
            ways = [(trace, _lowest(suppliers & bits)) for trace, suppliers in self.classes.items() if suppliers & bits]
            reached = {
                covered | trace: (*chosen, supplier)
                for covered, chosen in reached.items()
                for trace, supplier in ways
                if not covered & trace
            }
        full = (1 << self.count) - 1
        by_member = [[t for t in self.classes if t >> number & 1] for number in range(self.count)]
        waiting = deque(reached)
        while waiting:
            covered = waiting.popleft()
            if covered == full:
                return reached[covered]
            left = full & ~covered
            for trace in by_member[_lowest(left).bit_length() - 1]:
                following = covered | trace
                if not trace & covered and following not in reached:
                    reached[following] = (*reached[covered], _lowest(self.classes[trace]))
                    waiting.append(following)
        return None


def fits(supply: Supply, problem: Problem, count: Count) -> bool:
    """Whether one binding keeps all promises and gives out a number of members that is wanted."""
    found = problem.allowed
    for owners in problem.open:
        found &= owners
    for suppliers in problem.named:
        found &= suppliers
    return len(problem.named) < 2 and any(count.holds(one.size) for _, one in supply.each(found))
