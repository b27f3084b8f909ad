"""Whether all promises of a scope can still be kept.

The question is one of exact cover (Knuth, "Dancing links", 2000) with a few additions: bind some suppliers, each as
often as is wanted, so that every open member has exactly one owner, every promised name gets a supplier of its own that
has all members taken of it, and no supplier owns a pinned member. Where the number of results is limited and all
members are given out (`SELECT *` of a column's worth), exactly one is bound, and its number of members has to fit.

Suppliers that own the same open members are alike, so the search goes over *traces*: sets of open members. Open members
with equal owners are one. What only one kind of supplier can give is decided first (unit propagation); the rest is
searched exactly while at most `MAX_OPEN_NAMES` of them are left, and counts as impossible beyond. Binding a supplier
never makes more of them, so whatever is possible has a row of bindings that stay possible.

Invariant: the answer depends on the problem alone, never on what was asked before.
"""

from __future__ import annotations

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
    if not problem.open:
        return True
    return _possible(problem)


@lru_cache(maxsize=1 << 16)
def _possible(problem: Problem) -> bool:
    owners = tuple(sorted(problem.open))
    touched = 0
    for owner in owners:
        touched |= owner
    # A name that a supplier without open members can stand for hinders nothing.
    named = [bits for bits in problem.named if not bits & ~touched]
    for bits in named:
        touched |= bits
    return _Search(_traces(touched, owners), len(owners), named).solve()


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

    def solve(self) -> bool:
        taken: list[int] = []
        forced = self._propagate(taken)
        if forced is None:
            return False
        if self.count + len(self.named) <= MAX_OPEN_NAMES:
            start = 0
            for trace in taken:
                start |= trace
        elif self.named:
            return False
        else:
            start = forced
        left = ((1 << self.count) - 1) & ~start
        if left.bit_count() > MAX_OPEN_NAMES:
            return False
        return self._search(start)

    def _propagate(self, taken: list[int]) -> int | None:
        """Decides what has one way only; `taken` are the traces of promised names. Returns what is covered."""
        forced = 0
        changed = True
        while changed:
            changed = False
            for number in range(self.count):
                options = [trace for trace in self.classes if trace >> number & 1]
                if not options:
                    return None
                if len(options) == 1 and options[0] & ~forced:
                    forced |= options[0]
                    changed = self._choose(options[0]) or changed
            for bits in list(self.named):
                options = [trace for trace, suppliers in self.classes.items() if suppliers & bits]
                if not options:
                    return None
                if len(options) == 1:
                    if any(options[0] & trace for trace in taken):
                        return None
                    taken.append(options[0])
                    self.named.remove(bits)
                    forced |= options[0]
                    changed = self._choose(options[0]) or changed
        return forced

    def _choose(self, trace: int) -> bool:
        """Leaves out what shares an open member with a trace that has to be there."""
        kept = {other: bits for other, bits in self.classes.items() if other == trace or not other & trace}
        changed = len(kept) < len(self.classes)
        self.classes = kept
        return changed

    def _search(self, start: int) -> bool:
        reached = {start}
        for bits in self.named:
            options = [trace for trace, suppliers in self.classes.items() if suppliers & bits]
            reached = {covered | trace for covered in reached for trace in options if not covered & trace}
        full = (1 << self.count) - 1
        by_member = [[t for t in self.classes if t >> number & 1] for number in range(self.count)]
        seen = set(reached)
        waiting = list(reached)
        while waiting:
            covered = waiting.pop()
            if covered == full:
                return True
            left = full & ~covered
            for trace in by_member[(left & -left).bit_length() - 1]:
                following = covered | trace
                if not trace & covered and following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return False


def fits(supply: Supply, problem: Problem, count: Count) -> bool:
    """Whether one binding keeps all promises and gives out a number of members that is wanted."""
    found = problem.allowed
    for owners in problem.open:
        found &= owners
    for suppliers in problem.named:
        found &= suppliers
    return len(problem.named) < 2 and any(count.holds(one.size) for _, one in supply.each(found))
