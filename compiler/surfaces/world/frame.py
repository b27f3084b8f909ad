"""One open scope.

Invariant: what can make no difference any more is not there (a settled scope has no promises, no pins and its bindings
in order of name; results have no order), so that scopes that mean the same are equal. The hash is made once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter
from typing import Any

from langc.compiler.surfaces.environment.names import Entry
from langc.compiler.surfaces.world.values import Bound

Name = tuple[str, bytes]
"""A sort and a name."""
_NO_NAMES: frozenset[bytes] = frozenset()
_NO_WORDS: frozenset[str] = frozenset()
_NO_PAIRS: frozenset[Name] = frozenset()


@dataclass(frozen=True, slots=True)
class Result:
    """A name that a scope gives out."""

    name: bytes
    explicit: bool
    """An alias was written for it."""
    plain: bool = False
    """It is a member, and its bare name finds it."""
    marks: frozenset[str] = _NO_WORDS


@dataclass(frozen=True, slots=True)
class Closed:
    """What the scope that was closed last gave out."""

    results: frozenset[Result]
    count: int
    flagged: tuple[tuple[int, frozenset[str]], ...] = ()
    certain: int | None = None


@dataclass(frozen=True, slots=True)
class Pledge:
    """A name that has still to be bound, with the members that were taken of it."""

    sort: str
    name: bytes
    members: frozenset[bytes] = _NO_NAMES
    stars: int = 0
    """How often all its members were given out."""


@dataclass(frozen=True, eq=False)
class Frame:
    """See the module. Equal frames have equal content."""

    kind: str = ""
    opaque: bool = False
    owner: Entry | None = None
    feeds: str | None = None
    """The kind of scope in which what this one gives out will be bound."""
    least: int = 0
    most: int | None = None
    bound: tuple[Bound, ...] = ()
    """In the order of binding; in order of name when settled."""
    open: frozenset[bytes] = _NO_NAMES
    """Members of which exactly one owner has still to be bound."""
    pledges: tuple[Pledge, ...] = ()
    """In order of sort and name."""
    pins: frozenset[bytes] = _NO_NAMES
    """Members that nothing bound later may own."""
    barred: frozenset[Name] = _NO_PAIRS
    """Names that may not be bound here later, since they were taken from an outer scope."""
    pending: frozenset[bytes] = _NO_NAMES
    """Names that the last binding must merge."""
    merging: bool = False
    """What is bound later can be merged with what is there: promises count on it. Not where nothing is promised any
    more."""
    merges: bool = False
    """What this scope gives out will be bound where it can be merged."""
    results: frozenset[Result] = frozenset()
    count: int = 0
    """Results so far, those without a name included, those of stars not."""
    stars: int = 0
    flagged: tuple[tuple[int, frozenset[str]], ...] = ()
    """The places (from 1) of results with marks, as if stars gave out nothing."""
    certain: int | None = None
    """The number of results before the first star: behind them places are not as they were counted."""
    marks: frozenset[str] = _NO_WORDS
    given: frozenset[str] = _NO_WORDS
    """Marks that results carry."""
    used: frozenset[Name] = _NO_PAIRS
    hidden: frozenset[Name] = _NO_PAIRS
    settled: bool = False
    last: Closed | None = None

    def __hash__(self) -> int:
        found: int | None = self.__dict__.get("_hash")
        if found is None:
            found = hash(_content(self))
            object.__setattr__(self, "_hash", found)
        return found

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Frame) and hash(self) == hash(other) and _content(self) == _content(other)

    def but(self, **changed: Any) -> Frame:
        """The same frame with some fields changed."""
        new = object.__new__(Frame)
        new.__dict__.update(self.__dict__)
        new.__dict__.pop("_hash", None)
        new.__dict__.pop("names", None)
        new.__dict__.update(changed)
        return new

    @cached_property
    def names(self) -> frozenset[bytes]:
        """All names that are written in it, besides those of Γ."""
        found = {*self.open, *self.pins, *self.pending}
        found.update(name for _, name in (*self.barred, *self.used, *self.hidden))
        found.update(result.name for result in self.results)
        found.update(*(bound.names for bound in self.bound), *map(_names_of, self.pledges))
        if self.last is not None:
            found.update(result.name for result in self.last.results)
        return frozenset(found)

    @property
    def early(self) -> bool:
        """Nothing is bound yet."""
        return not self.bound and not self.settled

    @property
    def promises(self) -> bool:
        """Whether something has still to be bound."""
        return bool(self.open or self.pledges or self.pending)

    def pledge(self, sort: str, name: bytes) -> Pledge | None:
        """The promise of a name."""
        for pledge in self.pledges:
            if pledge.name == name and pledge.sort == sort:
                return pledge
        return None

    def binding(self, sort: str, name: bytes) -> Bound | None:
        """What a name is bound to here."""
        for bound in self.bound:
            if bound.name == name and bound.sort == sort:
                return bound
        return None

    def pledging(self, pledge: Pledge) -> tuple[Pledge, ...]:
        """The promises with this one added, or in the place of the one of the same name."""
        others = [one for one in self.pledges if (one.sort, one.name) != (pledge.sort, pledge.name)]
        return tuple(sorted([*others, pledge], key=_order))

    def redeeming(self, pledge: Pledge | None) -> tuple[Pledge, ...]:
        """The promises without this one."""
        return self.pledges if pledge is None else tuple(one for one in self.pledges if one is not pledge)


def _names_of(pledge: Pledge) -> frozenset[bytes]:
    return pledge.members | {pledge.name}


_order = attrgetter("sort", "name")
_content = attrgetter(*(field.name for field in fields(Frame)))
