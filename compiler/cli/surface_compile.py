"""`langc compile` with a surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from langc.compiler.cli.console import Console
from langc.compiler.cli.options import Strength, sources
from langc.compiler.cli.usage import wrong
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.target import Artifact


class Compiled(NamedTuple):
    """A surface's artefacts, and what there is to say of its names."""

    name: str
    artifacts: Sequence[Artifact]
    warnings: Sequence[Diagnostic]


def compile_surfaces(
    console: Console,
    surface: str,
    names: Sequence[str],
    env: Mapping[str, str],
    tokenizer: str | None,
    allow: str,
    dialect: str | None,
    strength: Strength,
) -> Compiled:
    """One surface to several targets. Raises LangcError.

    With a tokenizer it is made sure that the vocabulary can write what the surface needs.
    """
    from langc.compiler.api import compile, load_vocabulary
    from langc.compiler.surfaces.loaded import load_surface

    given = next((name for name, value in strength.items() if value), None)
    if given is not None:
        raise LangcError(wrong(f"--{given.replace('_', '-')} is for policies", help=f"{surface} is a surface"))
    loaded = load_surface(surface, sources(env))
    with console.working("compiling"):
        if tokenizer is not None:
            from langc.compiler.surfaces.masks.matcher import SurfaceMatcher

            SurfaceMatcher(loaded.engine, load_vocabulary(tokenizer))
        artifacts = [compile(loaded, name, allow=allow, dialect=dialect) for name in dict.fromkeys(names)]
    return Compiled(loaded.name, artifacts, loaded.environment.warnings)
