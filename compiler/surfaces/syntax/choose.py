"""Which surface is meant: a file, `FILE:NAME` for one out of several, or a ready one by its bare name."""

from __future__ import annotations

import re
from pathlib import Path

from langc.compiler import ready
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, PolicyError
from langc.compiler.suggest import did_you_mean
from langc.compiler.surfaces.canonical import is_portable
from langc.compiler.surfaces.model import Surface
from langc.compiler.surfaces.syntax.read import Read, check_surfaces, read_surfaces
from langc.compiler.syntax.blocks import surface_blocks, without
from langc.compiler.syntax.read import read_source

_NAMED = re.compile(r"surface\s*(\S*)")
_POLICY = re.compile(r"^\s*policy\b", re.MULTILINE)


def choose_surface(path_or_name: str) -> tuple[Surface, Path]:
    """The surface, and the folder of its file.

    Raises PolicyError: LC0008 for a name that no ready surface has, LC0009 for a file without the surface or with
    several, and whatever is at fault in the file.
    """
    path, name = _located(path_or_name)
    surfaces = read_surfaces(read_source(path))
    if name is None and len(surfaces) == 1:
        return next(iter(surfaces.values())), path.parent
    if name is None or name not in surfaces:
        raise PolicyError(_unknown(path, name, tuple(surfaces)))
    return surfaces[name], path.parent


def surfaces_of(path_or_name: str) -> Read:
    """The surfaces of a file, or of that of a ready one, with warnings. Raises as `choose_surface`."""
    return check_surfaces(read_source(_located(path_or_name)[0]))


def is_surface(path_or_name: str) -> bool:
    """Whether a surface is meant, and no policy. A file that cannot be read counts as a policy, which then says so."""
    stem, _, name = path_or_name.rpartition(":")
    if path_or_name in ready.surfaces() or stem in ready.surfaces():
        return True
    path, name = (Path(path_or_name), "") if Path(path_or_name).is_file() else (Path(stem), name)
    try:
        if is_portable(path):
            return True
        text = read_source(path).text if path.is_file() else ""
    except LangcError:
        return False
    blocks = surface_blocks(text)
    if name:
        return any(_NAMED.match(text, block.start, block.end).group(1) == name for block in blocks)  # type: ignore[union-attr]
    return bool(blocks) and not _POLICY.search(without(text, blocks))


def _located(path_or_name: str) -> tuple[Path, str | None]:
    if Path(path_or_name).exists():
        return Path(path_or_name), None
    stem, colon, name = path_or_name.rpartition(":")
    if colon and (Path(stem).exists() or stem in ready.surfaces()):
        return _located(stem)[0], name
    if path_or_name in ready.surfaces():
        return ready.path(path_or_name), None
    if "/" in path_or_name or "." in path_or_name:
        return Path(path_or_name), None
    known = ready.surfaces()
    help_ = did_you_mean(path_or_name, known) or f"ready surfaces are {', '.join(known)}"
    raise PolicyError(Diagnostic("LC0008", f"there is no ready surface {path_or_name!r}", help=help_))


def _unknown(path: Path, name: str | None, known: tuple[str, ...]) -> Diagnostic:
    names = ", ".join(f"`{path.name}:{one}`" for one in known)
    if not known:
        return Diagnostic("LC0009", f"{path.name} holds no surface", help="a surface is written `surface NAME { … }`")
    if name is None:
        return Diagnostic("LC0009", f"{path.name} holds {len(known)} surfaces", help=f"name one: {names}")
    help_ = did_you_mean(name, known) or f"it has {names}"
    return Diagnostic("LC0009", f"{path.name} has no surface {name!r}", help=help_)
