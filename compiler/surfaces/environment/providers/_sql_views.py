"""The names of the columns that a SELECT gives, where they can be known for certain.

Known are aliases, columns of known tables, and stars over them. What a database calls an expression without an alias is
its own affair, and so are two columns of one name; there `names_of` gives None, and the view is left out as a whole: a
view with some of its columns would make `*` and UNION give the wrong number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Columns: TypeAlias = tuple[str, ...]
"""Names in the order in which `*` gives them."""
_DEEPEST = 30
"""Queries inside one another."""


def names_of(query: Any, tables: Mapping[str, Columns | None], depth: int = 0) -> Columns | None:
    """The result names of a parsed query (sqlglot).

    `tables` has the columns of each table in its lower-case name. None if one name is not certain.
    """
    from sqlglot import exp

    if depth > _DEEPEST:
        return None
    visible: dict[str, Columns | None] = dict(tables)
    for definition in _definitions(query):
        name = definition.alias_or_name.lower()
        visible[name] = None  # one that refers to itself
        visible[name] = _renamed(names_of(definition.this, visible, depth + 1), definition)
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
        visible |= _inner_definitions(query, visible, depth)
    if not isinstance(query, exp.Select):
        return None
    sources = _sources(query, visible, depth)
    if sources is None:
        return None
    found: list[str] = []
    for projection in query.expressions:
        names = _projected(projection, sources, query)
        if names is None:
            return None
        found += names
    return tuple(found) if len({name.lower() for name in found}) == len(found) else None


def _definitions(query: Any) -> list[Any]:
    with_ = query.args.get("with_") or query.args.get("with")
    return list(with_.expressions) if with_ else []


def _inner_definitions(query: Any, visible: Mapping[str, Columns | None], depth: int) -> dict[str, Columns | None]:
    """What a query in parentheses defines for itself."""
    return {d.alias_or_name.lower(): _renamed(names_of(d.this, visible, depth + 1), d) for d in _definitions(query)}


def _renamed(names: Columns | None, source: Any) -> Columns | None:
    """With the column names that an alias lists: `AS t(a, b)`."""
    alias = source.args.get("alias")
    listed = tuple(column.name for column in alias.columns) if alias else ()
    if not listed:
        return names
    return listed if names is None or len(names) == len(listed) else None


def _sources(query: Any, visible: Mapping[str, Columns | None], depth: int) -> dict[str, Columns | None] | None:
    """The columns of what FROM has, by alias in small letters. None if two have one alias."""
    from sqlglot import exp

    begun = query.args.get("from_") or query.args.get("from")
    items = [begun.this] if begun else []
    items += [join.this for join in query.args.get("joins") or ()]
    found: dict[str, Columns | None] = {}
    for number, item in enumerate(items):
        if isinstance(item, exp.Table):
            names = visible.get(item.name.lower())
        elif isinstance(item, exp.Subquery) and not item.args.get("joins"):
            names = names_of(item.this, visible, depth + 1)
        else:
            names = None
        alias = (item.alias_or_name or f"\0{number}").lower()
        if alias in found or item.args.get("joins") or item.args.get("pivots"):
            return None
        found[alias] = _renamed(names, item)
    return found


def _projected(projection: Any, sources: Mapping[str, Columns | None], query: Any) -> Columns | None:
    """The names that one item of the SELECT list gives."""
    from sqlglot import exp

    if isinstance(projection, exp.Alias):
        return (projection.alias,) if projection.alias else None
    if isinstance(projection, exp.Star):
        return None if projection.args.get("except_") or _merges(query) else _all(list(sources.values()))
    if not isinstance(projection, exp.Column):
        return None
    if isinstance(projection.this, exp.Star):
        return sources.get(projection.table.lower())
    if projection.table:
        return _declared(projection.name, [sources.get(projection.table.lower())])
    return _declared(projection.name, list(sources.values()))


def _merges(query: Any) -> bool:
    """Whether a join makes one column of two."""
    return any(join.args.get("using") or join.method for join in query.args.get("joins") or ())


def _all(sources: list[Columns | None]) -> Columns | None:
    found: list[str] = []
    for columns in sources:
        if columns is None:
            return None
        found += columns
    return tuple(found) if sources else None


def _declared(name: str, sources: list[Columns | None]) -> Columns | None:
    """A column as its table spells it."""
    found = [column for columns in sources for column in columns or () if column.lower() == name.lower()]
    certain = len(found) == 1 and None not in sources
    return (found[0],) if certain else None
