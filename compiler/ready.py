"""The ready policies and surfaces: the `.policy` files that come with langc, by bare name."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "grammars"
_POLICY = re.compile(r"^policy\b", re.MULTILINE)


@cache
def names() -> tuple[str, ...]:
    """The names of the ready policies, sorted."""
    return tuple(n for n in _files() if n not in surfaces())


@cache
def surfaces() -> tuple[str, ...]:
    """The names of the ready surfaces, sorted. Their files hold no policies."""
    return tuple(n for n in _files() if not _POLICY.search(path(n).read_text(encoding="utf-8")))


@cache
def _files() -> tuple[str, ...]:
    return tuple(sorted(p.stem for p in _FOLDER.glob("*.policy")))


def path(name: str) -> Path:
    """The file of a ready policy or surface."""
    return _FOLDER / f"{name}.policy"
