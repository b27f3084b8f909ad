"""docs/environments.md says what is true."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from langc.compiler.surfaces.environment.canonical import from_json
from langc.compiler.surfaces.environment.providers import KINDS

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The examples in a language."""
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)

    assert found
    return found


def test_the_examples_in_json_are_of_the_format() -> None:
    """They are read without a warning."""
    for text in blocks("json"):
        assert from_json(text).warnings == ()


def test_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder with the database that it names."""
    monkeypatch.chdir(tmp_path)
    connection = sqlite3.connect("shop.db")
    connection.execute("CREATE TABLE users (id)")
    connection.close()
    for text in blocks("python"):
        exec(compile(text, "environments.md", "exec"), {})  # noqa: S102

    assert (tmp_path / "shop.json").exists()


def test_every_kind_is_described() -> None:
    """In the table, and under a heading."""
    headings = " ".join(re.findall(r"^### (.*)$", PAGE, re.MULTILINE)).replace(" and ", " ").split()
    table = re.findall(r"`(\w+)\(\"", PAGE[PAGE.index("## Kinds") : PAGE.index("### sqlite")])

    assert sorted(headings) == sorted(KINDS)
    assert sorted(set(table)) == sorted(KINDS)
