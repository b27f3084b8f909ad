"""Faults in what all text formats share, so that each emitter has them seeded in its own way of using it."""

from __future__ import annotations

from langc.targets._notation import Notation
from tests.mutation.mutations import Function, Seed, instead

LETTERS = "only [a-c];"
TERM = 'only [a-c]; allow "xy";'
OVERLAP = 'only [a-c]; allow "xy", "yz";'
"""Terms that may overlap: `xyz` is permitted."""
BORDER = r"only [a-\u{7FF}];"
"""Up to the last character of two bytes."""
BELOW_SURROGATES = r"only [a-\u{D7FF}];"
SIGNS = r"only [+\-0];"
"""A hyphen between two signs with something between them."""
CARET = r"only [\^a];"
"""A caret at the beginning of the class."""


def range_moved(low: int, high: int) -> Seed:
    """The bounds of every range of a class moved."""
    return instead(Notation, "_range", lambda right: lambda self, a, b: right(self, min(a + low, b), b + high))


def unescaped(character: str) -> Seed:
    """A character without its backslash, in literals and classes."""

    def make(right: Function) -> Function:
        return lambda self, c, specials: c if c == character else right(self, c, specials)

    return instead(Notation, "_written", make)
