"""What the command line does with a surface, or with a policy that names one; and `langc compile` with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from langc.compiler.cli.console import Console
from langc.compiler.cli.options import Strength, policy_warnings, sources
from langc.compiler.cli.usage import wrong
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, PolicyError
from langc.compiler.policy import Policy
from langc.compiler.target import Artifact

if TYPE_CHECKING:
    from langc.compiler.surfaces.loaded import LoadedSurface


class Compiled(NamedTuple):
    """A surface's artefacts, and what there is to say of its names."""

    name: str
    artifacts: Sequence[Artifact]
    warnings: Sequence[Diagnostic]


def load_given(named: str, policy: Policy | None, env: Mapping[str, str], strength: Strength) -> LoadedSurface:
    """The surface that the command line names, or that a policy names, with its names and the policies it obeys.

    `policy` is what `named` is, if it is no surface. Raises LangcError.
    """
    from langc.compiler.surfaces.loaded import load_surface

    if policy is not None:
        return load_surface(policy, sources(env))
    given = next((name for name, value in strength.items() if value and name != "use"), None)
    if given is not None:
        raise LangcError(wrong(f"--{given.replace('_', '-')} is for policies", help=f"{named} is a surface"))
    loaded = load_surface(named, sources(env))
    for other in strength["use"]:
        loaded = loaded.with_policy(other)
    return loaded


def compile_surfaces(
    console: Console,
    loaded: LoadedSurface,
    names: Sequence[str],
    tokenizer: str | None,
    allow: str,
    dialect: str | None,
) -> Compiled:
    """One surface to several targets. Raises LangcError; with what there is to say of the names if they are at fault.

    With a tokenizer it is made sure that the vocabulary can write what the surface needs.
    """
    from langc.compiler.api import compile, load_vocabulary

    warnings = surface_warnings(loaded)
    with console.working("compiling"):
        try:
            if tokenizer is not None:
                loaded.tables(load_vocabulary(tokenizer))
            artifacts = [compile(loaded, name, allow=allow, dialect=dialect) for name in dict.fromkeys(names)]
        except PolicyError as error:
            raise PolicyError((*error.diagnostics, *warnings)) from error
    return Compiled(loaded.name, artifacts, warnings)


def surface_warnings(loaded: LoadedSurface) -> tuple[Diagnostic, ...]:
    """What there is to say of the names, and of the files of the policy and the surface that it names."""
    from langc.compiler.surfaces.environment.load import unreachable
    from langc.compiler.surfaces.environment.spelling import Spelling

    policy = None if loaded.rules is None else loaded.rules.policy
    of_policy = () if policy is None else policy_warnings(policy)
    environment = loaded.environment
    return (*of_policy, *environment.warnings, *unreachable(environment, Spelling.of(loaded.surface)))
