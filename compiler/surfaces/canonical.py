"""A surface as JSON values: what it means, without the places where it was written.

Invariant: two surfaces have the same tree if and only if they are equal; layout, comments and what a surface refines
make no difference.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from pathlib import Path

from langc.compiler.surfaces import model
from langc.compiler.surfaces.environment.opened import read_head

SKIPPED = frozenset({"span", "source"})
"""Fields that say where something was written."""
FORMAT = "langc-surface 1"
START = b'{"format":"langc-surface '
"""How a file begins that `portable.py` writes."""
KINDS: Mapping[str, type] = {
    kind.__name__: kind
    for kind in (
        *typing.get_args(model.Element),
        model.Surface,
        model.Rule,
        model.Token,
        model.Sort,
        model.Scope,
        model.Provider,
        model.Level,
    )
}


def is_portable(path: Path) -> bool:
    """Whether a file is one that `portable.py` reads. Raises LangcError if it cannot be read."""
    return path.suffix == ".json" and path.is_file() and read_head(path, len(START)) == START


def tree_of(node: object) -> object:
    """The JSON value of a node, or of what a field of it holds."""
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        given = {"is": type(node).__name__}
        for field in dataclasses.fields(node):
            value = getattr(node, field.name)
            if field.name not in SKIPPED and not _is_default(field, value):
                given[field.name] = tree_of(value)  # type: ignore[assignment]
        return given
    if isinstance(node, Mapping):
        return [tree_of(node[name]) for name in sorted(node)]
    if isinstance(node, tuple):
        return [tree_of(part) for part in node]
    return sorted(node) if isinstance(node, frozenset) else node


def _is_default(field: dataclasses.Field[object], value: object) -> bool:
    if field.default is not dataclasses.MISSING:
        return bool(value == field.default)
    return field.default_factory is not dataclasses.MISSING and bool(value == field.default_factory())
