"""What targets share that carry a surface as a snapshot: the grammar, what is said of it, and what it admits."""

from __future__ import annotations

from langc.compiler.errors import PolicyError
from langc.compiler.surfaces.levels import at_levels
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.snapshot.build import snapshot
from langc.compiler.surfaces.snapshot.grammar import Grammar
from langc.compiler.surfaces.snapshot.witness import too_wide
from langc.compiler.target import Fidelity

NOTE = "names are those of the environment when this was made; scopes, promises and counts are not carried"


def snapshot_of(loaded: LoadedSurface, exact: bool) -> Grammar:
    """The grammar of a surface; `exact` as in `snapshot`. Raises PolicyError (LC0951), LimitError."""
    grammar = snapshot(at_levels(loaded.surface, loaded.levels), loaded.environment, exact)
    if grammar.is_empty:
        raise PolicyError(loaded.nothing_to_write())
    return grammar


def fidelity_of(grammar: Grammar, loaded: LoadedSurface, ill_formed: bool = False) -> Fidelity:
    """`over`, with a text that shows it if one is found."""
    return Fidelity(over=too_wide(grammar, loaded.accepts), ill_formed=ill_formed, loose=True)
