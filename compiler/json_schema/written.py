"""JSON texts as they are written here: one blank at most behind each comma and colon, and one text for each string."""

from __future__ import annotations

from collections.abc import Iterable

from langc.compiler.ir.json_text import QUOTE, quoted
from langc.compiler.ir.language import Language, Member, concat, joined, json_string, literal, repetition
from langc.compiler.json_schema import numbers
from langc.compiler.json_schema.values import Node, fault

_BLANK = repetition(literal(" "), 0, 1)
COMMA = concat(literal(","), _BLANK)
COLON = concat(literal(":"), _BLANK)


def string(values: Language) -> Language:
    """Whole strings with these values."""
    return concat(QUOTE, json_string(values), QUOTE)


def array(items: Language) -> Language:
    """A list of what is written between its brackets."""
    return concat(literal("["), items, literal("]"))


def object_(members: Iterable[Member]) -> Language:
    """An object of these properties."""
    return concat(literal("{"), joined(members, COMMA), literal("}"))


def named(name: str, value: Language) -> Language:
    """A property."""
    return concat(quoted(name), COLON, value)


def value(node: Node) -> Language:
    """A value of the schema itself. Raises PolicyError for a number that is too long (LC0362)."""
    match node.kind:
        case "string":
            return quoted(node.text)
        case "number":
            return literal(_number(node))
        case "array":
            return array(joined([Member(value(n)) for n in node.items], COMMA))
        case "object":
            return object_(Member(named(name, value(n))) for name, n in node.members.items())
        case _:
            return literal(node.word)


def _number(node: Node) -> str:
    text = numbers.spelled(node.number)
    if text is None:
        help_ = "numbers are written without exponent: whole ones with 18 digits at most, others with 15"
        raise fault("LC0362", "a number with too many digits to be written", node, help=help_)
    return text


def strings_in(node: Node) -> list[str]:
    """The strings of a value; the names of properties are the schema's own."""
    if node.kind == "string":
        return [node.text]
    below = node.items if node.kind == "array" else tuple(node.members.values()) if node.kind == "object" else ()
    return [s for part in below for s in strings_in(part)]
