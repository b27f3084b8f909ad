"""The ready policies: the `.policy` files that come with langc, by bare name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "grammars"


@cache
def names() -> tuple[str, ...]:
    """The names of the ready policies, sorted."""
    return tuple(sorted(p.stem for p in _FOLDER.glob("*.policy")))


def path(name: str) -> Path:
    """The file of a ready policy."""
    return _FOLDER / f"{name}.policy"
