"""`oneOf`: exactly one of several schemas, so a value must not obey the others as well.

Of strings, numbers and the like the values of the others are taken away, exactly. Of lists and objects it must be plain
that no value obeys both: by a property that one requires and that holds other values in the other, or cannot be there.

Invariant: what is taken away is never less than what the other schema permits, under every reading of `format`, with
its properties in any order and others beside them.
"""

from __future__ import annotations

from langc.compiler.ir.language import (
    FAIL,
    Language,
    alternation,
    complement,
    concat,
    intersection,
    literal,
    repetition,
)
from langc.compiler.json_schema import numbers, written
from langc.compiler.json_schema.expand import Expander
from langc.compiler.json_schema.shape import ALL_TYPES, Items, NothingFits, Shape, check_bounds
from langc.compiler.json_schema.strings import Strings, is_empty, patterns_of
from langc.compiler.json_schema.values import Node, fault

_ZEROS = repetition(literal("0"))
_NO_FRACTION = repetition(concat(literal("."), repetition(literal("0"), 1)), 0, 1)


class Distinct:
    """Takes away what the other schemas of a `oneOf` permit."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander

    def only(self, shape: Shape, kind: str, language: Language) -> Language:
        """The texts of one type of a shape without those of the schemas that were not chosen.

        Raises PolicyError: nothing is left (`NothingFits`), or it is not plain that two objects or lists are never the
        same value (LC0365).
        """
        away: list[Language] = []
        for items in shape.without:
            for other in self._shapes(items):
                check_bounds(other)
                if kind in ("array", "object"):
                    self._check(shape, other, kind, items[0].node)
                else:
                    away.append(_scalars(other, kind))
        rest = intersection(language, *(complement(a) for a in away if a != FAIL))
        if away and is_empty(rest):
            message = "every such value obeys another schema of `oneOf` too"
            raise NothingFits(fault("LC0366", message, shape.place).diagnostics)
        return rest

    def _shapes(self, items: Items) -> list[Shape]:
        try:
            return self.expander.shapes(items)
        except NothingFits:
            return []

    def _check(self, shape: Shape, other: Shape, kind: str, node: Node) -> None:
        if kind not in _kinds(other) or (kind == "object" and self._are_apart(shape, other)):
            return
        if other.values is not None and not any(v.kind == kind for v in other.values):
            return
        raise fault(
            "LC0365",
            f"one {kind} may obey this schema of `oneOf` and another one as well",
            node,
            help="take `anyOf` if that is fine, or require a property that has another `const` in each",
        )

    def _are_apart(self, one: Shape, other: Shape) -> bool:
        """Whether no object of the first shape, as it is written here, obeys the second."""
        for name in {*one.required, *other.required}:
            first, second = one.properties.get(name, one.others), other.properties.get(name, other.others)
            if name in one.forbidden or name in other.forbidden:
                return True
            if first is None or (second is None and other.is_closed):
                return True
            if second is not None and self._never_equal(first, second):
                return True
        return False

    def _never_equal(self, first: Items, second: Items) -> bool:
        return all(_differ(a, b) for a in self._shapes(first) for b in self._shapes(second))


def _differ(one: Shape, other: Shape) -> bool:
    """Whether two shapes share no value, as far as that is plain."""
    for kind in ("array", "object"):
        if kind in _kinds(one) and kind in _kinds(other):
            return False
    kinds = ("string", "number", "boolean", "null")
    return all(is_empty(intersection(_scalars(one, k), _scalars(other, k))) for k in kinds)


def _kinds(shape: Shape) -> frozenset[str]:
    """The types that a schema lets pass: all of them if it does not say."""
    if shape.types is None and shape.values is None:
        return ALL_TYPES
    listed = None if shape.values is None else frozenset(_type(v) for v in shape.values)
    types = ALL_TYPES if shape.types is None else shape.types
    return types if listed is None else frozenset(listed & types)


def _type(node: Node) -> str:
    is_whole = node.kind == "number" and node.number == node.number.to_integral_value()
    return "integer" if is_whole else node.kind


def _scalars(shape: Shape, kind: str) -> Language:
    """The texts of at least the values of a type that a schema permits, whatever the policy."""
    if shape.values is not None:
        wanted = "number" if kind == "integer" else kind
        return alternation(*(_listed(v) for v in shape.values if v.kind == wanted))
    types = _kinds(shape)
    if kind in ("number", "integer"):
        if "number" in types and shape.step is None:
            return alternation(numbers.numbers(shape.interval), numbers.integers(shape.interval))
        whole = numbers.integers(shape.interval, 1 if shape.step is None else int(shape.step.number))
        return concat(whole, _NO_FRACTION) if "integer" in types else FAIL
    if kind not in types:
        return FAIL
    if kind == "string":
        return written.string(Strings.of_any(patterns_of(shape)).of(shape.least, shape.most))
    return literal("null") if kind == "null" else alternation(literal("true"), literal("false"))


def _listed(node: Node) -> Language:
    if node.kind != "number":
        return written.value(node)
    text = numbers.spelled(node.number)
    if text is None:
        return FAIL
    return concat(literal(text), _ZEROS if "." in text else _NO_FRACTION)
