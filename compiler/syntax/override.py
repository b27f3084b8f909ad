"""`use NAME with { items }`: the policy that is used, as if the items stood in it.

Invariant: an item behind `with` takes the place of the item of its kind and name (a `let`, a `region`, an
`unclosed`); all others stand at the end. Only a new `let` stands further up where an item that needs it does. Every
item says which source its spans are of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.syntax.check import names_in

_Key: TypeAlias = tuple[type, str]
_ItemT = TypeVar("_ItemT", bound=ast.PolicyItem)


def changed(decl: ast.PolicyDecl, source: Source, use: ast.Use, of: Source) -> ast.PolicyDecl:
    """The policy `decl`, which stands in `source`, as a `use` that stands in `of` changes it."""
    overrides = tuple(located(item, of) for item in use.overrides or ())
    taken = {key for item in overrides if (key := _key(item))}
    places = _places(decl.items, overrides)
    items: list[ast.PolicyItem] = []
    for number, item in enumerate(decl.items):
        items += places[number]
        if _key(item) not in taken:
            items.append(located(item, source))
    return replace(decl, items=(*items, *places[len(decl.items)]))


def located(item: _ItemT, source: Source) -> _ItemT:
    """The item, and those in it, with the source that they stand in."""
    if isinstance(item, ast.Region):
        return replace(item, source=source, items=tuple(replace(rule, source=source) for rule in item.items))
    return replace(item, source=source)


def _key(item: ast.PolicyItem) -> _Key | None:
    match item:
        case ast.Let(name) | ast.Region(name) | ast.Unclosed(name):
            return type(item), name
    return None


def _places(
    items: Sequence[ast.PolicyItem], overrides: Sequence[ast.Override]
) -> dict[int, tuple[ast.PolicyItem, ...]]:
    """The overrides by the number of the item that they stand before, in their own order."""
    first: dict[_Key | None, int] = {}
    for number, item in enumerate(items):
        first.setdefault(_key(item), number)
    needed: dict[str, int] = {}
    found: dict[int, tuple[ast.PolicyItem, ...]] = defaultdict(tuple)
    for item in reversed(overrides):
        end = needed.get(item.name, len(items)) if isinstance(item, ast.Let) else len(items)
        key = _key(item)
        place = first.get(key, end) if key else end
        found[place] = (item, *found[place])
        for name in _used_names(item):
            needed[name] = min(needed.get(name, place), place)
    return found


def _used_names(item: ast.PolicyItem) -> Iterator[str]:
    for part in (item, *(item.items if isinstance(item, ast.Region) else ())):
        yield from (name.name for name in names_in(part))
