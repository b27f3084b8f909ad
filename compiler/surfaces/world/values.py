"""What a local can hold, and what is bound in a scope. All of it is immutable and compared by content.

Names are bytes, folded as the surface compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from langc.compiler.surfaces.environment.names import Entry

_NONE: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Declared:
    """A fresh name, or one that is known only by its name."""

    name: bytes


@dataclass(frozen=True, slots=True)
class Promised:
    """A name of a sort that a scope has still to bind."""

    sort: str
    name: bytes


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a token."""

    text: bytes


@dataclass(frozen=True, slots=True)
class Derived:
    """Members that were made while a text was written: the columns of a derived table."""

    names: frozenset[bytes]
    size: int
    """Columns in all, those without a name of their own included."""


Members: TypeAlias = Entry | Derived | None


@dataclass(frozen=True, slots=True)
class Bound:
    """A name that is bound in a scope, with the members that it brings."""

    sort: str
    name: bytes
    members: Members = None
    hidden: frozenset[bytes] = _NONE
    """Members that count as those of an earlier binding (merged)."""

    @property
    def names(self) -> frozenset[bytes]:
        """The name, and those that were made with it."""
        made = self.members.names if isinstance(self.members, Derived) else _NONE
        return made | self.hidden | {self.name}

    @property
    def plain(self) -> Bound:
        """The same without what only matters to its scope."""
        return Bound(self.sort, self.name, self.members) if self.hidden else self


Value: TypeAlias = Entry | Bound | Declared | Promised | Text


def names_in(value: Value) -> frozenset[bytes]:
    """The names that a value holds, besides those of Γ."""
    match value:
        case Declared(name) | Promised(_, name):
            return frozenset((name,))
        case Bound():
            return value.names
    return _NONE


def members_of(value: Members | Bound) -> Members:
    """What a name that is bound, or could be, brings along."""
    return value.members if isinstance(value, Bound) else value
