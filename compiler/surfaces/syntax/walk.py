"""Walking the elements of rules. Depth is bounded by the parser, so everything here may recurse."""

from __future__ import annotations

from collections.abc import Iterator

from langc.compiler.source import Span
from langc.compiler.surfaces.model import Call, Choice, Element, Repeat, Sequence, Within


def parts(element: Element) -> tuple[Element, ...]:
    """The elements that an element is made of."""
    match element:
        case Sequence(parts):
            return parts
        case Choice(choices):
            return choices
        case Repeat(part):
            return (part,)
        case Within(_, body):
            return (body,)
    return ()


def walk(element: Element) -> Iterator[Element]:
    """An element and all that are in it, in the order of the text."""
    stack = [element]
    while stack:
        found = stack.pop()
        yield found
        stack += reversed(parts(found))


def calls(element: Element) -> Iterator[Call]:
    """The rules that an element calls."""
    return (found for found in walk(element) if isinstance(found, Call))


def place(element: Element) -> Span | None:
    """The place of the first part of an element that has one."""
    return next((e.span for e in walk(element) if not isinstance(e, Sequence | Choice | Repeat)), None)
