"""What a text format says, before anything is known about automata: characters, rows, choices, repetitions, references.

Invariant: characters are scalar values and never none at all. A reader refuses a class that holds a surrogate or is
empty, because engines take each of those in a way of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from langc.compiler.unicode.intervals import SURROGATES, IntervalSet


class ReadError(ValueError):
    """The text is not of the format, or uses a part of it whose meaning engines disagree on."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(f"{message} (at offset {offset})")
        self.message = message
        self.offset = offset


class DataError(ReadError):
    """The values of a file are not those of the format. There is no place in its text to point at."""

    def __init__(self, message: str) -> None:
        super().__init__(message, 0)


@dataclass(frozen=True)
class Chars:
    """One character of a set."""

    members: IntervalSet
    negated: bool = field(default=False, compare=False)
    """Whether the text says what is not in it."""


@dataclass(frozen=True)
class Row:
    """One after the other; an empty row is the empty text."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """Any of the parts."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """`least` to `most` times; `most` None is without bound."""

    part: Node
    least: int
    most: int | None


@dataclass(frozen=True)
class Reference:
    """What the rule of that name says."""

    name: str
    at: int = field(default=0, compare=False)
    """Where it stands in the text."""


@dataclass(frozen=True)
class Both:
    """A text of every part. Only terminals (`terminals.py`) have these and complements."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Not:
    """Any well-formed text that the part does not have."""

    part: Node


@dataclass(frozen=True)
class AnyBytes:
    """Any row of bytes: any text, where it stands in a complement and no `Both` or `Not` lies between."""

    at: int = field(default=0, compare=False)


Node: TypeAlias = Chars | Row | Choice | Repeat | Reference | Both | Not | AnyBytes


def chars(ranges: list[tuple[int, int]], offset: int, negated: bool = False) -> Chars:
    """The characters of a class at `offset`, or all others. Raises ReadError if there are none, or surrogates.

    A negated class may exclude surrogates: no well-formed text has them.
    """
    for low, high in ranges:
        if low > high:
            raise ReadError(f"a range {low:X}..{high:X} that ends before it starts", offset)
    members = IntervalSet(tuple(ranges))
    if not members:
        raise ReadError("an empty class", offset)
    if members.ranges[-1][1] > 0x10FFFF or not (negated or members.isdisjoint(SURROGATES)):
        raise ReadError("a class with numbers that are no scalar values", offset)
    chosen = members.complement() if negated else members
    if not chosen:
        raise ReadError("a class that holds nothing", offset)
    return Chars(chosen, negated)
