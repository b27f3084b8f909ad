"""The page about the ready policies names all of them, and its figures hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import langc
from langc.compiler.errors import LimitError
from tests.unit.cli.harness import Cli

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| [^|]+ \|([^|]+)\|([^|]+)\|", PAGE, re.MULTILINE)[2:]


def test_the_table_is_complete() -> None:
    """Every ready policy stands in it once, under deny or allow as its own text says."""
    denies, allows = ([cell.strip("` ") for cell in column if cell.strip()] for column in zip(*ROWS, strict=True))
    heads = {p.name: p.path.read_text(encoding="utf-8").split("policy ")[0] for p in langc.policies()}

    assert sorted([*denies, *allows]) == sorted(heads)
    assert [n for n in denies if "deny list" not in heads[n]] == []
    assert [n for n in allows if "allow list" not in heads[n]] == []


@pytest.mark.parametrize("page", ["README.md", "README.ko.md"])
def test_the_readmes_name_them(page: str) -> None:
    """All but the strict ones beside a deny list."""
    text = (ROOT / page).read_text(encoding="utf-8")

    assert [p.name for p in langc.policies() if not p.name.endswith("-strict") and f"`{p.name}`" not in text] == []


@pytest.mark.parametrize(
    ("name", "said", "size"),
    [("ko", "803 bytes", 803), ("ja", "47 KB", 47_000), ("no-invisible", "some 35 KB", 35_000)],
)
def test_the_sizes_of_grammars(name: str, said: str, size: int) -> None:
    """As the page says, to a tenth."""
    assert said in " ".join(PAGE.split())
    assert len((langc.compile(name, "gbnf").text or "").encode()) == pytest.approx(size, rel=0.1)


def test_the_number_of_ranges() -> None:
    """Of the characters that `ja` permits."""
    (base,) = (label for label, _ in langc.load_policy("ja").dfa.edges(langc.load_policy("ja").dfa.start))

    assert f"{len(base.ranges):,} ranges" in PAGE


@pytest.mark.slow
def test_a_regular_expression_of_all_emoji_is_too_large() -> None:
    """The page says so, with the code."""
    with pytest.raises(LimitError, match="LC0701"):
        langc.compile("no-invisible", "regex")


def test_the_list_on_the_command_line(cli: Cli) -> None:
    """A line a policy: its name and its description; the same as JSON, with the file."""
    import json

    lines = cli("policies").out.splitlines()
    found = json.loads(cli("policies", "--json").out)["policies"]

    assert [line.split(maxsplit=1) for line in lines] == [[p.name, p.doc] for p in langc.policies()]
    assert [(p["name"], p["doc"], p["path"]) for p in found] == [(p.name, p.doc, str(p.path)) for p in langc.policies()]
    assert len(found) == 26
