"""`sql("schema.sql", "dialect=sqlite")`: the tables, views and columns that SQL text defines. Needs sqlglot.

Read are CREATE, ALTER and DROP of tables, views, indexes, triggers and functions; all other statements are passed over.
Nothing is run. The sorts are those of `sqlite("…")`, and for one schema in SQLite's dialect (the default) both give the
same names; functions and collations are SQLite's in that dialect, and in others only those that the text defines.
Names without quotes are folded as the dialect does: PostgreSQL to small letters, Snowflake to capitals.

Left out, with a warning: temporary and virtual tables, tables whose columns the text does not list (`LIKE other`), and
views some of whose columns have no certain name (`_sql_views.py`).
"""

from __future__ import annotations

import logging
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.limits import MAX_SQL_BYTES
from langc.compiler.suggest import did_you_mean
from langc.compiler.surfaces.environment.collector import Collector, warning
from langc.compiler.surfaces.environment.names import Entry, Environment
from langc.compiler.surfaces.environment.opened import decoded, read_bytes
from langc.compiler.surfaces.environment.providers import Request
from langc.compiler.surfaces.environment.providers._keys import attributes_of, small
from langc.compiler.surfaces.environment.providers._sql_statements import Lexeme, Reader, statements
from langc.compiler.surfaces.environment.providers._sql_views import Columns, names_of
from langc.compiler.surfaces.environment.providers._sqlite_functions import collations, functions

_CONSTRAINTS = frozenset({"CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK"})
_MORE_CONSTRAINTS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("mysql", "singlestore", "doris", "starrocks"), frozenset({"KEY", "INDEX", "FULLTEXT", "SPATIAL"})),
    **dict.fromkeys(("postgres", "redshift", "materialize", "risingwave"), frozenset({"EXCLUDE", "LIKE"})),
    "tsql": frozenset({"INDEX", "PERIOD"}),
}
_BEFORE_KIND = frozenset(
    {"OR", "REPLACE", "GLOBAL", "LOCAL", "UNLOGGED", "UNIQUE", "MATERIALIZED", "FOREIGN", "EXTERNAL", "TRANSIENT"}
    | {"RECURSIVE", "FORCE", "CONSTRAINT", "ALTER", "CLUSTERED", "NONCLUSTERED", "FULLTEXT", "SPATIAL", "AGGREGATE"}
)
_TEMPORARY = frozenset({"TEMP", "TEMPORARY"})
_FOLDS: Mapping[str, Callable[[str], str]] = {"LOWERCASE": str.lower, "UPPERCASE": str.upper}
_OWN = "sqlite_"
_MEANT = "names are read from CREATE TABLE and CREATE VIEW; other statements are passed over"
_QUERY = re.compile(r"[\s(]*(SELECT|WITH|VALUES)\b", re.IGNORECASE)


def read(request: Request) -> Environment:
    """The names of an SQL schema.

    Raises LangcError (LC0001 to LC0004, LC0012, LC0902, LC0904, LC0908), LimitError (LC0701).
    """
    path, options = request.one_file("dialect")
    text = decoded(read_bytes(path, MAX_SQL_BYTES), str(path))
    name = options.get("dialect", "sqlite")
    dialect = _dialect(request, path, name)
    schema = _Schema(Collector(str(path)), name, _FOLDS.get(dialect.normalization_strategy.name, str))
    for row in statements(_tokens(dialect, text, path)):
        schema.take(row, text)
    groups = schema.groups(dialect)
    if name == "sqlite":
        groups |= _of_sqlite(schema.collector)
    found = () if groups["Table"] or name != "sqlite" else (warning(f"{path} has no tables and no views", _MEANT),)
    return schema.collector.environment(request.name, groups, request.kind, warnings=found)


def _dialect(request: Request, path: Path, name: str) -> Any:
    try:
        from sqlglot.dialects.dialect import Dialect
    except ModuleNotFoundError:
        message = f"reading {path} needs the package sqlglot, which is not installed"
        raise LangcError(Diagnostic("LC0012", message, help="`pip install langc[env]` brings it")) from None
    try:
        return Dialect.get_or_raise(name)
    except ValueError:
        known = [str(key) for key in Dialect.classes if key]
        raise LangcError(
            request.wrong(f"sqlglot knows no dialect {name[:40]!r}", did_you_mean(name[:40], known))
        ) from None


def _tokens(dialect: Any, text: str, path: Path) -> list[Any]:
    from sqlglot.errors import SqlglotError

    try:
        return list(dialect.tokenize(text))
    except SqlglotError as error:
        near = " ".join(str(error).split())[:100]
        help_ = "a quote or a comment may never end; is the `dialect` the right one?"
        raise LangcError(Diagnostic("LC0904", f"{path} cannot be read as SQL: {near}", help=help_)) from None


def _of_sqlite(collector: Collector) -> dict[str, list[Entry]]:
    connection = sqlite3.connect(":memory:")
    try:
        return {"Function": functions(connection, collector), "Collation": collations(connection, collector)}
    finally:
        connection.close()


@dataclass
class _Table:
    name: str
    columns: dict[str, tuple[str, tuple[str, ...]]]
    """By lower-case name the name as it is spelled, and its attributes."""
    keys: list[tuple[str, ...]] = field(default_factory=list)
    """The columns of each PRIMARY KEY and UNIQUE, in small letters."""


@dataclass
class _View:
    name: str
    listed: Columns
    query: str
    is_table: bool


@dataclass
class _Schema:
    """What the statements so far have defined, in order, by lower-case name."""

    collector: Collector
    dialect: str
    fold: Callable[[str], str]
    tables: dict[str, _Table | _View] = field(default_factory=dict)
    indexes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The name as it is spelled, and the table in small letters."""
    uniques: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The columns of an index that is a key, by its name in small letters."""
    triggers: dict[str, tuple[str, str]] = field(default_factory=dict)
    routines: dict[str, Entry] = field(default_factory=dict)
    _columns_of_views: dict[str, Columns | None] = field(default_factory=dict)

    def take(self, row: tuple[Lexeme, ...], text: str) -> None:
        """One statement."""
        reader = Reader(row)
        if reader.skip("CREATE"):
            self._create(reader, text)
        elif reader.skip("DROP"):
            self._drop(reader)
        elif reader.skip("ALTER", "TABLE"):
            self._alter(reader)

    def groups(self, dialect: Any) -> dict[str, list[Entry]]:
        """The entries of all that is defined in the end."""
        made = [self._entry(table, dialect) for table in self.tables.values()]
        return {
            "Table": [entry for entry in made if entry is not None],
            "Index": self.collector.entries([name for name, _ in self.indexes.values()], "Index"),
            "Trigger": self.collector.entries([name for name, _ in self.triggers.values()], "Trigger"),
            "Function": list(self.routines.values()),
        }

    # --- statements ---------------------------------------------------------------------------------

    def _create(self, reader: Reader, text: str) -> None:
        before: set[str] = set()
        while reader.peek() in _BEFORE_KIND | _TEMPORARY:
            before.add(reader.peek())
            reader.at += 1
        temporary = not before.isdisjoint(_TEMPORARY)
        kind = reader.peek()
        reader.at += 1
        if kind == "VIRTUAL" and reader.skip("TABLE"):
            kind = "VIRTUAL TABLE"
        reader.skip("CONCURRENTLY")
        tolerant = reader.skip("IF", "NOT", "EXISTS")
        named = reader.name() if reader.peek() != "ON" else None  # an index without a name
        if named is None:
            return
        name = self._spelled(named)
        if temporary or kind == "VIRTUAL TABLE":
            self.collector.leave_out("temporary and virtual tables", name)
        elif name.lower().startswith(_OWN) and self.dialect == "sqlite":
            self.collector.leave_out("names that SQLite keeps for itself", name)
        elif kind in ("TABLE", "VIEW"):
            if name.lower() not in self.tables:
                self._create_table(kind, name, reader, text)
            elif not tolerant:
                self.collector.leave_out("tables and views defined a second time", name)
        elif kind in ("INDEX", "TRIGGER"):
            self._create_attached(self.indexes if kind == "INDEX" else self.triggers, name, reader)
            if kind == "INDEX" and "UNIQUE" in before:
                self._create_key(name, reader)
        elif kind == "FUNCTION":
            self._create_routine(name, reader)

    def _create_table(self, kind: str, name: str, reader: Reader, text: str) -> None:
        items = reader.parenthesised() if reader.peek() == "(" and reader.peek(1) != "SELECT" else None
        if kind == "VIEW" or items is None:
            listed = tuple(self._spelled(item[0]) for item in items or ())
            query = _query_after_as(reader, text)
            if query is None:
                self.collector.leave_out("tables and views whose columns are not listed", name)
            else:
                self.tables[name.lower()] = _View(name, listed, query, kind == "TABLE")
            return
        columns: dict[str, tuple[str, tuple[str, ...]]] = {}
        for column, attributes in self._columns(items):
            columns.setdefault(column.lower(), (column, attributes))
        if columns:
            self.tables[name.lower()] = _Table(name, columns, list(self._keys(items)))
        else:
            self.collector.leave_out("tables and views whose columns are not listed", name)

    def _columns(self, items: list[tuple[Lexeme, ...]]) -> Iterator[tuple[str, tuple[str, ...]]]:
        constraints = _CONSTRAINTS | _MORE_CONSTRAINTS.get(self.dialect, frozenset())
        for item in items:
            if item[0].word == "LIKE" and "LIKE" in constraints:
                return
            if item[0].word not in constraints and item[0].is_name:
                yield self._spelled(item[0]), ("generated",) if _is_generated(item) else ()

    def _keys(self, items: list[tuple[Lexeme, ...]]) -> Iterator[tuple[str, ...]]:
        """The columns of each key that the items of a table define."""
        for item in items:
            reader = Reader(item)
            if reader.skip("CONSTRAINT"):
                reader.name()
            if reader.skip("PRIMARY", "KEY") or reader.skip("UNIQUE"):
                yield self._key(reader.parenthesised())
            elif item[0].is_name and _is_key(item):
                yield (small(self._spelled(item[0])),)

    def _key(self, items: list[tuple[Lexeme, ...]] | None) -> tuple[str, ...]:
        """The columns of a key; () if one of its items is no column."""
        columns = [small(self._spelled(item[0])) for item in items or () if item[0].is_name and _is_column(item)]
        return tuple(columns) if len(columns) == len(items or ()) else ()

    def _create_key(self, name: str, reader: Reader) -> None:
        columns = self._key(reader.parenthesised())
        if columns and reader.at == len(reader.row):
            self.uniques.setdefault(name.lower(), columns)

    def _create_attached(self, group: dict[str, tuple[str, str]], name: str, reader: Reader) -> None:
        while reader.at < len(reader.row) and not reader.skip("ON"):
            reader.at += 1
        reader.skip("ONLY")
        table = reader.name()
        group.setdefault(name.lower(), (name, self._spelled(table).lower() if table else ""))

    def _create_routine(self, name: str, reader: Reader) -> None:
        parameters = reader.parenthesised() or []
        optional = [p for p in parameters if any(lexeme.word in ("DEFAULT", "=") for lexeme in p)]
        variadic = any(p[0].word == "VARIADIC" for p in parameters)
        numbers = {"least": len(parameters) - len(optional) - variadic}
        entry = self.collector.entry(
            name, "Function", ("scalar",), numbers if variadic else numbers | {"most": len(parameters)}
        )
        if entry is not None:
            self.routines.setdefault(name.lower(), entry)

    def _drop(self, reader: Reader) -> None:
        reader.skip("MATERIALIZED")
        kind = reader.peek()
        reader.at += 1
        reader.skip("CONCURRENTLY")
        reader.skip("IF", "EXISTS")
        while (named := reader.name()) is not None:
            key = self._spelled(named).lower()
            if kind in ("TABLE", "VIEW"):
                self.tables.pop(key, None)
                self._detach(key)
            elif kind in ("INDEX", "TRIGGER"):
                (self.indexes if kind == "INDEX" else self.triggers).pop(key, None)
                if kind == "INDEX":
                    self.uniques.pop(key, None)
            elif kind == "FUNCTION":
                self.routines.pop(key, None)
                reader.parenthesised()
            if not reader.skip(","):
                break

    def _detach(self, table: str) -> None:
        for group in (self.indexes, self.triggers):
            for key in [key for key, (_, owner) in group.items() if owner == table]:
                del group[key]
                if group is self.indexes:
                    self.uniques.pop(key, None)

    def _alter(self, reader: Reader) -> None:
        reader.skip("IF", "EXISTS")
        reader.skip("ONLY")
        named = reader.name()
        table = self.tables.get(self._spelled(named).lower()) if named else None
        if not isinstance(table, _Table):
            return
        for change in _changes(reader):
            self._change(table, Reader(change))

    def _change(self, table: _Table, change: Reader) -> None:
        if change.skip("RENAME"):
            self._forget_views()
            if change.skip("TO") or change.skip("AS"):
                self._rename_table(table, change.name())
            else:
                change.skip("COLUMN")
                self._rename_column(table, change)
        elif change.skip("ADD"):
            change.skip("COLUMN")
            change.skip("IF", "NOT", "EXISTS")
            items = change.parenthesised() or [change.row[change.at :]]
            for column, attributes in self._columns([item for item in items if item]):
                table.columns.setdefault(column.lower(), (column, attributes))
        elif change.skip("DROP") and (change.skip("COLUMN") or change.peek() not in _CONSTRAINTS):
            change.skip("IF", "EXISTS")
            named = change.name()
            table.columns.pop(self._spelled(named).lower() if named else "", None)

    def _rename_table(self, table: _Table, named: Lexeme | None) -> None:
        if named is None:
            return
        old, new = table.name.lower(), self._spelled(named)
        table.name = new
        self.tables = {new.lower() if other is table else key: other for key, other in self.tables.items()}
        for group in (self.indexes, self.triggers):
            group.update({k: (name, new.lower()) for k, (name, owner) in group.items() if owner == old})

    def _rename_column(self, table: _Table, change: Reader) -> None:
        before = change.name()
        after = change.name() if change.skip("TO") else None
        if before and after:
            old, new = self._spelled(before).lower(), self._spelled(after)
            table.columns = {
                new.lower() if key == old else key: (new, rest) if key == old else (name, rest)
                for key, (name, rest) in table.columns.items()
            }
            old, new = small(old), small(new)
            table.keys = [_renamed(key, old, new) for key in table.keys]
            for name, (_, owner) in self.indexes.items():
                if owner == table.name.lower() and name in self.uniques:
                    self.uniques[name] = _renamed(self.uniques[name], old, new)

    def _forget_views(self) -> None:
        """Databases rewrite views when a name in them changes; their text here says the old one."""
        for key in [key for key, table in self.tables.items() if isinstance(table, _View)]:
            self.collector.leave_out("views defined before a name was changed", self.tables.pop(key).name)

    # --- entries ------------------------------------------------------------------------------------

    def _entry(self, table: _Table | _View, dialect: Any) -> Entry | None:
        if isinstance(table, _Table):
            keys = attributes_of(self._keys_of(table))
            made = (
                self.collector.entry(name, "Column", (*attributes, *keys.get(small(name), ())))
                for name, attributes in table.columns.values()
            )
            return self.collector.table(table.name, ("table",), made)
        names = self._view_columns(table, dialect, ())
        if names is None:
            self.collector.leave_out("views with a column whose name is not certain", table.name)
            return None
        made = (self.collector.entry(name, "Column") for name in names)
        return self.collector.table(table.name, ("table" if table.is_table else "view",), made)

    def _keys_of(self, table: _Table) -> Iterator[tuple[str, ...]]:
        """The keys of a table, and of the indexes on it, that are of its columns."""
        own = {small(name) for name, _ in table.columns.values()}
        others = (name for name, (_, owner) in self.indexes.items() if owner == table.name.lower())
        for key in (*table.keys, *(self.uniques[name] for name in others if name in self.uniques)):
            if own.issuperset(key):
                yield key

    def _view_columns(self, view: _View, dialect: Any, above: tuple[str, ...]) -> Columns | None:
        """The column names of a view, each view's text parsed once."""
        key = view.name.lower()
        if key in above or len(above) > _DEEPEST_VIEW:
            return None
        if key not in self._columns_of_views:
            columns = self._selected(view.query, dialect, (*above, key))
            if view.listed:
                columns = view.listed if columns is None or len(columns) == len(view.listed) else None
            self._columns_of_views[key] = columns
        return self._columns_of_views[key]

    def _selected(self, text: str, dialect: Any, above: tuple[str, ...]) -> Columns | None:
        from sqlglot.errors import SqlglotError

        if not _QUERY.match(text):
            return None
        try:
            with _quiet():
                query = dialect.parser().parse(dialect.tokenize(text), text)[0]
            columns = names_of(query, self._known(query, dialect, above)) if query else None
        except (SqlglotError, RecursionError):
            return None
        return tuple(map(self.fold, columns)) if columns else None

    def _known(self, query: Any, dialect: Any, above: tuple[str, ...]) -> dict[str, Columns | None]:
        from sqlglot import exp

        found: dict[str, Columns | None] = {}
        for table in query.find_all(exp.Table):
            key = table.name.lower()
            known = self.tables.get(key)
            if isinstance(known, _Table):
                found[key] = tuple(name for name, _ in known.columns.values())
            elif known is not None and key not in found:
                found[key] = self._view_columns(known, dialect, above)
        return found

    def _spelled(self, lexeme: Lexeme) -> str:
        return lexeme.text if lexeme.quoted else self.fold(lexeme.text)


_DEEPEST_VIEW = 30


@contextmanager
def _quiet() -> Iterator[None]:
    """Around sqlglot's parser, which reports what it does not know on stderr."""
    logger = logging.getLogger("sqlglot")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _query_after_as(reader: Reader, text: str) -> str | None:
    """The text behind the first AS outside of parentheses, to the end of the statement."""
    depth = 0
    for lexeme in reader.row[reader.at :]:
        depth += (lexeme.word == "(") - (lexeme.word == ")")
        if lexeme.word == "AS" and not depth:
            return text[lexeme.end : reader.row[-1].end]
    return None


def _is_key(item: tuple[Lexeme, ...]) -> bool:
    """Whether PRIMARY or UNIQUE stands in a column's definition, outside of parentheses."""
    depth = 0
    for lexeme in item[1:]:
        depth += (lexeme.word == "(") - (lexeme.word == ")")
        if lexeme.word in ("PRIMARY", "UNIQUE") and not depth:
            return True
    return False


def _is_column(item: tuple[Lexeme, ...]) -> bool:
    """Whether an item of an index is a column, and no expression."""
    return len(item) == 1 or item[1].word in ("COLLATE", "ASC", "DESC")


def _renamed(key: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    return tuple(new if column == old else column for column in key)


def _is_generated(item: tuple[Lexeme, ...]) -> bool:
    """Whether AS stands in a column's definition, outside of parentheses and not as `AS IDENTITY`, `AS ROW`."""
    depth = 0
    for lexeme, following in pairwise(item):
        depth += (lexeme.word == "(") - (lexeme.word == ")")
        if lexeme.word == "AS" and not depth:
            return following.word not in ("IDENTITY", "ROW")
    return False


def _changes(reader: Reader) -> Iterator[tuple[Lexeme, ...]]:
    """The parts of ALTER TABLE, cut at commas outside of parentheses."""
    depth, begin = 0, reader.at
    for at in range(reader.at, len(reader.row)):
        word = reader.row[at].word
        depth += (word == "(") - (word == ")")
        if word == "," and not depth:
            yield reader.row[begin:at]
            begin = at + 1
    yield reader.row[begin:]
