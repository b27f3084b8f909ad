"""From schemas that one value must obey to shapes: references followed, alternatives chosen one by one.

Invariant: a value obeys the schemas iff it obeys one of the shapes, and none of what that shape is `without`. A
reference never leads into itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.json_schema.keywords import keywords
from langc.compiler.json_schema.shape import Item, Items, NothingFits, Shape
from langc.compiler.json_schema.values import Node, fault
from langc.compiler.limits import (
    MAX_SCHEMA_CHOICES,
    MAX_SCHEMA_REFERENCES,
    MAX_SCHEMA_STEPS,
    MAX_SCHEMA_VARIANTS,
    over_limit,
)

_JOIN = (
    "a regular language has no recursion: leave the schema to another engine and join its matcher with one of this "
    "policy made with `json_strings` (langc.JoinedMatcher)"
)


@dataclass(frozen=True)
class _Choice:
    """The schemas of one `anyOf` or `oneOf`."""

    ways: Items
    is_exclusive: bool


@dataclass(frozen=True)
class _Way:
    """One choice everywhere."""

    plain: Items
    without: tuple[Items, ...] = ()


class Expander:
    """Expands the schemas of one file."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self._steps = 0
        """Schemas looked at for the value in hand, each as often as it is."""

    def shapes(self, items: Items) -> list[Shape]:
        """The shapes of a value that obeys all of the schemas.

        Raises:
            PolicyError: a reference leads nowhere (LC0367) or back into itself (LC0364), a schema cannot be read, or no
                value obeys them all (`NothingFits`, LC0366).
            LimitError: there are too many ways to choose, or too many schemas to look at.
        """
        self._steps = 0
        found: list[Shape] = []
        nothing: list[NothingFits] = []
        for way in self._ways((), (), items, nothing):
            if len(found) == MAX_SCHEMA_VARIANTS:
                raise LimitError(over_limit("ways to choose in one schema", MAX_SCHEMA_VARIANTS, items[0].node.label))
            shape = Shape(items[0].node, without=list(way.without))
            for item in way.plain:
                self._count(item.node)
                shape.add(item)
            found.append(shape)
        if not found:
            raise nothing[0]
        return found

    def _count(self, node: Node) -> None:
        self._steps += 1
        if self._steps > MAX_SCHEMA_STEPS:
            raise LimitError(over_limit("schemas that hold for one value", MAX_SCHEMA_STEPS, node.label))

    def _ways(
        self, plain: Items, choices: tuple[_Choice, ...], items: Items, nothing: list[NothingFits], depth: int = 0
    ) -> Iterator[_Way]:
        """Every way to choose in what is still open; `items` were not looked at yet."""
        try:
            more, opened = self._flat(items)
        except NothingFits as error:
            nothing.append(error)
            return
        plain, choices = (*plain, *more), (*choices, *opened)
        if not choices:
            yield _Way(plain)
            return
        if depth == MAX_SCHEMA_CHOICES:
            label = choices[0].ways[0].node.label
            raise LimitError(over_limit("choices for one value of a schema", MAX_SCHEMA_CHOICES, label))
        first, *rest = choices
        for number, chosen in enumerate(first.ways):
            others = tuple((w,) for n, w in enumerate(first.ways) if n != number) if first.is_exclusive else ()
            for way in self._ways(plain, tuple(rest), (chosen,), nothing, depth + 1):
                yield _Way(way.plain, (*others, *way.without))

    def _flat(self, items: Items) -> tuple[Items, tuple[_Choice, ...]]:
        """The schemas with those that they refer to, and the choices that they leave."""
        plain: list[Item] = []
        choices: list[_Choice] = []
        queue = list(items)
        for item in queue:
            self._count(item.node)
            if item.node.kind == "boolean":
                if item.node.scalar is False:
                    raise NothingFits(fault("LC0366", "`false` lets no value pass", item.node).diagnostics)
                continue
            said = dict(keywords(item.node))
            if "$ref" in said:
                queue.append(self._referred(said["$ref"], item))
            queue += [item.below(n) for n in (said["allOf"].items if "allOf" in said else ())]
            choices += [_choice(item, said, word) for word in ("anyOf", "oneOf") if word in said]
            plain.append(item)
        return tuple(plain), tuple(choices)

    # --- references ---------------------------------------------------------------------------------------------------

    def _referred(self, reference: Node, item: Item) -> Item:
        place = unquote(reference.text)
        if place != "#" and not place.startswith("#/"):
            help_ = "put what it means into `$defs` of this file, and refer to it as `#/$defs/NAME`"
            raise fault("LC0367", "a reference that is no place in this file", reference, help=help_)
        target = self._find(place.split("/")[1:], reference)
        if target.pointer in item.trail or item.node.pointer == target.pointer:
            raise fault("LC0364", f"this reference leads back to {target.pointer}, inside of it", reference, help=_JOIN)
        if len(item.trail) == MAX_SCHEMA_REFERENCES:
            raise LimitError(over_limit("references in a row", MAX_SCHEMA_REFERENCES, reference.label))
        return Item(target, item.trail | {target.pointer})

    def _find(self, parts: list[str], reference: Node) -> Node:
        node: Node | None = self.root
        for part in parts:
            node = None if node is None else _below(node, part.replace("~1", "/").replace("~0", "~"))
        if node is None or node.kind not in ("object", "boolean"):
            raise self._nowhere(reference)
        return node

    def _nowhere(self, reference: Node) -> PolicyError:
        names = [f"`#/{word}/{name}`" for word in ("$defs", "definitions") for name in _names(self.root, word)]
        help_ = f"there are {', '.join(names[:8])}" if names else "this file has no `$defs`"
        return fault("LC0367", "there is no schema in the place that is referred to", reference, help=help_)


def _choice(item: Item, said: Mapping[str, Node], word: str) -> _Choice:
    return _Choice(tuple(item.below(n) for n in said[word].items), word == "oneOf")


def _below(node: Node, name: str) -> Node | None:
    if node.kind == "object":
        return node.members.get(name)
    if node.kind == "array" and name.isascii() and name.isdigit() and len(name) < 9 and int(name) < len(node.items):
        return node.items[int(name)]
    return None


def _names(root: Node, word: str) -> tuple[str, ...]:
    holder = root.members.get(word) if root.kind == "object" else None
    return tuple(holder.members) if holder is not None and holder.kind == "object" else ()
