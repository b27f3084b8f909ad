"""Targets: one file each, found by listing this folder; the file name is the target name.

A file whose name starts with `_` is a helper, not a target; `runtime/` holds adapters for programs.
Adding a target is adding a file with a `TARGET` and its golden folder: no list to edit.
"""

from __future__ import annotations

if __name__ != "langc.targets":  # `import targets` would make a second copy of every class
    raise ImportError("import langc.targets, not targets")

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import UnsupportedError
from langc.compiler.suggest import did_you_mean

if TYPE_CHECKING:
    from langc.compiler.target import Target


ALIASES = {"artifact": "processor"}
"""Other names of targets."""


@cache
def names() -> tuple[str, ...]:
    """The names of all targets, sorted."""
    files = (p.stem for p in Path(__file__).parent.glob("*.py"))
    return tuple(sorted(f.replace("_", "-") for f in files if not f.startswith("_")))


@cache
def get(name: str) -> Target:
    """The target of that name or alias, loaded when first asked for. Raises UnsupportedError if there is none."""
    name = ALIASES.get(name, name)
    if name not in names():
        help_ = did_you_mean(name, names()) or f"targets are {', '.join(names())}"
        raise UnsupportedError(Diagnostic("LC0504", f"there is no target {name!r}", help=help_))
    target: Target = import_module(f"langc.targets.{name.replace('-', '_')}").TARGET
    return target
