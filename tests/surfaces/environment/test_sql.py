"""SQL schemas, judged by SQLite: both providers give the same names for the same definitions."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.errors import LangcError
from langc.compiler.surfaces.environment.names import Environment, content
from langc.compiler.surfaces.environment.providers import Request, read

ROOMS = ("a", "B c", 'q"t', "select", "é", "[x", "k`y", "Key", "check")
TYPES = ("", "INT", "VARCHAR(10)", "DOUBLE PRECISION", "TEXT NOT NULL", "INT DEFAULT (1 + 2)", "TEXT DEFAULT 'a,b;('")
MORE = ("", " UNIQUE", " CHECK (1 > 0)", " COLLATE NOCASE", " REFERENCES other (x)")
BEHIND = ("", ", CHECK (1)", ", CONSTRAINT u UNIQUE ({first})", ", FOREIGN KEY ({first}) REFERENCES o (p)")


def quoted(name: str) -> st.SearchStrategy[str]:
    """One of SQLite's ways to write a name between quotes."""
    ways = ['"' + name.replace('"', '""') + '"', "`" + name.replace("`", "``") + "`"]
    return st.sampled_from(ways if "]" in name or "[" in name else [*ways, f"[{name}]"])


@st.composite
def tables(draw: st.DrawFn, number: int) -> tuple[str, list[str]]:
    """A table and the names of its columns."""
    names = draw(st.lists(st.sampled_from(ROOMS), min_size=1, max_size=5, unique=True))
    spelled = [draw(quoted(name)) for name in names]
    defined = [f"{name} {draw(st.sampled_from(TYPES))}{draw(st.sampled_from(MORE))}" for name in spelled]
    if draw(st.booleans()):
        stored = draw(st.sampled_from(("", " STORED", " VIRTUAL")))
        long = draw(st.booleans())
        defined.append(f"g {'INT GENERATED ALWAYS ' if long else ''}AS ({spelled[0]} || 'x'){stored}")
        names.append("g")
    behind = draw(st.sampled_from(BEHIND)).format(first=spelled[0])
    comment = draw(st.sampled_from(("", " -- a ' comment;\n", "/* ) */")))
    return f"CREATE TABLE t{number} ({comment}{', '.join(defined)}{behind});", names


@st.composite
def schemas(draw: st.DrawFn) -> str:
    """Tables, then views over them, indexes, and changes of tables."""
    made = [draw(tables(number)) for number in range(draw(st.integers(1, 3)))]
    script = [text for text, _ in made]
    for number in range(draw(st.integers(0, 3))):
        chosen = draw(st.integers(0, len(made) - 1))
        column = draw(quoted(draw(st.sampled_from(made[chosen][1]))))
        body = draw(st.sampled_from(VIEWS)).format(t=f"t{chosen}", c=column, other=f"t{len(made) - 1}")
        script.append(f"CREATE VIEW v{number} {body};")
    script += draw(st.lists(st.sampled_from(CHANGES), max_size=3, unique=True))
    return "\n".join(script)


VIEWS = (
    "AS SELECT {c} FROM {t}",
    "AS SELECT * FROM {t}",
    "(p, q) AS SELECT {c}, count(*) FROM {t} GROUP BY 1",
    "AS SELECT x.{c} AS first, 1 AS \"the second\" FROM {t} AS x WHERE {c} > 'a;b'",
    "AS SELECT x.* FROM {t} x, {other} y",
    "AS WITH c(m) AS (SELECT {c} FROM {t}) SELECT M, 2 n FROM c",
    "AS SELECT s.* FROM (SELECT {c} AS inner_name FROM {t}) s",
    "AS SELECT {c} FROM {t} UNION ALL SELECT 1",
    "AS SELECT {c}, count(*) FROM {t}",
    "AS SELECT * FROM {t} JOIN {other} USING ({c})",
    "AS VALUES (1, 2)",
)
CHANGES = tuple(
    f"{change};"
    for change in (
        "ALTER TABLE t0 ADD COLUMN added INT",
        "ALTER TABLE t0 ADD more TEXT DEFAULT 'x'",
        "CREATE INDEX i0 ON t0 (rowid)".replace("rowid", "(1)"),
        "CREATE UNIQUE INDEX IF NOT EXISTS i1 ON t0 ((2))",
        "CREATE TRIGGER tr AFTER INSERT ON t0 BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM t0; END",
        "CREATE TABLE t9 (a); DROP TABLE t9",
        "CREATE TABLE IF NOT EXISTS t0 (never)",
        "INSERT INTO t0 DEFAULT VALUES",
    )
)


def both(ddl: str) -> tuple[Environment, Environment]:
    """The names of the database that SQLite makes of a script, and those of the script."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        connection = sqlite3.connect(folder / "x.db")
        connection.executescript(ddl)
        connection.close()
        (folder / "x.sql").write_text(ddl, encoding="utf-8")
        return read(Request("d", "sqlite", ("x.db",), folder)), read(Request("d", "sql", ("x.sql",), folder))


def is_left_out(name: str, environment: Environment) -> bool:
    """Whether a warning says that a name is not there."""
    return any(repr(name) in warning.message for warning in environment.warnings)


@given(schemas())
def test_sqlite_and_sql_agree(ddl: str) -> None:
    """But for the views that are left out with a warning, and then nothing else is missing."""
    try:
        real, text = both(ddl)
    except sqlite3.Error:
        return  # a script that SQLite refuses proves nothing
    wanted = content(real.groups)
    kept = [t for t in wanted["Table"] if not (isinstance(t, dict) and is_left_out(str(t["name"]), text))]

    assert content(text.groups) == {**wanted, "Table": kept}
    assert all(isinstance(t, dict) and t["attributes"] == ["view"] for t in wanted["Table"] if t not in kept)


def test_certain_views_are_kept() -> None:
    """Which of the views of the comparison have certain names is no matter of luck."""
    script = "CREATE TABLE t0 (c, d);" + "".join(
        f"CREATE VIEW v{number} {view.format(t='t0', c='c', other='t0')};" for number, view in enumerate(VIEWS)
    )
    text = both(script)[1]

    assert [number for number in range(len(VIEWS)) if not text.group("Table").get(f"v{number}")] == [8, 9, 10]


def test_names_changed_later() -> None:
    """Tables and columns that get another name, and columns that go."""
    real, text = both(
        "CREATE TABLE a (x, y, z); CREATE INDEX ia ON a (x); ALTER TABLE a RENAME TO b;"
        "ALTER TABLE b RENAME COLUMN x TO w;"
        "ALTER TABLE b RENAME y TO [v v]; ALTER TABLE b DROP COLUMN z; CREATE TABLE c (q); DROP TABLE IF EXISTS b; "
        "CREATE TABLE d (r); CREATE INDEX id ON d (r); DROP INDEX id; CREATE VIEW e AS SELECT * FROM d; DROP VIEW e;"
    )

    assert real.digest == text.digest
    assert [e.name for e in text.group("Table")] == ["c", "d"]


def test_a_view_before_a_change_of_names() -> None:
    """Databases rewrite such a view; its text does not say how, so it is left out."""
    _, text = both("CREATE TABLE a (x); CREATE VIEW v AS SELECT x FROM a; ALTER TABLE a RENAME COLUMN x TO y;")

    assert [e.name for e in text.group("Table")] == ["a"]
    assert is_left_out("v", text)


def sql(tmp_path: Path, text: str, dialect: str) -> dict[str, list[str]]:
    """The columns by table of a schema in a dialect."""
    (tmp_path / "x.sql").write_text(text)
    found = read(Request("d", "sql", ("x.sql", f"dialect={dialect}"), tmp_path))
    return {t.name: [c.name for c in t.members["Column"]] for t in found.group("Table")}


@pytest.mark.parametrize(
    ("dialect", "text", "wanted"),
    [
        (
            "postgres",
            'CREATE TABLE public.Users (Id serial PRIMARY KEY, "Name" text, key int)',
            {"users": ["id", "Name", "key"]},
        ),
        (
            "postgres",
            "CREATE TABLE a (x int, EXCLUDE USING gist (x WITH =)); CREATE UNLOGGED TABLE b (y int)",
            {"a": ["x"], "b": ["y"]},
        ),
        ("postgres", "CREATE TABLE a (x int); CREATE TABLE b (LIKE a); CREATE INDEX ON a (x)", {"a": ["x"]}),
        (
            "postgres",
            "CREATE TABLE a (x int); CREATE FUNCTION f() RETURNS int AS $$ ; CREATE TABLE no (y int); $$ LANGUAGE sql",
            {"a": ["x"]},
        ),
        (
            "mysql",
            "CREATE TABLE `a` (`x` int, KEY `k` (`x`), FULLTEXT INDEX f (x), y int COMMENT 'it''s') ENGINE=InnoDB",
            {"a": ["x", "y"]},
        ),
        ("snowflake", 'CREATE OR REPLACE TRANSIENT TABLE t (a int, "b" int)', {"T": ["A", "b"]}),
        (
            "tsql",
            "CREATE TABLE [dbo].[t] ([a] int IDENTITY(1,1), [b] AS ([a] + 1), PRIMARY KEY CLUSTERED ([a]))",
            {"t": ["a", "b"]},
        ),
        (
            "duckdb",
            "CREATE TABLE t (a STRUCT(b INT, c INT[]), d MAP(INT, TEXT)); CREATE TABLE u AS SELECT d AS e FROM t",
            {"t": ["a", "d"], "u": ["e"]},
        ),
    ],
)
def test_dialects(tmp_path: Path, dialect: str, text: str, wanted: dict[str, list[str]]) -> None:
    """Each dialect's quotes, constraints, and what it makes of names without quotes."""
    assert sql(tmp_path, text, dialect) == wanted


def test_functions_of_a_schema(tmp_path: Path) -> None:
    """With the numbers of arguments that they take."""
    head = "CREATE FUNCTION f(a int, b int DEFAULT 2) RETURNS int AS 'x';"
    text = f"{head} CREATE FUNCTION g(VARIADIC x int[]) RETURNS int AS 'x';"
    (tmp_path / "x.sql").write_text(text)
    found = read(Request("d", "sql", ("x.sql", "dialect=postgres"), tmp_path)).group("Function")

    assert {e.name: dict(e.numbers) for e in found} == {"f": {"least": 1, "most": 2}, "g": {"least": 0}}


LAUGHS = "CREATE TABLE t (a, b); CREATE VIEW v0 AS SELECT * FROM t;" + "".join(
    f"CREATE VIEW v{i} AS SELECT x.* FROM v{i - 1} x, v{max(0, i - 2)} y;" for i in range(1, 60)
)


@pytest.mark.parametrize("text", ["", "SELECT name FROM users;", "CREATE TABEL users (id);"])
def test_a_file_without_tables_is_told(tmp_path: Path, text: str) -> None:
    """A query in the place of a schema, or a misspelt one, is no environment without a word."""
    (tmp_path / "schema.sql").write_text(text, encoding="utf-8")
    found = read(Request("db", "sql", ("schema.sql",), tmp_path))

    assert len(found.group("Table")) == 0
    assert [d.message for d in found.warnings] == [f"{tmp_path / 'schema.sql'} has no tables and no views"]


def test_views_over_views_take_no_time(tmp_path: Path) -> None:
    """Sixty views, each over the two before it; and some that need themselves."""
    found = sql(
        tmp_path,
        LAUGHS + "CREATE VIEW w AS SELECT * FROM w; CREATE VIEW p AS SELECT * FROM q; CREATE VIEW q AS SELECT * FROM p",
        "sqlite",
    )

    assert found["v20"] == ["a", "b"]
    assert not {"w", "p", "q"} & set(found)


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("CREATE TABLE t (a 'x", (), "LC0904"),
        ("/* never", (), "LC0904"),
        ("CREATE TABLE t (a)", ("dialect=postgras",), "LC0902"),
        ("CREATE TABLE t (a)", ("dialect=a", "dialect=b"), "LC0902"),
        ("CREATE TABLE t (a)", ("dialct=postgres",), "LC0902"),
        ("SELECT 1; \0 ☃ ((((", ("dialect=postgres",), "LC0908"),
        ("", ("dialect=postgres",), "LC0908"),
        ("CREATE TABLE t (" + "(" * 100_000, ("dialect=postgres",), "LC0908"),
    ],
)
def test_bad_schemas(tmp_path: Path, text: str, options: tuple[str, ...], code: str) -> None:
    """What cannot be cut into words, unknown dialects and options, and nothing defined."""
    (tmp_path / "x.sql").write_text(text)
    with pytest.raises(LangcError) as caught:
        read(Request("d", "sql", ("x.sql", *options), tmp_path))

    assert [d.code for d in caught.value.diagnostics] == [code]


def test_views_that_sqlglot_cannot_parse(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """They are left out, and nothing is said on stderr."""
    deep = "(" * 5_000 + "1" + ")" * 5_000
    views = ("SELECT FROM FROM", "PRAGMA x", "WITH c(m) AS (SE0", f"SELECT {deep} AS x")
    text = "CREATE TABLE t (a);" + "".join(f"CREATE VIEW v{number} AS {body};" for number, body in enumerate(views))

    assert sql(tmp_path, text, "sqlite") == {"t": ["a"]}
    assert capfd.readouterr().err == ""
