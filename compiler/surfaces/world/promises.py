"""Whether all promises of a scope can still be kept.

The question is one of exact cover (Knuth, "Dancing links", 2000) with a few additions: bind some suppliers, each as
often as is wanted, so that every open member has exactly one owner, every promised name gets a supplier of its own that
has all members taken of it, no supplier owns a pinned member, and, where all members are given out, their number fits.

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
    """How many members are given out: `stars` times those of all bindings, and those of the promised names."""

    stars: int
    named: tuple[int, ...]
    """For each promised name of the problem how often its members are given out."""
    least: int
    most: int | None


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
    """Whether some bindings keep all promises and give out a number of members that is wanted."""
    if len(problem.open) + len(problem.named) > MAX_OPEN_NAMES or 0 in problem.open or 0 in problem.named:
        return False
    if count.most is not None and count.most < 0:
        return False
    key = (problem, count)
    found = _memory(supply).get(key)
    if found is None:
        found = _memory(supply)[key] = _Totals(supply, problem, count).fits()
    return found


def _memory(supply: Supply) -> dict[tuple[Problem, Count], bool]:
    found: dict[tuple[Problem, Count], bool] = supply.__dict__.setdefault("_fits", {})
    if len(found) > 1 << 14:
        found.clear()
    return found


class _Totals:
    """Sets of reachable totals as bit sets: bit n is the total n, the last one also all above if there is no most."""

    def __init__(self, supply: Supply, problem: Problem, count: Count) -> None:
        self.problem, self.count = problem, count
        self.top = count.most if count.most is not None else max(count.least, 0)
        owners = tuple(sorted(problem.open))
        self.full = (1 << len(owners)) - 1
        self.kinds: dict[tuple[int, int], int] = {}
        for trace, bits in _traces(problem.allowed, owners).items():
            for bit, supplier in supply.each(bits):
                kind = (trace, supplier.size)
                self.kinds[kind] = self.kinds.get(kind, 0) | bit
        self.known: dict[tuple[int, int], int] = {}

    def fits(self) -> bool:
        totals = self._totals(0, 0)
        wanted = ((1 << (self.top + 1)) - 1) & ~((1 << max(self.count.least, 0)) - 1)
        return bool(totals & wanted)

    def _shifted(self, totals: int, by: int) -> int:
        totals <<= min(by, self.top + 1)
        over = totals >> (self.top + 1)
        totals &= (1 << (self.top + 1)) - 1
        return totals | 1 << self.top if over and self.count.most is None else totals

    def _totals(self, name: int, covered: int) -> int:
        key = (name, covered)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = (
                self._named(name, covered) if name < len(self.problem.named) else self._rest(covered)
            )
        return found

    def _named(self, name: int, covered: int) -> int:
        bits = self.problem.named[name]
        times = self.count.stars + self.count.named[name]
        found = 0
        for (trace, size), suppliers in self.kinds.items():
            if suppliers & bits and not trace & covered:
                found |= self._shifted(self._totals(name + 1, covered | trace), times * size)
        return found

    def _rest(self, covered: int) -> int:
        left = self.full & ~covered
        if not left:
            return self._fillers()
        lowest = left & -left
        name = len(self.problem.named)
        found = 0
        for trace, size in self.kinds:
            if trace & lowest and not trace & covered:
                found |= self._shifted(self._totals(name, covered | trace), self.count.stars * size)
        return found

    def _fillers(self) -> int:
        """Any number of suppliers that own no open member."""
        sizes = {size * self.count.stars for trace, size in self.kinds if not trace} - {0}
        totals, before = 1, 0
        while totals != before:
            before = totals
            for size in sizes:
                totals |= self._shifted(totals, size)
        return totals
