"""Which surface a policy is for, and which policy with a surface is meant.

A file may hold surfaces and policies. A policy that names a surface goes before the surfaces of its file: without its
rules more would be permitted than the file says.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from langc.compiler import ready
from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError, UnsupportedError
from langc.compiler.loading import as_policy, load_policies
from langc.compiler.policy import Policy
from langc.compiler.surfaces.canonical import is_portable
from langc.compiler.surfaces.model import Surface
from langc.compiler.surfaces.policed.rules import PolicyRules, Rules
from langc.compiler.surfaces.syntax.choose import choose_surface
from langc.compiler.surfaces.syntax.read import read_surfaces
from langc.compiler.syntax.read import read_source

if TYPE_CHECKING:
    from langc.compiler.surfaces.loaded import LoadedSurface


def choose(given: str | os.PathLike[str] | Policy) -> tuple[Surface, Path, Rules | None]:
    """The surface that is meant, the folder of its file, and what a policy asks beside it.

    Raises PolicyError as `choose_surface` and `load_policy` do; LC0009 for a file with several such policies, and for
    a policy that names no surface.
    """
    policy = given if isinstance(given, Policy) else _policy_with_surface(os.fspath(given))
    if isinstance(given, Policy) and not given.lowered.surfaces:
        help_ = "name it in the policy, `surface NAME;`, or load the surface and take `with_policy`"
        raise PolicyError(Diagnostic("LC0009", f"policy `{given.name}` is for texts of no surface", help=help_))
    if policy is None:
        assert not isinstance(given, Policy)
        return *choose_surface(os.fspath(given)), None
    return *surface_of(policy), PolicyRules(policy)


def _policy_with_surface(path_or_name: str) -> Policy | None:
    """The policy that is meant, if one is that names a surface. Raises PolicyError for what is at fault in it."""
    path, name = _file_of(path_or_name)
    if path is None or is_portable(path):
        return None
    if name is not None:
        policies = load_policies(path) if _has_policies(path) else ()
        named = next((policy for policy in policies if policy.name == name), None)
        return named if named is not None and named.lowered.surfaces else None
    found = [policy for policy in load_policies(path) if policy.lowered.surfaces] if _has_policies(path) else []
    if len(found) > 1:
        names = ", ".join(f"`{path.name}:{policy.name}`" for policy in found)
        message = f"{path.name} holds {len(found)} policies that name a surface"
        raise PolicyError(Diagnostic("LC0009", message, help=f"name one: {names}"))
    return found[0] if found else None


def surface_of(policy: Policy) -> tuple[Surface, Path]:
    """The surface that a policy, or one that it uses, names; and the folder of its file."""
    scope = next(scope for scope in policy.lowered.scopes if scope.own_surfaces)
    name = scope.own_surfaces[0]
    own = read_surfaces(scope.source)
    if name in own:
        return own[name], Path(scope.source.name).parent
    return choose_surface(f"{ready.path(name)}:{name}")


def joined(loaded: LoadedSurface, policy: Policy | str | os.PathLike[str]) -> Rules:
    """What a surface's texts obey if they obey a policy as well. Raises as `LoadedSurface.with_policy`."""
    given = as_policy(policy)
    other = next((name for name in given.lowered.surfaces if name != loaded.surface.name), None)
    if other is not None:
        help_ = "what two surfaces have in common is no surface; write one that refines the other"
        message = f"policy `{given.name}` is for texts of surface `{other}`, and these are of `{loaded.surface.name}`"
        raise PolicyError(Diagnostic("LC0942", message, Label(given.lowered.source, given.lowered.span), help=help_))
    in_region = next((region for scope in given.lowered.scopes for region in scope.surface_regions), None)
    if in_region is not None or (given.lowered.surfaces and _is_of_regions(loaded)):
        where = f"in region `{in_region.name}`" if in_region else "for whole texts"
        message = f"policy `{given.name}` names surface `{loaded.surface.name}` {where}, and `{loaded.name}` does not"
        help_ = "load the policy that has it in a region, and leave the surface out of the other"
        raise PolicyError(Diagnostic("LC0942", message, Label(given.lowered.source, given.lowered.span), help=help_))
    if loaded.rules is None:
        return PolicyRules(given)
    if loaded.rules.policy is None:
        help_ = "join the policies first, and load the surface with the one that comes of it"
        message = f"policy `{loaded.rules.name}` comes from an artefact, which no other policy can be joined with"
        raise UnsupportedError(Diagnostic("LC0943", message, help=help_))
    return PolicyRules(loaded.rules.policy & given)


def _is_of_regions(loaded: LoadedSurface) -> bool:
    return loaded.rules is not None and loaded.rules.contents is not None


def _has_policies(path: Path) -> bool:
    """Whether a file holds policies, as far as can be told without reading all of it."""
    return "policy" in read_source(path).text


def _file_of(path_or_name: str) -> tuple[Path | None, str | None]:
    """The file that is meant, and the name behind the colon. None for a ready surface, and where there is no file."""
    if Path(path_or_name).is_file():
        return Path(path_or_name), None
    stem, colon, name = path_or_name.rpartition(":")
    if colon and Path(stem).is_file():
        return Path(stem), name
    return None, None
