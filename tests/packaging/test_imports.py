"""Who may import whom, read from the sources; and what `import langc` costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

LAYERS = (
    {"source", "version"},
    {"diagnostics"},
    {"errors", "limits", "suggest", "unread"},
    {"unicode"},
    {"syntax"},
    {"ir"},
    {"automata"},
    {"json_schema"},
    {"passes"},
    {"policy", "region_ends"},
    {"ready", "replacements"},
    {"link"},
    {"loading"},
    {"tokens"},
    {"surfaces"},
    {"target"},
    {"targets"},
)
"""From the bottom up: a module imports from its own layer and from those before it."""

FRONT = {"api", "checking", "cli", "demo", "doctor", "explain", "pipeline", "render", "verify", "way_out"}
"""What stands on top and may import everything."""

LEVEL = {name: level for level, names in enumerate((*LAYERS, FRONT)) for name in names}


def sources() -> list[Path]:
    """Every module of the compiler and of the targets."""
    found = [*(ROOT / "compiler").rglob("*.py"), *(ROOT / "targets").rglob("*.py")]

    assert len(found) >= 40
    return sorted(found)


def imported(path: Path) -> Iterator[str]:
    """The dotted names under `langc` that a file imports anywhere, without the leading `langc`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module.startswith("langc"))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("langc"))


def part(dotted: str) -> str | None:
    """The part that a dotted name belongs to: `langc.compiler.ir.nodes` to `ir`, `langc.targets.gbnf` to `targets`."""
    parts = dotted.split(".")
    if parts[:2] == ["langc", "compiler"]:
        return parts[2] if len(parts) > 2 else None
    return "targets" if parts[:2] == ["langc", "targets"] else None


def test_every_part_has_a_layer() -> None:
    """A new module of the compiler is given its place in the order before it is imported."""
    parts = {path.relative_to(ROOT / "compiler").parts[0] for path in (ROOT / "compiler").rglob("*.py")}
    found = {name.removesuffix(".py") for name in parts} - {"__init__"}

    assert found - set(LEVEL) == set()


def test_imports_point_downwards() -> None:
    """No module imports from a layer above its own; `ir` may use the syntax tree."""
    upwards = []
    for path in sources():
        own = part("langc." + ".".join(path.relative_to(ROOT).with_suffix("").parts))
        for name in imported(path):
            other = part(name)
            if own and other and LEVEL[other] > LEVEL[own]:
                upwards.append(f"{path.relative_to(ROOT)} imports {name}")

    assert upwards == []


def test_no_front_module_is_imported_by_a_layer() -> None:
    """Nothing below imports the API, the command line or the pipeline."""
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources()
        for name in imported(path)
        if part("langc." + ".".join(path.relative_to(ROOT).with_suffix("").parts)) not in {*FRONT, None}
        and part(name) in FRONT
    ]

    assert wrong == []


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter, in the checkout."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


HEAVY = ("numpy", "torch", "transformers", "rich", "regex", "xgrammar", "outlines", "llguidance", "tokenizers", "gguf")


def test_importing_langc_is_light() -> None:
    """`import langc` brings in no numpy and no engine."""
    done = run(f"import langc, sys; print(sorted(set({HEAVY!r}) & set(sys.modules)))")

    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_compiling_a_text_target_is_light() -> None:
    """The way from a ready policy to GBNF needs no numpy either, or a third of a second would be gone."""
    done = run(f"import langc, sys; langc.compile('ko', 'gbnf'); print(sorted(set({HEAVY!r}) & set(sys.modules)))")

    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize("name", ["compiler", "targets"])
def test_bare_names_are_refused(name: str) -> None:
    """`import compiler` would make a second copy of every class, so it raises and says what to import."""
    done = run(f"import {name}")

    assert done.returncode == 1
    assert f"ImportError: import langc.{name}" in done.stderr


def test_a_checkout_without_links_still_imports(tmp_path: Path) -> None:
    """Where git wrote the three links as small text files, langc finds its parts beside itself."""
    (tmp_path / "langc").mkdir()
    for name in ("__init__.py", "py.typed"):
        (tmp_path / "langc" / name).write_bytes((ROOT / "langc" / name).read_bytes())
    for name in ("compiler", "targets", "grammars"):
        (tmp_path / "langc" / name).write_text(f"../{name}")
        (tmp_path / name).symlink_to(ROOT / name)
    code = "import langc, langc.targets; print(langc.load_policy('ko').name, langc.targets.__name__, langc.__file__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == (f"ko langc.targets {tmp_path / 'langc' / '__init__.py'}\n", "")
