"""The page about JSON schemas is true: its programs run, its commands work, and its lists are those of the code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from langc.compiler.cli import run
from langc.compiler.json_schema.formats import FORMATS
from langc.compiler.json_schema.keywords import _KNOWN, ANNOTATIONS, CONTAINERS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "json-schema.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files of the page."""
    monkeypatch.chdir(tmp_path)
    (schema,) = blocks("json")
    Path("person.json").write_text(schema, encoding="utf-8")
    Path("answer.json").write_text('{"이름": "김구", "나이": 73}', encoding="utf-8")


def test_programs() -> None:
    """One after the other; their assertions hold."""
    programs = blocks("python")

    assert len(programs) == 2
    exec("\n".join(programs), {})  # noqa: S102 - the page is ours


@pytest.mark.slow
def test_commands() -> None:
    """Each exits with 0."""
    commands = re.findall(r"^\$ langc (.*)$", PAGE, re.MULTILINE)

    assert len(commands) == 3
    for command in commands:
        assert run(shlex.split(command)) == 0, command


def test_keywords() -> None:
    """The table names every keyword that is read, and no other."""
    table = PAGE[PAGE.index("## Keywords") : PAGE.index("Everything else is an error")]
    named = {w for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for w in re.findall(r"`([^`]+)`", row)}

    assert named == {*_KNOWN, *ANNOTATIONS, *CONTAINERS}
    assert all(f"`{name}`" in table for name in FORMATS)
