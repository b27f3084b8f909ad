"""`sqlite("shop.db")`: tables, views, columns, indexes and triggers of a database file, and the functions of SQLite.

The file is opened read-only and `immutable`: no lock is taken, nothing is written beside it, and a journal that waits
to be applied is not read (a warning says so). Of the rows nothing is read.

Sorts: `Table` (attributes `table`, `view`, `virtual`, `shadow`) with members `Column` (attributes `hidden` for those
that `*` does not give, `generated` for those that cannot be written, and those that `_keys.py` tells of keys), `Index`,
`Trigger`, `Function`, `Collation`. Tables and columns are in the order of their definition. SQLite's own tables
(`sqlite_…`) and `rowid` are left out, and so are tables and views that SQLite itself cannot open, or that have a column
without a name.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_ENVIRONMENT_BYTES, MAX_ENVIRONMENT_SECONDS, over_limit
from langc.compiler.surfaces.environment.collector import Collector, warning
from langc.compiler.surfaces.environment.names import Entry, Environment
from langc.compiler.surfaces.environment.opened import read_head
from langc.compiler.surfaces.environment.providers import Request
from langc.compiler.surfaces.environment.providers._keys import attributes_of, small
from langc.compiler.surfaces.environment.providers._sqlite_functions import collations, functions

MAGIC = b"SQLite format 3\0"
_UNOPENED = "tables and views that SQLite cannot open"
_OWN = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_TABLES = f"SELECT rowid AS place, name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND {_OWN}"
_COLUMNS = "SELECT t.name, x.name, x.hidden FROM ({}) t JOIN pragma_table_xinfo(t.name) x ORDER BY t.place, x.cid"
_REAL = (
    f"SELECT rowid AS place, name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND {_OWN}"
)
_KEYS = (
    f"SELECT t.name, i.name, x.name FROM ({_REAL}) t JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) x "
    'WHERE i."unique" AND NOT i.partial'
)
_PRIMARY = (
    f"SELECT t.name, min(x.name) FROM ({_REAL}) t JOIN pragma_table_xinfo(t.name) x WHERE x.pk GROUP BY t.place "
    "HAVING count(*) = 1 AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) WHERE origin = 'pk')"
)
"""Keys with an index, the name of one that is on an expression being NULL, and INTEGER PRIMARY KEY, which has none."""
_HIDDEN, _GENERATED = 1, (2, 3)
"""Values of `hidden` in PRAGMA table_xinfo."""
_ATTRIBUTES = {_HIDDEN: ("hidden",)} | dict.fromkeys(_GENERATED, ("generated",))


def read(request: Request) -> Environment:
    """The names of a database. Raises LangcError (LC0001, LC0002, LC0003, LC0902, LC0903), LimitError (LC0701)."""
    path, _ = request.one_file()
    if read_head(path, len(MAGIC)) != MAGIC:
        reason, help_ = "it does not begin as an SQLite database does", f"of an SQL schema the kind is `sql:{path}`"
        raise LangcError(_unreadable(path, reason, help_))
    collector = Collector(str(path))
    try:
        with _opened(path) as connection:
            groups = {
                "Table": _tables(connection, collector),
                "Index": _named(connection, collector, "index", "Index"),
                "Trigger": _named(connection, collector, "trigger", "Trigger"),
                "Function": functions(connection, collector),
                "Collation": collations(connection, collector),
            }
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter for a message with a name that is no UTF-8
        raise _fault(path, error) from None
    found = tuple(_waiting(path))
    if not groups["Table"]:
        found = (*found, warning(f"{path} has no tables and no views"))
    return collector.environment(request.name, groups, request.kind, sqlite3.sqlite_version, found)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that can only read, and is interrupted when its time is over."""
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    connection = sqlite3.connect(address, uri=True)
    timer = threading.Timer(MAX_ENVIRONMENT_SECONDS, connection.interrupt)
    timer.daemon = True
    try:
        connection.text_factory = bytes  # a schema may hold what is no UTF-8
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ENVIRONMENT_BYTES)
        timer.start()
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection
    finally:
        timer.cancel()
        connection.close()


def _tables(connection: sqlite3.Connection, collector: Collector) -> list[Entry]:
    columns: dict[str, list[Entry | None]] = {}
    keys = _keys(connection)
    for table, column, hidden in _columns(connection, collector):
        table_name, name = _text(table), _text(column)
        attributes = (*_ATTRIBUTES.get(hidden, ()), *keys.get(table_name, {}).get(small(name), ()))
        columns.setdefault(table_name, []).append(collector.entry(name, "Column", attributes))
    kinds = _kinds(connection)
    made = (collector.table(name, (kinds.get(name, "table"),), entries) for name, entries in columns.items())
    return [entry for entry in made if entry is not None]


def _columns(connection: sqlite3.Connection, collector: Collector) -> Iterator[tuple[bytes, bytes, int]]:
    """Table, column and `hidden` in the order of their definition. One broken view does not take the others along."""
    try:
        yield from connection.execute(_COLUMNS.format(_TABLES)).fetchall()
    except (sqlite3.OperationalError, UnicodeDecodeError) as error:
        if _is_interrupted(error):
            raise
        for _, name, _ in connection.execute(f"{_TABLES} ORDER BY rowid").fetchall():
            yield from _columns_of(connection, name, collector)


def _keys(connection: sqlite3.Connection) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """By table and column in small letters the attributes that its keys give it. None where SQLite cannot tell."""
    found: dict[str, dict[bytes, list[bytes | None]]] = {}
    try:
        for table, index, column in connection.execute(_KEYS).fetchall():
            found.setdefault(_text(table), {}).setdefault(index, []).append(column)
        for table, column in connection.execute(_PRIMARY).fetchall():
            found.setdefault(_text(table), {})[b""] = [column]
    except (sqlite3.OperationalError, UnicodeDecodeError) as error:
        if _is_interrupted(error):
            raise
        return {}
    return {table: attributes_of(map(_named_columns, keys.values())) for table, keys in found.items()}


def _named_columns(columns: list[bytes | None]) -> tuple[str, ...]:
    """The columns of a key; () if one of them is an expression."""
    return () if None in columns else tuple(_text(column) for column in columns if column is not None)


def _columns_of(connection: sqlite3.Connection, name: bytes, collector: Collector) -> list[tuple[bytes, bytes, int]]:
    try:
        rows = connection.execute("SELECT name, hidden FROM pragma_table_xinfo(CAST(? AS TEXT))", (name,)).fetchall()
    except (sqlite3.OperationalError, UnicodeDecodeError) as error:
        if _is_interrupted(error):
            raise
        collector.leave_out(_UNOPENED, _text(name))
        return []
    return [(name, *row) for row in rows]


def _kinds(connection: sqlite3.Connection) -> dict[str, str]:
    """table, view, virtual or shadow, by the name of the table (SQLite 3.37 and later; before that none is told)."""
    rows = connection.execute("PRAGMA main.table_list").fetchall()
    return {_text(row[1]): _text(row[2]) for row in rows}


def _named(connection: sqlite3.Connection, collector: Collector, kind: str, sort: str) -> list[Entry]:
    rows = connection.execute(f"SELECT name FROM sqlite_schema WHERE type = ? AND {_OWN} ORDER BY rowid", (kind,))
    return collector.entries([_text(name) for (name,) in rows], sort)


def _waiting(path: Path) -> Iterator[Diagnostic]:
    for ending in ("-wal", "-journal"):
        beside = path.with_name(path.name + ending)
        if beside.is_file() and beside.stat().st_size:
            yield warning(
                f"{path}: changes that wait in {beside.name} are not read",
                "close the database in the program that uses it, or run `PRAGMA wal_checkpoint`",
            )


def _fault(path: Path, error: Exception) -> LangcError:
    if _is_interrupted(error):
        return LimitError(over_limit(f"seconds for the schema of {path}", MAX_ENVIRONMENT_SECONDS))
    reason = "a name that is no UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
    return LangcError(_unreadable(path, reason, f"see whether SQLite itself can read it: `sqlite3 {path} .schema`"))


def _is_interrupted(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT


def _unreadable(path: Path, reason: str, help_: str) -> Diagnostic:
    return Diagnostic("LC0903", f"{path} cannot be read as an SQLite database: {reason}", help=help_)


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
