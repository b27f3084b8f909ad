"""Which source an environment is read from, and what of it a surface can write."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from langc.compiler.cli import run
from langc.compiler.errors import LangcError
from langc.compiler.limits import MAX_ENVIRONMENTS
from langc.compiler.surfaces.environment.load import (
    UNNAMED,
    kind_of,
    load_environment,
    load_source,
    named_source,
    parse_overrides,
    unreachable,
)
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.environment.providers import KINDS, Request, read
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.model import Provider


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, and a policy's folder below it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies").mkdir()
    for name, table in (("policies/shop.json", "policy"), ("shop.json", "here"), ("other.json", "other")):
        (tmp_path / name).write_text(json.dumps({"Table": [table]}))
    return tmp_path


def tables(environment: Environment) -> list[str]:
    """The names of the sort that all the files here have."""
    return [entry.name for entry in environment.group("Table")]


DB = Provider("db", "json", ("shop.json",))
OTHER = Provider("other", "")


@pytest.mark.parametrize(
    ("providers", "given", "wanted"),
    [
        ((DB,), {}, ["policy"]),
        ((DB,), {"db": "shop.json"}, ["here"]),
        ((DB,), {UNNAMED: "shop.json"}, ["here"]),
        ((DB, OTHER), {"other": "other.json"}, ["policy", "other"]),
        ((DB, OTHER), {UNNAMED: "other.json"}, ["policy", "other"]),
        ((OTHER, DB), {UNNAMED: "other.json", "db": "shop.json"}, ["other", "here"]),
        ((), {UNNAMED: "shop.json"}, ["here"]),
        ((), {"a": "shop.json", "b": "other.json"}, ["here", "other"]),
    ],
)
def test_where_names_come_from(
    folder: Path, providers: tuple[Provider, ...], given: dict[str, str], wanted: list[str]
) -> None:
    """Paths of a policy start at its folder, those of overrides where the user is; the order is that of the policy."""
    assert tables(load_environment(providers, folder / "policies", given)) == wanted


@pytest.mark.parametrize(
    ("providers", "given", "code"),
    [
        ((OTHER,), {}, "LC0911"),
        ((DB, OTHER), {}, "LC0911"),
        ((DB,), {"bd": "shop.json"}, "LC0911"),
        ((DB, Provider("x", "json", ("shop.json",))), {UNNAMED: "shop.json"}, "LC0911"),
        ((Provider("db", "jsno", ("shop.json",)),), {}, "LC0901"),
        ((Provider("db", "json", ()),), {}, "LC0902"),
        ((Provider("db", "json", ("none.json",)),), {}, "LC0001"),
        ((DB,) * (MAX_ENVIRONMENTS + 1), {}, "LC0701"),
    ],
)
def test_what_is_not_given(folder: Path, providers: tuple[Provider, ...], given: dict[str, str], code: str) -> None:
    """An environment without a source, one that the surface does not have, and sources that cannot be."""
    with pytest.raises(LangcError) as caught:
        load_environment(providers, folder / "policies", given)

    assert [d.code for d in caught.value.diagnostics] == [code]


def test_overrides_as_they_are_typed() -> None:
    """A name and a sign of equality before the source; versions and paths with one are sources."""
    typed = ["db=shop.db", "x==1.2", "a_1=package==2"]

    assert parse_overrides(typed) == {"db": "shop.db", UNNAMED: "x==1.2", "a_1": "package==2"}
    assert parse_overrides(["./a=b.db"]) == {UNNAMED: "./a=b.db"}
    for twice in (["db=a", "db=b"], ["a.db", "b.db"]):
        with pytest.raises(LangcError, match="LC0911"):
            parse_overrides(twice)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("shop.data", b"SQLite format 3\0 and more", "sqlite"),
        ("shop.sql", b"SQLite format 3\0 and more", "sqlite"),
        ("a.sql", b"", "sql"),
        ("a.SQL", b"", "sql"),
        ("a.db", b"", "sqlite"),
        ("a.json", b"", "json"),
        ("a.yml", b"", "yaml"),
        ("a.pyi", b"", "python"),
        ("a.hpp", b"", "header"),
        ("a-1.whl", b"", "package"),
        ("a-1.tar.gz", b"", "package"),
        ("help", b"Usage: a\n\n  -a  all\n", "listing"),
        ("schema", b"-- a schema\nCREATE  TABLE a (b)", "sql"),
        ("names", b'\n {"Table": []}', "json"),
        ("prose", b"Nothing of all this.", None),
        ("empty", b"", None),
    ],
)
def test_the_kind_of_a_file(tmp_path: Path, name: str, content: bytes, kind: str | None) -> None:
    """By how it begins and how its name ends."""
    (tmp_path / name).write_bytes(content)
    if kind is None:
        with pytest.raises(LangcError, match="LC0901"):
            kind_of(tmp_path / name)
    else:
        assert kind_of(tmp_path / name) == kind


@pytest.mark.parametrize(
    ("source", "kind", "arguments"),
    [
        ('sql("a.sql", "dialect=mysql")', "sql", ("a.sql", "dialect=mysql")),
        ("sql(a.sql)", "sql", ("a.sql",)),
        ('sql("a(b).sql")', "sql", ("a(b).sql",)),
        ("json()", "json", ()),
        ("json:a.txt", "json", ("a.txt",)),
        ("click==8.1", "package", ("click==8.1",)),
        ("shop.json", "json", ("shop.json",)),
    ],
)
def test_specifications(folder: Path, source: str, kind: str, arguments: tuple[str, ...]) -> None:
    """The forms in which a source can be written."""
    found = named_source(source, "db")

    assert (found.kind, found.arguments) == (kind, arguments)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ('sql("a", 1)', "LC0902"),
        ('sql("a" "b")', "LC0902"),
        ("jsn(a)", "LC0901"),
        ("none.db", "LC0001"),
        ("x:y", "LC0001"),
    ],
)
def test_bad_specifications(folder: Path, source: str, code: str) -> None:
    """Each has its code."""
    with pytest.raises(LangcError) as caught:
        load_source(source)

    assert [d.code for d in caught.value.diagnostics] == [code]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_refuses_what_is_no_file(tmp_path: Path, kind: str) -> None:
    """A folder, nothing, two files, and a file that is too large by a byte (a sparse one)."""
    (tmp_path / "folder.whl").mkdir()
    with (tmp_path / "large.whl").open("wb") as file:
        file.truncate((64 << 20) + 1)
    for arguments, codes in (
        (("folder.whl",), {"LC0002"}),
        (("none.whl",), {"LC0001"}),
        ((), {"LC0902"}),
        (("large.whl",), {"LC0701", "LC0903", "LC0909"}),
    ):
        with pytest.raises(LangcError) as caught:
            read(Request("x", kind, arguments, tmp_path))
        assert {d.code for d in caught.value.diagnostics} <= codes


def test_names_that_a_surface_cannot_write() -> None:
    """They are told, and so are names that differ in case only; two functions of one name are meant."""
    spelling = Spelling.make(word="[a-z]+", fold_case=True)
    row = [Entry("users", "Table"), Entry("Users", "Table"), Entry("a b", "Table")]
    functions = [Entry("max", "Function", frozenset({"scalar"})), Entry("max", "Function", frozenset({"aggregate"}))]
    found = unreachable(Environment("db", {"Table": Group.of(row), "Function": Group.of(functions)}), spelling)

    assert [(d.code, d.message) for d in found] == [
        ("LC0910", "the surface has no way to write Table 'a b'"),
        ("LC0910", "another name of the same sort, equal but for the case of letters, hides Table 'Users'"),
    ]


# --- the command ------------------------------------------------------------------------------------


def test_the_command_shows_what_is_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sorts and their counts, the digest and the version; as JSON the same."""
    connection = sqlite3.connect("shop.db")
    connection.executescript("CREATE TABLE a (b, c); CREATE VIEW v AS SELECT b FROM a;")
    connection.close()

    assert run(["env", "shop.db", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert run(["env", "shop.db"]) == 0
    text = capsys.readouterr().out

    assert (shown["kind"], shown["version"], shown["origin"]) == ("sqlite", sqlite3.sqlite_version, "shop.db")
    assert (shown["sorts"]["Table"], shown["sorts"]["Column"], shown["warnings"]) == (2, 3, [])
    assert shown["digest"] in text
    assert [line.split() for line in text.splitlines() if line.startswith("Column")] == [["Column", "3"]]


def test_the_command_writes_what_it_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is written is the same environment, and so is what goes to stdout."""
    (folder / "a.sql").write_text('CREATE TABLE "é" (b);')
    assert run(["env", "a.sql", "-o", "a.json"]) == 0
    capsys.readouterr()
    assert run(["env", "a.sql", "-o", "-"]) == 0
    written = capsys.readouterr().out

    assert (folder / "a.json").read_text(encoding="utf-8") == written
    assert load_source("a.json").digest == load_source("a.sql").digest
    assert load_source("a.json").origin == "a.sql"


def test_the_command_reports_what_is_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings go to stderr, and into the result with --json."""
    (folder / "a.sql").write_text("CREATE TABLE a (b); CREATE TEMP TABLE t (c);")
    assert run(["env", "a.sql"]) == 0
    assert "warning[LC0910]: a.sql: left out are temporary and virtual tables: 't'" in capsys.readouterr().err
    assert run(["env", "a.sql", "--json"]) == 0

    assert [w["code"] for w in json.loads(capsys.readouterr().out)["warnings"]] == ["LC0910"]
