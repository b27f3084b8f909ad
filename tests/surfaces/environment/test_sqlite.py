"""Databases that SQLite makes in the test; SQLite itself judges every name."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from langc.compiler.errors import LangcError
from langc.compiler.surfaces.environment.names import Entry, Environment
from langc.compiler.surfaces.environment.providers import Request, read

SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, "full name" TEXT, [order] INT, len AS (length("full name")),
    stored TEXT GENERATED ALWAYS AS (id || '') STORED);
CREATE TABLE "sel""ect" ('é' TEXT, b) WITHOUT ROWID;
""".replace(" WITHOUT ROWID", "")
MORE = """
CREATE VIEW names (n, len) AS SELECT "full name", count(*) FROM users;
CREATE VIEW odd AS SELECT id, count(*), "full name" AS "a b" FROM users;
CREATE INDEX by_name ON users ("full name");
CREATE TRIGGER t1 AFTER INSERT ON users BEGIN SELECT 1; END;
"""


def database(path: Path, *scripts: str) -> Path:
    """A database of these scripts."""
    connection = sqlite3.connect(path)
    for script in scripts:
        connection.executescript(script)
    connection.close()
    return path


def names(path: Path) -> Environment:
    """The names of a database."""
    return read(Request("db", "sqlite", (path.name,), path.parent))


def columns(environment: Environment, table: str) -> dict[str, frozenset[str]]:
    """The columns of a table with their attributes, in order."""
    entry = environment.group("Table").get(table)
    assert entry is not None
    return {column.name: column.attributes for column in entry.members["Column"]}


def test_what_a_database_has(tmp_path: Path) -> None:
    """Tables and views in the order of their definition, columns with what may be done with them."""
    found = names(database(tmp_path / "shop.db", SCHEMA, MORE))
    no, generated = frozenset[str](), frozenset({"generated"})

    assert [(e.name, sorted(e.attributes)) for e in found.group("Table")] == [
        ("users", ["table"]),
        ('sel"ect', ["table"]),
        ("names", ["view"]),
        ("odd", ["view"]),
    ]
    key = frozenset({"key"})
    assert columns(found, "users") == {"id": key, "full name": no, "order": no, "len": generated, "stored": generated}
    assert list(columns(found, 'sel"ect')) == ["é", "b"]
    assert list(columns(found, "names")) == ["n", "len"]
    assert list(columns(found, "odd")) == ["id", "count(*)", "a b"]
    assert [e.name for e in found.group("Index")] == ["by_name"]
    assert [e.name for e in found.group("Trigger")] == ["t1"]
    assert {e.name for e in found.group("Collation")} >= {"BINARY", "NOCASE", "RTRIM"}
    assert (found.kind, found.version, found.warnings) == ("sqlite", sqlite3.sqlite_version, ())


def test_virtual_tables_and_their_shadows(tmp_path: Path) -> None:
    """Columns that `*` does not give are hidden."""
    try:
        path = database(tmp_path / "fts.db", "CREATE VIRTUAL TABLE ft USING fts5(x, y);")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite was built without fts5")
    found = names(path)

    assert columns(found, "ft") == {
        "x": frozenset(),
        "y": frozenset(),
        "ft": frozenset({"hidden"}),
        "rank": frozenset({"hidden"}),
    }
    kinds = {e.name: set(e.attributes) for e in found.group("Table")}
    assert kinds["ft"] == {"virtual"}
    assert kinds["ft_data"] == {"shadow"}


def is_accepted(connection: sqlite3.Connection, query: str) -> bool:
    """Whether SQLite can prepare a query."""
    try:
        connection.execute(f"EXPLAIN {query}")
    except sqlite3.OperationalError:
        return False
    return True


def uses(entry: Entry, count: int) -> str:
    """A query that uses a function as its attributes say."""
    arguments = ", ".join(["1"] * count)
    over = " OVER (ORDER BY 1)" if "window" in entry.attributes else ""
    return f"SELECT {entry.name}({arguments}){over} FROM (SELECT 1)"


def test_every_function_is_real(tmp_path: Path) -> None:
    """SQLite accepts each with every number of arguments that it is said to take, and none more."""
    found = names(database(tmp_path / "shop.db", SCHEMA)).group("Function")
    connection = sqlite3.connect(":memory:")

    assert len(found) >= 80
    for entry in found:
        least, most = entry.numbers["least"], entry.numbers["most"]
        for count in {least, most, (least + most) // 2}:
            assert is_accepted(connection, uses(entry, count)), (entry.name, count)
        if "aggregate" in entry.attributes:
            arguments = ", ".join(["1"] * most)
            assert is_accepted(connection, f"SELECT {entry.name}({arguments}) FROM (SELECT 1)"), entry.name
        if most < 127 and not entry.name.startswith("json_"):
            assert not is_accepted(connection, uses(entry, most + 1)) or entry.name in ("max", "min"), entry.name


def test_every_column_is_real(tmp_path: Path) -> None:
    """SQLite finds every column of every table by its name."""
    path = database(tmp_path / "shop.db", SCHEMA, MORE)
    connection = sqlite3.connect(path)

    for table in names(path).group("Table"):
        for column in table.members["Column"]:
            quoted = ['"' + name.replace('"', '""') + '"' for name in (column.name, table.name)]
            assert is_accepted(connection, "SELECT t.{} FROM {} t".format(*quoted))


def test_dangerous_functions_are_left_out(tmp_path: Path) -> None:
    """What loads code, reaches outside or works inside of a full text query only."""
    found = names(database(tmp_path / "shop.db", SCHEMA)).group("Function")

    for name in ("load_extension", "match", "readfile", "fts3_tokenizer", "bm25", "snippet", "rtreecheck", "->"):
        assert found.get(name) is None


def test_a_broken_view_is_left_out(tmp_path: Path) -> None:
    """The others stay, in their order."""
    script = (
        "CREATE TABLE a(x); CREATE VIEW bad AS SELECT y FROM a; CREATE TABLE b(x); CREATE VIEW v AS SELECT x FROM b;"
    )
    found = names(database(tmp_path / "shop.db", script))

    assert [e.name for e in found.group("Table")] == ["a", "b", "v"]
    assert ["'bad'" in d.message for d in found.warnings] == [True]


def test_hostile_names(tmp_path: Path) -> None:
    """Names that look like SQL, paths, or nothing at all; what is no UTF-8 is left out."""
    odd = ["x'); DROP TABLE y; --", "../../etc/passwd", "a\nb", " ", "%s", "ﬀ", "‮", "x" * 2_000]
    script = ";".join('CREATE TABLE "{}" ("{}")'.format(*[name.replace('"', '""')] * 2) for name in odd)
    path = database(tmp_path / "shop.db", script, "CREATE TABLE marker(x)")
    path.write_bytes(path.read_bytes().replace(b"marker", b"\xff\xfe\xff\xfe\xff\xfe"))
    found = names(path)

    assert [e.name for e in found.group("Table")] == odd[:-1]
    assert [d.code for d in found.warnings] == ["LC0910"] * 2  # the long name is that of a table, and of its column


@pytest.mark.parametrize("kind", ["sqlite", "sql"])
def test_a_table_is_there_with_all_of_its_columns_or_not(tmp_path: Path, kind: str) -> None:
    """SQLite counts a column without a name in `*` and INSERT; a table that is offered has as many as SQLite counts."""
    script = 'CREATE TABLE t("" INT, b INT); CREATE TABLE u(c INT); CREATE VIEW v AS SELECT b, c AS "" FROM t, u;'
    path = database(tmp_path / "shop.db", script)
    (tmp_path / "shop.sql").write_text(script, encoding="utf-8")
    found = read(Request("db", kind, ("shop.db" if kind == "sqlite" else "shop.sql",), tmp_path))

    connection = sqlite3.connect(path)
    for entry in found.group("Table"):
        cursor = connection.execute(f'SELECT * FROM "{entry.name}"')
        assert [column.name for column in entry.members["Column"]] == [name for name, *_ in cursor.description]
    connection.close()
    assert [e.name for e in found.group("Table")] == ["u"]
    assert any("tables and views with a column that cannot be named: 't'" in d.message for d in found.warnings)


def test_nothing_is_written(tmp_path: Path) -> None:
    """No journal, no lock: the folder may be read-only, and another process may hold the database."""
    path = database(tmp_path / "shop.db", SCHEMA)
    writer = sqlite3.connect(path)
    writer.execute("BEGIN EXCLUSIVE")
    before = path.stat().st_mtime_ns
    assert names(path).group("Table").get("users")
    writer.close()

    assert list(tmp_path.iterdir()) == [path]
    assert path.stat().st_mtime_ns == before


def test_changes_that_wait_are_told(tmp_path: Path) -> None:
    """With a write-ahead log beside it, the file alone is old; a warning says so."""
    writer = sqlite3.connect(tmp_path / "shop.db")
    writer.execute("PRAGMA journal_mode = WAL")
    writer.executescript(SCHEMA)
    for ending in ("", "-wal"):
        shutil.copy(tmp_path / f"shop.db{ending}", tmp_path / f"copy.db{ending}")
    writer.close()
    found = names(database(tmp_path / "plain.db", SCHEMA))
    with_log = tmp_path / "plain.db-wal"
    with_log.write_bytes(b"x")

    assert found.warnings == ()
    assert ["plain.db-wal" in d.message for d in names(tmp_path / "plain.db").warnings] == [True]
    empty = names(tmp_path / "copy.db")
    assert len(empty.group("Table")) == 0
    assert [d.message.partition(": ")[2] or d.message for d in empty.warnings] == [
        "changes that wait in copy.db-wal are not read",
        f"{tmp_path / 'copy.db'} has no tables and no views",
    ]


def test_paths_are_not_addresses(tmp_path: Path) -> None:
    """A file name with the signs of an address is a file name."""
    found = names(database(tmp_path / "a?mode=rwc&b#c%41.db", SCHEMA))

    assert found.group("Table").get("users")


@pytest.mark.parametrize("cut", [16, 20, 100, 600, 4_096])
def test_a_cut_file(tmp_path: Path, cut: int) -> None:
    """Half of a database is no database."""
    path = database(tmp_path / "shop.db", SCHEMA)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(LangcError) as caught:
        names(path)

    assert caught.value.diagnostics[0].code == "LC0903"


def test_a_damaged_file(tmp_path: Path) -> None:
    """Bytes that changed anywhere give names or an error, nothing else."""
    path = database(tmp_path / "shop.db", SCHEMA, MORE)
    whole = path.read_bytes()
    used = [at for at in range(100, len(whole)) if whole[at]]
    for at, value in itertools.product(used[:: max(1, len(used) // 60)], (0, 255)):
        path.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
        with suppress(LangcError):
            names(path)


def test_no_regular_file(tmp_path: Path) -> None:
    """A pipe would hang, a folder is none."""
    os.mkfifo(tmp_path / "pipe.db")
    for name, code in (("pipe.db", "LC0003"), (".", "LC0002"), ("none.db", "LC0001"), ("a\0b", "LC0003")):
        with pytest.raises(LangcError) as caught:
            read(Request("db", "sqlite", (name,), tmp_path))
        assert caught.value.diagnostics[0].code == code
