"""`langc dump` with a surface: its syntax tree, or what it is with all that it refines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from langc.compiler.cli.usage import wrong
from langc.compiler.errors import LangcError

if TYPE_CHECKING:
    from langc.compiler.surfaces.model import Surface


def dump_surface(named: str, stage: str) -> str:
    """The text of a stage of a surface. Raises LangcError if it has no such stage."""
    from langc.compiler.surfaces.syntax.choose import choose_surface

    if stage not in STAGES:
        raise LangcError(wrong(f"a surface has no stage {stage}", help=f"it has {' and '.join(STAGES)}"))
    return STAGES[stage](choose_surface(named)[0])


def _ast(surface: Surface) -> str:
    from langc.compiler.syntax.dump import dump
    from langc.compiler.syntax.parse import parse_form

    assert surface.source is not None
    return dump(next(s for s in parse_form(surface.source).file.surfaces if s.name.text == surface.name))


def _ir(surface: Surface) -> str:
    from langc.compiler.surfaces.syntax.dump import dump

    return dump(surface)


STAGES: dict[str, Callable[[Surface], str]] = {"ast": _ast, "ir": _ir}
