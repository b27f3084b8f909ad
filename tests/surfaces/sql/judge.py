"""SQLite as the judge of a statement: it prepares it against a database of a schema, and says what is wrong with it.

Nothing here knows the surface or its engine. A statement is prepared with EXPLAIN, so nothing runs and nothing changes.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

_GHOSTS = (
    r"no such (?:table|column|function|index|view|module|collation sequence|window)\b",
    r"table \S+ has no column named",
    r"cannot join using column",
    r"unknown database",
    r"unable to open database",
)
_AMBIGUOUS = r"ambiguous (?:column name|reference)|duplicate WITH table name"
_UNBOUND = "Incorrect number of bindings supplied"
"""What Python says of a statement that SQLite has prepared and that has parameters."""
_KINDS = (
    ("ghost", "|".join(_GHOSTS)),
    ("ambiguous", _AMBIGUOUS),
    ("arguments", r"wrong number of arguments|DISTINCT aggregates|argument to"),
    ("aggregate", r"misuse of|aggregate functions are not allowed|HAVING clause|may (?:not|only) be used"),
    ("target", r"ON CONFLICT clause does not match"),
    ("count", r"columns? (?:but|for|- expected)|do not have the same number|must have the same number|values? for"),
    ("term", r"term (?:out of range|does not match)"),
    ("syntax", r"syntax error|incomplete input|unrecognized token"),
)


@dataclass(frozen=True)
class Fault:
    """Why SQLite refuses a statement."""

    kind: str
    """`ghost`, `ambiguous`, `arguments`, `aggregate`, `target`, `count`, `term`, `syntax` or `other`."""
    message: str


def kind_of(message: str) -> str:
    """The kind of a message of SQLite."""
    return next((kind for kind, pattern in _KINDS if re.search(pattern, message)), "other")


@dataclass(frozen=True)
class Judge:
    """A database of one schema, without rows."""

    schema: str
    _found: dict[str, Fault | None] = field(default_factory=dict)

    @cached_property
    def connection(self) -> sqlite3.Connection:
        """The database, in memory."""
        connection = sqlite3.connect(":memory:")
        connection.executescript(self.schema)
        return connection

    def fault(self, statement: str) -> Fault | None:
        """What is wrong with a statement; None if SQLite would run it."""
        if statement not in self._found:
            self._found[statement] = self._prepare(statement)
        return self._found[statement]

    def faults(self, statements: Iterable[str]) -> list[tuple[str, Fault]]:
        """The statements that are refused, and why."""
        judged = ((statement, self.fault(statement)) for statement in statements)
        return [(statement, fault) for statement, fault in judged if fault is not None]

    def _prepare(self, statement: str) -> Fault | None:
        try:
            self.connection.execute(f"EXPLAIN {statement}").close()
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            if str(error).startswith(_UNBOUND):
                return None
            return Fault(kind_of(str(error)), str(error))
        return None
