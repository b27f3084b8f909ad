"""What several schemas that one value must obey say of it together.

Invariant: a shape holds exactly what its schemas say, of each type apart; nothing in it is decided by the policy.
Properties that no schema names are left out where `additionalProperties` is absent, as items are behind `prefixItems`
without `items`: the texts of a shape are then fewer than the schema permits, and never others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from langc.compiler.errors import PolicyError
from langc.compiler.json_schema.keywords import ABOUT, keywords
from langc.compiler.json_schema.numbers import EVERYWHERE, Bound, Interval, divides_a_power_of_ten, fits
from langc.compiler.json_schema.values import Node, fault
from langc.compiler.limits import MAX_ENUM_VALUES, over_limit

ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


class NothingFits(PolicyError):
    """No value obeys the schemas, or none that the policy permits. Among the schemas of `anyOf` others may."""


@dataclass(frozen=True)
class Item:
    """A schema, and the places that `$ref` led through to it."""

    node: Node
    trail: frozenset[str] = frozenset()

    def below(self, node: Node) -> Item:
        """A schema inside of this one."""
        return Item(node, self.trail)


Items = tuple[Item, ...]
"""Schemas that one value must obey."""


@dataclass
class Shape:
    """Schemas put together by `add`."""

    place: Node
    types: frozenset[str] | None = None
    """None as long as no schema says."""
    about: set[str] = field(default_factory=set)
    """The types that keywords were about."""
    values: list[Node] | None = None
    least: int = 0
    most: int | None = None
    patterns: list[Node] = field(default_factory=list)
    formats: list[Node] = field(default_factory=list)
    interval: Interval = EVERYWHERE
    step: Node | None = None
    properties: dict[str, Items] = field(default_factory=dict)
    forbidden: set[str] = field(default_factory=set)
    required: dict[str, Node] = field(default_factory=dict)
    others: Items | None = None
    """What further properties must obey; None if no schema says, or one forbids them."""
    is_closed: bool = False
    """Whether a schema forbids properties that it does not name."""
    prefix: list[Items] = field(default_factory=list)
    rest: Items | None = None
    """What the items behind the prefix must obey; None if no schema says, or one forbids them."""
    is_full: bool = False
    """Whether a schema forbids items behind the prefix."""
    least_items: int = 0
    most_items: int | None = None
    without: list[Items] = field(default_factory=list)
    """The schemas of `oneOf` that were not chosen: the value must not obey them."""

    @property
    def kinds(self) -> frozenset[str]:
        """The types of its values. A schema that does not say is read as of the types that its keywords are about."""
        if self.types is not None:
            return self.types
        if self.values is not None:
            return ALL_TYPES
        return _with_integers(self.about)

    @property
    def says_nothing(self) -> bool:
        """Whether any value would do."""
        return self.types is None and self.values is None and not self.about

    def add(self, item: Item) -> None:
        """One schema more. Raises PolicyError for what cannot be read, or not beside the others."""
        said = dict(keywords(item.node))
        for kind, names in ABOUT.items():
            if said.keys() & set(names):
                self.about.add(kind)
        self._type(said)
        self._values(said)
        self._strings(said)
        self._numbers(said)
        self._objects(said, item)
        self._arrays(said, item)

    def _type(self, said: dict[str, Node]) -> None:
        if "type" in said:
            node = said["type"]
            named = node.items if node.kind == "array" else (node,)
            types = _with_integers(n.text for n in named)
            self.types = types if self.types is None else self.types & types

    def _values(self, said: dict[str, Node]) -> None:
        lists = ([said["enum"].items] if "enum" in said else []) + ([(said["const"],)] if "const" in said else [])
        for found in lists:
            if len(found) > MAX_ENUM_VALUES:
                from langc.compiler.errors import LimitError

                raise LimitError(over_limit("values of an `enum`", MAX_ENUM_VALUES, said["enum"].label))
            wanted = {key(node) for node in found}
            distinct = {key(node): node for node in found}
            self.values = (
                list(distinct.values()) if self.values is None else [v for v in self.values if key(v) in wanted]
            )

    def _strings(self, said: dict[str, Node]) -> None:
        if "minLength" in said:
            self.least = max(self.least, int(said["minLength"].number))
        if "maxLength" in said:
            self.most = _less(self.most, int(said["maxLength"].number))
        self.patterns += [said["pattern"]] if "pattern" in said else []
        self.formats += [said["format"]] if "format" in said else []

    def _numbers(self, said: dict[str, Node]) -> None:
        for word, strict in (("minimum", False), ("exclusiveMinimum", True)):
            if word in said:
                self.interval = self.interval.within(Interval(low=Bound(said[word].number, strict)))
        for word, strict in (("maximum", False), ("exclusiveMaximum", True)):
            if word in said:
                self.interval = self.interval.within(Interval(high=Bound(said[word].number, strict)))
        if "multipleOf" in said:
            self._multiples(said["multipleOf"])

    def _multiples(self, node: Node) -> None:
        number = node.number
        if number != number.to_integral_value() or not divides_a_power_of_ten(int(number)):
            help_ = "divisors of 1,000 can be told by the last digits; leave it out, or list the values in `enum`"
            raise fault("LC0362", "`multipleOf` of this number cannot be said exactly", node, help=help_)
        if self.step is not None and self.step.number != number:
            raise fault("LC0362", "two schemas have a `multipleOf` for one value", node, help="write the product once")
        self.step = node

    def _objects(self, said: dict[str, Node], item: Item) -> None:
        """Names that one side alone has obey what the other says of further properties."""
        named = said["properties"].members if "properties" in said else {}
        further = said.get("additionalProperties")
        forbids = further is not None and further.scalar_or_none is False
        others = (item.below(further),) if further is not None and not forbids else ()
        for name in self.properties:
            if name not in named:
                self._further(name, forbids, others)
        for name, node in named.items():
            if name not in self.properties:
                self.properties[name] = self.others or ()
                if self.is_closed:
                    self.forbidden.add(name)
            self.properties[name] += (item.below(node),)
        for node in said["required"].items if "required" in said else ():
            self.required.setdefault(node.text, node)
        self.is_closed |= forbids
        self.others = None if self.is_closed else ((self.others or ()) + others) or None

    def _further(self, name: str, forbids: bool, others: Items) -> None:
        if forbids:
            self.forbidden.add(name)
        self.properties[name] += others

    def _arrays(self, said: dict[str, Node], item: Item) -> None:
        if "minItems" in said:
            self.least_items = max(self.least_items, int(said["minItems"].number))
        if "maxItems" in said:
            self.most_items = _less(self.most_items, int(said["maxItems"].number))
        if "uniqueItems" in said and said["uniqueItems"].scalar is True:
            help_ = "no regular language knows what was written before; leave it out and check it afterwards"
            raise fault("LC0362", "`uniqueItems` cannot be said exactly", said["uniqueItems"], help=help_)
        if "prefixItems" not in said and "items" not in said:
            return
        prefix: list[Items] = [(item.below(n),) for n in said["prefixItems"].items] if "prefixItems" in said else []
        further = said.get("items")
        ends = further is not None and further.scalar_or_none is False
        if (self.prefix or self.rest or self.is_full) and (prefix or self.prefix or ends or self.is_full):
            node = said["prefixItems" if prefix else "items"]
            raise fault("LC0362", "two schemas say what the items of one list are", node, help="write them as one")
        self.prefix = prefix
        self.is_full = ends
        if further is not None and not ends:
            self.rest = (self.rest or ()) + (item.below(further),)


def check_bounds(shape: Shape) -> None:
    """Raises PolicyError (LC0362) for bounds of fractions that readers of floats would find elsewhere."""
    for bound in (shape.interval.low, shape.interval.high):
        if bound is not None and not fits(bound.value):
            help_ = "give it 15 digits at most, or take `integer`"
            raise fault("LC0362", "a bound of numbers has more digits than a float", shape.place, help=help_)


def key(node: Node) -> object:
    """Equal for values that JSON Schema calls equal: 1 and 1.0 are, and objects in any order of their keys."""
    if node.kind == "array":
        return (node.kind, tuple(map(key, node.items)))
    if node.kind == "object":
        return (node.kind, frozenset((name, key(value)) for name, value in node.members.items()))
    return (node.kind, Decimal(node.number) if node.kind == "number" else node.scalar)


def _with_integers(types: Iterable[str]) -> frozenset[str]:
    found = frozenset(types)
    return found | {"integer"} if "number" in found else found


def _less(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)
