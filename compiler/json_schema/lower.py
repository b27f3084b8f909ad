"""From a schema to the language of its JSON texts.

Objects have their properties in the order of the schema. One blank may stand behind each comma and each colon, and
white space nowhere else: where it has no end, a model can write nothing else.

Invariant: no part of the language is empty; a schema that no value fits, or none that the policy permits, is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import (
    ANY_TEXT,
    EMPTY,
    Language,
    Member,
    alternation,
    complement,
    concat,
    intersection,
    joined,
    literal,
    repetition,
)
from langc.compiler.json_schema import numbers, written
from langc.compiler.json_schema.distinct import Distinct
from langc.compiler.json_schema.expand import Expander
from langc.compiler.json_schema.shape import Item, Items, NothingFits, Shape, check_bounds
from langc.compiler.json_schema.size import Size
from langc.compiler.json_schema.strings import Strings, is_empty, wanted_of
from langc.compiler.json_schema.values import Node, fault
from langc.compiler.json_schema.written import COLON, COMMA
from langc.compiler.limits import MAX_DFA_STATES, MAX_SCHEMA_DEPTH, MAX_SCHEMA_SIZE, over_limit

_FEW = 16
"""Up to so many alternatives are compared one by one."""
_SMALLER = "lower `maxLength` and `maxItems`, and the numbers in patterns"


def lower_schema(root: Node, strings: Strings) -> Language:
    """The JSON texts that are valid against a schema and whose strings are permitted.

    Raises:
        PolicyError: the schema says something that langc cannot read or carry exactly, or no value fits.
        LimitError: the schema is too deep or too large when it is written out.
    """
    return _Lowering(root, strings).value((Item(root),), 0)


class _Lowering:
    def __init__(self, root: Node, strings: Strings) -> None:
        self.strings = strings
        self.expander = Expander(root)
        self.distinct = Distinct(self.expander)
        self.size = Size()
        self._done: dict[tuple[str, ...], Language | NothingFits] = {}
        self._strings: dict[tuple[int, int | None, tuple[Language, ...]], Language] = {}

    def value(self, items: Items, depth: int) -> Language:
        """The texts of the values that obey all of the schemas."""
        # By their places alone: where a reference leads back, it does so from everywhere.
        known = tuple(item.node.pointer for item in items)
        if known not in self._done:
            if depth > MAX_SCHEMA_DEPTH:
                label = items[0].node.label
                raise LimitError(over_limit("lists and objects inside one another in JSON", MAX_SCHEMA_DEPTH, label))
            try:
                self._done[known] = self._measured(self._value(items, depth), items[0].node)
            except NothingFits as error:
                self._done[known] = error
        found = self._done[known]
        if isinstance(found, NothingFits):
            raise found
        return found

    def _measured(self, language: Language, node: Node) -> Language:
        if self.size.of(language) > MAX_SCHEMA_SIZE:
            raise LimitError(over_limit("parts of a schema, written out", MAX_SCHEMA_SIZE, node.label, help=_SMALLER))
        return language

    def _value(self, items: Items, depth: int) -> Language:
        """Of several shapes those that have a value are enough."""
        found: list[Language] = []
        nothing: list[NothingFits] = []
        for shape in self.expander.shapes(items):
            try:
                found.append(self._shape(shape, depth))
            except NothingFits as error:
                nothing.append(error)
        if not found:
            raise nothing[0]
        return _one_reading(found)

    def _shape(self, shape: Shape, depth: int) -> Language:
        if shape.says_nothing:
            help_ = 'give it a `type`; further properties can be left out, or be {"type": "string"}'
            raise fault("LC0370", "this schema says nothing of the value, which could be any", shape.place, help=help_)
        check_bounds(shape)
        if shape.values is not None:
            return self._listed(shape)
        found: list[Language] = []
        nothing: list[NothingFits] = []
        for kind in sorted(shape.kinds - ({"integer"} if "number" in shape.kinds else set())):
            try:
                language = self._kinds[kind](self, shape, depth)
                found.append(self.distinct.only(shape, kind, language))
            except NothingFits as error:
                nothing.append(error)
        if not found:
            raise nothing[0] if nothing else _nothing(shape, "its schemas name no type together")
        return alternation(*found)

    # --- each type ----------------------------------------------------------------------------------------------------

    def _null(self, shape: Shape, depth: int) -> Language:
        return literal("null")

    def _boolean(self, shape: Shape, depth: int) -> Language:
        return alternation(literal("true"), literal("false"))

    def _integer(self, shape: Shape, depth: int) -> Language:
        return _some(numbers.integers(shape.interval, _step(shape)), shape, "its bounds leave no number")

    def _number(self, shape: Shape, depth: int) -> Language:
        if shape.step is not None:
            return self._integer(shape, depth)
        return _some(numbers.numbers(shape.interval), shape, "its bounds leave no number")

    def _string(self, shape: Shape, depth: int) -> Language:
        self._check_length(shape)
        known = (shape.least, shape.most, tuple(wanted_of(shape)))
        if known not in self._strings:  # one object, so that its automaton is made once
            self._strings[known] = self._measured(written.string(self.strings.of(*known)), shape.place)
        return _some(self._strings[known], shape, "the policy permits no such string")

    def _check_length(self, shape: Shape) -> None:
        """Before an automaton is begun that has a state for each of them."""
        if max(shape.least, shape.most or 0) > MAX_DFA_STATES:
            raise LimitError(
                over_limit("characters of a bounded string", MAX_DFA_STATES, shape.place.label, help=_SMALLER)
            )

    def _array(self, shape: Shape, depth: int) -> Language:
        """All items of the prefix are written, as far as `maxItems` goes."""
        most = shape.most_items
        prefix = shape.prefix[:most]
        if most is not None and most < shape.least_items:
            raise _nothing(shape, "its numbers of items leave no list")
        self._check_items(shape)
        first = concat(*(self._separated(self.value(p, depth + 1), n) for n, p in enumerate(prefix)))
        least, left = max(shape.least_items - len(prefix), 0), None if most is None else most - len(prefix)
        if shape.rest is None or left == 0:
            if least:
                raise _nothing(shape, "it wants more items than it says anything of")
            return written.array(first)
        item = self.value(shape.rest, depth + 1)
        if prefix:
            return written.array(concat(first, repetition(concat(COMMA, item), least, left)))
        if least <= 1 and left is None:
            return written.array(joined([Member(item, bool(least), True)], COMMA))
        several = concat(item, repetition(concat(COMMA, item), max(least - 1, 0), None if left is None else left - 1))
        return written.array(several if least else alternation(several, EMPTY))

    def _check_items(self, shape: Shape) -> None:
        if max(shape.least_items, shape.most_items or 0) > MAX_SCHEMA_SIZE:
            raise LimitError(over_limit("items of a bounded list", MAX_SCHEMA_SIZE, shape.place.label, help=_SMALLER))

    @staticmethod
    def _separated(item: Language, number: int) -> Language:
        return concat(COMMA, item) if number else item

    def _object(self, shape: Shape, depth: int) -> Language:
        members = [m for name in shape.properties for m in self._member(shape, name, depth)]
        for name, node in shape.required.items():
            if name not in shape.properties:
                members += self._unnamed(shape, name, node, depth)
        if shape.others is not None:
            members.append(self._further(shape, depth))
        return written.object_(members)

    def _member(self, shape: Shape, name: str, depth: int) -> list[Member]:
        schemas = shape.properties[name]
        if name in shape.forbidden or any(i.node.scalar_or_none is False for i in schemas):
            if name in shape.required:
                raise NothingFits(
                    fault("LC0366", f"property `{name}` is required and forbidden", shape.required[name]).diagnostics
                )
            return []
        return [Member(written.named(name, self.value(schemas, depth + 1)), name in shape.required)]

    def _unnamed(self, shape: Shape, name: str, node: Node, depth: int) -> list[Member]:
        """A property that is required and has no schema of its own."""
        if shape.others is None:
            help_ = "give it a schema in `properties`"
            raise fault("LC0366", f"property `{name}` is required, and nothing says what it holds", node, help=help_)
        return [Member(written.named(name, self.value(shape.others, depth + 1)))]

    def _further(self, shape: Shape, depth: int) -> Member:
        """Any number of other properties, with names that the policy permits."""
        assert shape.others is not None
        named = alternation(*(literal(name) for name in {*shape.properties, *shape.required}))
        names = intersection(self.strings.permitted, complement(named))
        return Member(concat(written.string(names), COLON, self.value(shape.others, depth + 1)), False, True)

    _kinds: ClassVar[dict[str, Callable[[_Lowering, Shape, int], Language]]] = {
        "null": _null,
        "boolean": _boolean,
        "integer": _integer,
        "number": _number,
        "string": _string,
        "array": _array,
        "object": _object,
    }

    # --- listed values ------------------------------------------------------------------------------------------------

    def _listed(self, shape: Shape) -> Language:
        """The values of `enum` and `const` that obey the rest of the shape and the policy."""
        assert shape.values is not None
        wanted = Strings.of_any(wanted_of(shape))
        fitting = [node for node in shape.values if _fits(node, shape, wanted)]
        if not fitting:
            raise _nothing(shape, "none of its listed values obeys the rest of the schema")
        permitted = [node for node in fitting if all(map(self.strings.permits, written.strings_in(node)))]
        if not permitted:
            raise self._denied(fitting)
        by_kind: dict[str, list[Language]] = {}
        for node in permitted:
            by_kind.setdefault(node.kind, []).append(written.value(node))
        return alternation(*(self.distinct.only(shape, kind, alternation(*ws)) for kind, ws in by_kind.items()))

    def _denied(self, fitting: list[Node]) -> NothingFits:
        """No listed value is left: the first, and the rule that refuses it."""
        node = fitting[0]
        refused = next(s for s in written.strings_in(node) if not self.strings.permits(s))
        rule = self.strings.rule_against(refused)
        return NothingFits(
            Diagnostic(
                "LC0366",
                f"the policy permits none of the listed values (at {node.pointer})",
                node.label,
                (Label(rule.source, rule.span, "this rule refuses it"),) if rule else (),
                help="list a value that the policy permits, or give back what it holds with `allow`",
            )
        )


def _fits(node: Node, shape: Shape, wanted: Strings) -> bool:
    """Whether a listed value obeys the rest of the shape, but for the policy."""
    if node.kind == "number":
        number, is_whole = node.number, node.number == node.number.to_integral_value()
        kind = "integer" if is_whole else "number"
        step = _step(shape)
        return (
            kind in shape.kinds and number in shape.interval and (step == 1 or (is_whole and int(number) % step == 0))
        )
    if node.kind not in shape.kinds:
        return False
    if node.kind == "string":
        is_long_enough = shape.least <= len(node.text)
        return is_long_enough and (shape.most is None or len(node.text) <= shape.most) and wanted.permits(node.text)
    if node.kind in shape.about:
        help_ = "leave the other keywords out: the list says it all"
        raise fault("LC0362", f"an {node.kind} in a list of values beside other keywords", node, help=help_)
    return True


def _one_reading(languages: list[Language]) -> Language:
    """Any of them. If some share a text, by way of an automaton, so that an expression reads it in one way only."""
    distinct = list(dict.fromkeys(languages))
    whole = alternation(*distinct)
    pairs = (intersection(a, b) for n, a in enumerate(distinct) for b in distinct[:n])
    are_few = len(distinct) <= _FEW
    return whole if are_few and all(map(is_empty, pairs)) else intersection(whole, ANY_TEXT)


def _nothing(shape: Shape, why: str) -> NothingFits:
    help_ = "widen its keywords, or leave it out; among the schemas of `anyOf` it is enough if one has a value"
    return NothingFits(fault("LC0366", f"no value fits: {why}", shape.place, help=help_).diagnostics)


def _some(language: Language, shape: Shape, why: str) -> Language:
    """The language if it is not empty."""
    if is_empty(language):
        raise _nothing(shape, why)
    return language


def _step(shape: Shape) -> int:
    return 1 if shape.step is None else int(shape.step.number)
