"""Golden diagnostics about sources of names: the message of case `NAME` is in `environments/NAME.stderr`."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from langc.compiler import explain
from langc.compiler.errors import LangcError
from langc.compiler.render import render_all
from langc.compiler.surfaces.environment.load import UNNAMED, load_environment, load_source
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.model import Provider
from tests.conftest import Golden

FOLDER = Path(__file__).parent / "environments"
DB, OTHER = Provider("db", "json", ("names.json",)), Provider("other", "")

FILES: Mapping[str, bytes] = {
    "names.json": b'{"Table": ["a"]}',
    "names.dat": b"no names that langc knows",
    "text.db": b"no database",
    "cut.db": b"SQLite format 3\0" + b"\x10\0\1\1\0@  " * 4,
    "open.sql": b"CREATE TABLE a (b TEXT DEFAULT 'never closed);\n",
    "a.sql": b"CREATE TABLE a (b);",
    "comma.json": b'{\n  "Table": [\n    "a",\n  ]\n}\n',
    "key.json": b'{"Table": [{"name": "a", "member": {}}]}',
    "kind.json": b'{"Table": {"a": 1}}',
    "twice.json": b'{"Table": [], "Table": []}',
    "digest.json": b'{"$langc": {"digest": "0123456789abcdef0123"}, "Table": ["a"]}',
    "odd.json": b'{"Table": ["", "ok", "a\\u0000b"]}',
    "alias.yaml": b"Table: &all [a]\nView: *all\n",
    "broken.py": b"def f(x:\n    return x\n",
    "empty.txt": b"Nothing of interest.\n",
}


def _wheel() -> Environment:
    with zipfile.ZipFile("shop.whl", "w") as archive:
        archive.writestr("shop-1.2.dist-info/METADATA", "Name: shop\nVersion: 1.2\n")
    return load_source('package("shop==1.3", "file=shop.whl")')


def _without_sqlglot() -> Environment:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "sqlglot.dialects.dialect", None)
        return load_source("a.sql")


def _environment(given: Mapping[str, str]) -> Callable[[], Environment]:
    return lambda: load_environment([DB, OTHER], Path(), given)


CASES: Mapping[str, str | Callable[[], Environment]] = {
    "lc0012_sqlglot": _without_sqlglot,
    "lc0901_kind": 'jsn("names.json")',
    "lc0901_file": "names.dat",
    "lc0902": 'sql("a.sql", "dialect=postgras")',
    "lc0902_two": 'json("names.json", "kind.json")',
    "lc0902_version": "package:shop",
    "lc0903_text": "text.db",
    "lc0903_cut": "cut.db",
    "lc0904": "open.sql",
    "lc0905_comma": "comma.json",
    "lc0905_key": "key.json",
    "lc0905_kind": "kind.json",
    "lc0905_twice": "twice.json",
    "lc0905_alias": "alias.yaml",
    "lc0906": "broken.py",
    "lc0908": "empty.txt",
    "lc0909": "no-such-package==1.0",
    "lc0909_version": _wheel,
    "lc0910": "odd.json",
    "lc0911": _environment({}),
    "lc0911_misspelt": _environment({"othr": "names.json"}),
    "lc0911_which": lambda: load_environment([DB, DB], Path(), {UNNAMED: "names.json"}),
    "lc0912": "digest.json",
    "lc0913": 'listing("run:git --help")',
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said_about_names(name: str, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A faulty source gets exactly the message that was read and found good."""
    monkeypatch.chdir(tmp_path)
    for file, content in FILES.items():
        (tmp_path / file).write_bytes(content)
    case = CASES[name]
    try:
        diagnostics = (load_source(case) if isinstance(case, str) else case()).warnings
    except LangcError as error:
        diagnostics = error.diagnostics

    assert [d.code for d in diagnostics] == [name.split("_")[0].upper()]
    golden(FOLDER / f"{name}.stderr", render_all(diagnostics) + "\n")


def test_every_code_about_names_has_a_case() -> None:
    """And no message is there whose case is gone."""
    about_names = {code for code in explain.codes() if "LC0900" < code < "LC0920"}

    assert about_names <= {name.split("_")[0].upper() for name in CASES}
    assert {path.stem for path in FOLDER.glob("*.stderr")} == set(CASES)
