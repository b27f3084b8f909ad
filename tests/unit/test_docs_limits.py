"""docs/limits.md has every budget of the code with its value."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import langc

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")

NO_BUDGET = {"MAX_SYMBOL"}
"""The last code point."""
OTHERS = {"ROW_CACHE_BYTES"}
"""Budgets that are not called MAX."""


def _assigned(tree: ast.Module) -> Iterator[str]:
    """The names that a module assigns at its top."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))


def _budgets() -> dict[tuple[str, str], int]:
    """Every budget by file and name."""
    found = {}
    for path in [*(ROOT / "compiler").rglob("*.py"), *(ROOT / "targets").rglob("*.py")]:
        file = path.relative_to(ROOT)
        for name in _assigned(ast.parse(path.read_text("utf-8"))):
            if name.lstrip("_").startswith("MAX_") or name in OTHERS:
                module = import_module("langc." + ".".join(file.with_suffix("").parts))
                found[str(file), name] = int(getattr(module, name))
    return {key: value for key, value in found.items() if key[1] not in NO_BUDGET}


def _documented() -> dict[tuple[str, str], int]:
    """The rows of the page's tables: `| what | limit | `NAME` in `FILE` | …`."""
    rows = re.findall(r"^\|[^|]+\| ([\d,]+) \| `(\w+)`(?: in `([\w/.]+)`)? \|", PAGE, re.MULTILINE)
    return {(file or "compiler/limits.py", name): int(number.replace(",", "")) for number, name, file in rows}


def test_every_budget_is_on_the_page() -> None:
    """With its file and its value, and nothing else is."""
    assert len(_budgets()) >= 20
    assert _documented() == _budgets()


def test_every_row_is_read() -> None:
    """No row escapes the comparison by its form."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| what"))]

    assert len(rows) == len(_documented())


def test_sizes_in_words() -> None:
    """`(64 MiB)` behind a number of bytes is that number."""
    found = re.findall(r"\((\d+) MiB\)[^|]*\| ([\d,]+) ", PAGE)

    assert len(found) >= 3
    assert [int(mib) << 20 for mib, _ in found] == [int(number.replace(",", "")) for _, number in found]


def test_the_figures_of_ko() -> None:
    """The comparison with a real policy is true."""
    policy = langc.load_policy("ko")

    assert f"`ko` has {policy.dfa.size} states over code points and {policy.byte_dfa.size} over bytes" in PAGE
