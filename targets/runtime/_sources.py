"""What the processors take: a policy, or a surface with its names; and what they make of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

from langc.compiler.loading import as_policy
from langc.compiler.policy import Policy
from langc.compiler.surfaces.canonical import is_portable
from langc.compiler.surfaces.loaded import LoadedSurface, load_surface
from langc.compiler.surfaces.masks import matcher
from langc.compiler.tokens.ahead import Ahead
from langc.compiler.tokens.choose import choose_tables
from langc.compiler.tokens.joined.matcher import is_plain
from langc.compiler.tokens.machine import Tables
from langc.compiler.tokens.vocabulary import Vocabulary

Given: TypeAlias = Policy | LoadedSurface | str | os.PathLike[str]
"""A path or a name is a policy's, or the path of what target `processor` wrote of a surface. A policy may name a
surface whose environments say in the file where they are read; else `load_surface` is told."""


def as_source(given: Given) -> Policy | LoadedSurface:
    """A policy or a surface as it is, or what a path or a name means. Raises as `load_policy` and `load_surface` do."""
    if isinstance(given, LoadedSurface):
        return given
    if isinstance(given, str | os.PathLike) and is_portable(Path(given)):
        return load_surface(given)
    policy = as_policy(given)
    return load_surface(policy) if policy.lowered.surfaces else policy


def tables_of(given: Given, vocabulary: Vocabulary, json_strings: bool = False) -> Tables:
    """The tables to write texts with; for a plain policy, those of texts inside of JSON strings if asked for.

    Raises what `load_policy`, `choose_tables` and `SurfaceTables` raise.
    """
    source = as_source(given)
    if isinstance(source, LoadedSurface):
        return source.tables(vocabulary)
    if json_strings and is_plain(source):
        source = source.with_(json_strings=True)
    return choose_tables(source, vocabulary)


def ahead_of(tables: Tables) -> Ahead:
    """What tells how far the end of a text is."""
    return matcher.ahead_of(tables) if isinstance(tables, matcher.PlacedTables) else Ahead(tables)
