"""Names in finished texts that do not exist, and what is said of them."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from langc.compiler.cli import run
from langc.compiler.surfaces.loaded import LoadedSurface, load_surface

SCHEMA = "CREATE TABLE singer (id, name, age); CREATE TABLE concert (id, singer_id, venue);"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of two tables."""
    path = tmp_path_factory.mktemp("ghosts") / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
    return path


@pytest.fixture(scope="module")
def sql(shop: Path) -> LoadedSurface:
    """The ready surface over it."""
    return load_surface("sql", shop)


@pytest.mark.parametrize(
    ("query", "ghosts"),
    [
        ("SELECT name FROM singer", []),
        ("SELECT naem FROM singer", [("naem", "name")]),
        ("SELECT T1.name FROM singr AS T1", [("singr", "singer")]),
        ("SELECT naem FROM singer WHERE aeg > 3", [("naem", "name"), ("aeg", "age")]),
        ("SELECT T1.name FROM singer T1 JOIN concert T2 ON T1.id = T2.singerid", [("singerid", "singer_id")]),
        ("SELECT name FROM singer WHERE lenght(name) > 2", [("lenght", "length")]),
        ("SELECT name FROM singer ORDER BY nmae", [("nmae", "name")]),
        ("SELECT name FROM singer WHERE id IN (SELECT singer FROM concert)", [("singer", "singer_id")]),
        ('SELECT name FROM "Singre"', [('"Singre"', "singer")]),
        ("INSERT INTO singer (id, nmae) VALUES (1, 'x')", [("nmae", "name")]),
    ],
)
def test_each_wrong_name_is_one_finding(sql: LoadedSurface, query: str, ghosts: list[tuple[str, str]]) -> None:
    """With its place, and the nearest name that fits."""
    found = sql.check(query)
    assert [(one.kind, one.text, one.suggestion) for one in found] == [("ghost", *ghost) for ghost in ghosts]
    for one in found:
        assert query[one.start : one.end] == one.text
    assert sql.accepts(query) == (not ghosts)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ‹qqq› FROM concert",
        "SELECT name FROM singer WHERE ‹qqq› > 3",
        "SELECT ‹qqq›(name), T.‹xyz› FROM singer AS T",
        "SELECT ‹qqq›, name FROM singer; ",
    ],
)
def test_a_name_like_none_is_one_finding_too(sql: LoadedSurface, query: str) -> None:
    """Reading goes on as if a name stood there with which most of the rest can be read."""
    text = query.replace("‹", "").replace("›", "")
    found = sql.check(text)
    assert [(one.kind, one.text) for one in found] == [("ghost", name) for name in re.findall("‹(.*?)›", query)]


@pytest.mark.parametrize(
    ("query", "promised", "owners"),
    [
        ("SELECT venue FROM singer", ("venue",), ("concert",)),
        ("SELECT venue FROM singer;", ("venue",), ("concert",)),
        ("SELECT c.venue FROM concert", ("c.venue",), ("concert",)),
        ("SELECT s.venue FROM singer s", ("s.venue",), ("concert",)),
        ("SELECT name FROM singer WHERE", (), ()),
    ],
)
def test_what_is_promised_is_said(
    sql: LoadedSurface, query: str, promised: tuple[str, ...], owners: tuple[str, ...]
) -> None:
    """A column before FROM that no table of it has is named where the statement cannot go on, or must not end."""
    (found,) = sql.check(query)
    assert found.kind in ("syntax", "end")
    assert (found.promised, found.owners) == (promised, owners)


@pytest.mark.parametrize(
    ("query", "kind", "place"),
    [
        ("SELECT name FROM singer WHERE", "end", 29),
        ("SELECT name FROM FROM", "syntax", 17),
        ("DELETE singer", "syntax", 7),  # a word that is no keyword, where no name can stand
        ("", "end", 0),
    ],
)
def test_what_is_no_matter_of_names_is_said_to_be_so(sql: LoadedSurface, query: str, kind: str, place: int) -> None:
    """Where it is, and what could stand there."""
    (found,) = sql.check(query)
    assert (found.kind, found.start) == (kind, place)
    assert found.expected


def test_a_column_of_no_table_is_refused_where_it_ends(sql: LoadedSurface) -> None:
    """Up to there it could be the alias of a table that FROM has still to name."""
    assert sql.refused_at("SELECT title FROM concert") == len("SELECT title ")
    assert sql.refused_at("SELECT singer_id FROM concert") is None
    assert sql.refused_at("SELECT singer_id FROM singer;") == len("SELECT singer_id FROM singer")


def test_the_command_names_places_and_suggestions(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Readable, as JSON, and by its exit code."""
    query = tmp_path / "q.sql"
    query.write_text("SELECT name\nFROM singr\n", encoding="utf-8")
    arguments = ["check", str(query), "--policy", "sql", "--env", str(shop)]
    assert run(arguments) == 1
    said = capsys.readouterr().out
    assert "q.sql:2:6: “singr” does not exist here as a Table; did you mean “singer”?" in said
    assert run([*arguments, "--json"]) == 1
    (report,) = json.loads(capsys.readouterr().out)["files"]
    assert [one["suggestion"] for one in report["findings"]] == ["singer"]
    assert run([*arguments, "--exit-zero"]) == 0


def test_levels_ask_less_of_names(sql: LoadedSurface) -> None:
    """`open` takes any name, `exists` one of Γ wherever it stands, `exact` what resolves."""
    ghost, elsewhere = "SELECT T1.naem FROM singer AS T1", "SELECT T1.venue FROM singer AS T1"
    assert not sql.accepts(ghost)
    assert not sql.accepts(elsewhere)
    loose = sql.with_levels({"Column": "open"})
    assert loose.accepts(ghost)
    exists = sql.with_levels({"Column": "exists"})
    assert exists.accepts(elsewhere)
    assert not exists.accepts(ghost)
    with pytest.raises(KeyError):
        sql.with_levels({"Colum": "open"})


def test_a_level_can_be_switched_in_the_middle_of_a_text(sql: LoadedSurface) -> None:
    """What was written at the other level stays."""
    loose = sql.with_levels({"Column": "open"})
    config = loose.engine.start.run(b"SELECT T1.naem FROM singer AS T1 WHERE T1.a")
    assert config is not None
    strict = sql.resumed(config)
    assert strict is not None
    assert strict.run(b"ge > 3") is not None
    assert strict.run(b"gg > 3") is None
