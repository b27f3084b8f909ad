"""Policies by path or name: what everything that takes a policy calls.

Nothing heavy is imported here: the parser comes with the first policy.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from langc.compiler import ready
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from langc.compiler.suggest import did_you_mean

if TYPE_CHECKING:
    from langc.compiler.syntax.ast import PolicyDecl, PolicyFile


def as_policy(given: Policy | str | os.PathLike[str]) -> Policy:
    """A policy as it is, or the one that `load_policy` finds. Raises as that does."""
    return given if isinstance(given, Policy) else load_policy(given)


def parse_policy(text: str, name: str | None = None) -> Policy:
    """The policy of a text that holds one, or the one called `name` out of several.

    The text is in no file, so what it uses must be ready policies or policies of the same text. Raises PolicyError,
    with every place that is at fault.
    """
    from langc.compiler.syntax.parse import parse

    return _select(parse(text), None, name)


def load_policy(path_or_name: str | os.PathLike[str]) -> Policy:
    """The policy of a file, `FILE:NAME` for one out of several, or a ready one by its bare name (`ko`).

    Raises PolicyError if there is no such file or policy, or if it is at fault.
    """
    path, name = _locate(os.fspath(path_or_name))
    return _select(parse_file(path), path, name)


def load_policies(path_or_name: str | os.PathLike[str]) -> tuple[Policy, ...]:
    """All policies of a file, in its order. Raises as `load_policy`."""
    path, name = _locate(os.fspath(path_or_name))
    file = parse_file(path)
    return (_select(file, path, name),) if name else tuple(_link(d, file, path) for d in file.policies)


def parse_file(path: Path) -> PolicyFile:
    """The syntax tree of a file. Raises PolicyError."""
    from langc.compiler.syntax.parse import parse_source
    from langc.compiler.syntax.read import read_source

    return parse_source(read_source(path)).file


def _locate(path_or_name: str) -> tuple[Path, str | None]:
    """The file, and the policy's name if one was given behind a colon."""
    if Path(path_or_name).exists():
        return Path(path_or_name), None
    stem, colon, name = path_or_name.rpartition(":")
    if colon and (Path(stem).exists() or stem in ready.names()):
        return _locate(stem)[0], name
    if path_or_name in ready.names():
        return ready.path(path_or_name), None
    if not _looks_like_path(path_or_name):
        is_surface = f"`{path_or_name}` is a surface" if path_or_name in ready.surfaces() else None
        help_ = is_surface or did_you_mean(path_or_name, ready.names())
        help_ = help_ or f"ready policies are {', '.join(ready.names())}"
        raise PolicyError(Diagnostic("LC0008", f"there is no ready policy {path_or_name!r}", help=help_))
    return Path(path_or_name), None


def _looks_like_path(text: str) -> bool:
    return "/" in text or os.sep in text or "." in text


def _link(decl: PolicyDecl, file: PolicyFile, path: Path | None) -> Policy:
    from langc.compiler.link import link

    return Policy(link(decl, file, path))


def _select(file: PolicyFile, path: Path | None, name: str | None) -> Policy:
    known = {d.name: d for d in file.policies}
    if name is None and len(known) == 1:
        return _link(file.policies[0], file, path)
    if name is None or name not in known:
        raise PolicyError(_ambiguous(file, name, known))
    return _link(known[name], file, path)


def _ambiguous(file: PolicyFile, name: str | None, known: Mapping[str, PolicyDecl]) -> Diagnostic:
    names = ", ".join(f"`{file.source.name}:{n}`" for n in known)
    if not known:
        surfaces = ", ".join(f"`{surface.name.text}`" for surface in file.surfaces)
        return Diagnostic("LC0009", f"{file.source.name} holds no policy", help=f"it has the surfaces {surfaces}")
    if name is None:
        return Diagnostic("LC0009", f"{file.source.name} holds {len(known)} policies", help=f"name one: {names}")
    return Diagnostic(
        "LC0009", f"{file.source.name} has no policy {name!r}", help=did_you_mean(name, known) or f"it has {names}"
    )
