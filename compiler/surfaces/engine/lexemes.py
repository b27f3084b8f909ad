"""Lexemes: what one may still be after some of its bytes, and where it must end.

Invariant: a `Lexeme` belongs to the set of terminals that are expected where it began. It goes on with a byte while one
of these terminals' munch takes it (longest match, as a lexer does), so that a text is cut into lexemes in one way only;
it is alive while a terminal can still be completed. `Lexeme`s are immutable and equal when they have the same future.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.json_schema.patterns import pattern_language

FOLD = bytes(byte + 32 if 0x41 <= byte <= 0x5A else byte for byte in range(256))
"""A-Z as a-z, for `bytes.translate`."""
ALL_BYTES = (1 << 256) - 1
"""Sets of bytes are bit sets: bit b for byte b."""


class Spellings(Protocol):
    """A finite set of lexemes, sorted, and the ranges of it that share a prefix."""

    @property
    def spellings(self) -> Sequence[bytes]:
        """All of them."""

    def narrow(self, low: int, high: int, depth: int, byte: int) -> tuple[int, int]:
        """The part of low..high whose byte at `depth` is this one."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A byte automaton of a pattern: `table[state][byte]` is the next state, `DEAD` is 0."""

    pattern: str
    table: tuple[tuple[int, ...], ...]
    accepting: frozenset[int]
    start: int

    def run(self, text: bytes) -> int:
        """The state behind a text."""
        state = self.start
        for byte in text:
            state = self.table[state][byte]
        return state

    def matches(self, text: bytes) -> bool:
        """Whether a whole text has this shape."""
        return self.run(text) in self.accepting

    @cached_property
    def first(self) -> int:
        """The bytes that a text begins with: bit b for byte b."""
        return sum(1 << byte for byte, target in enumerate(self.table[self.start]) if target != DEAD)

    @cached_property
    def last(self) -> frozenset[int]:
        """The accepting states that nothing leads on from."""
        return frozenset(state for state in self.accepting if not any(self.table[state]))


@lru_cache(maxsize=1024)
def shape(pattern: str) -> Shape:
    """The automaton of a pattern that a whole lexeme must match. Raises PatternError, LimitError."""
    dfa = lower_to_bytes(build_dfa(pattern_language(f"^(?:{pattern})$")))
    classes = [dfa.partition.class_of(byte) for byte in range(256)] if not dfa.is_empty else [0] * 256
    table = tuple(tuple(row[number] for number in classes) for row in dfa.table)
    return Shape(pattern, table, dfa.accepting, dfa.start)


def shape_of(texts: Iterable[bytes], fold_case: bool) -> Shape:
    """The automaton of some texts, folded ones in both cases."""
    table, ends = [[DEAD] * 256, [DEAD] * 256], set[int]()
    for text in texts:
        state = 1
        for byte in text:
            if table[state][byte] == DEAD:
                table.append([DEAD] * 256)
                for case in {byte, *(bytes((byte,)).upper() if fold_case else b"")}:
                    table[state][case] = len(table) - 1
            state = table[state][byte]
        ends.add(state)
    return Shape("", tuple(map(tuple, table)), frozenset(ends), 1)


@dataclass(frozen=True, eq=False)
class Listed:
    """Literals as `Spellings`."""

    spellings: tuple[bytes, ...]

    def narrow(self, low: int, high: int, depth: int, byte: int) -> tuple[int, int]:
        """See `Spellings`."""
        if low == high:
            return low, low
        lead = self.spellings[low][:depth]
        start = bisect_left(self.spellings, lead + bytes((byte,)), low, high)
        return start, high if byte == 0xFF else bisect_left(self.spellings, lead + bytes((byte + 1,)), start, high)


@dataclass(frozen=True)
class Expected:
    """The terminals of a place, as far as lexemes go; compared by what they are."""

    listed: tuple[Spellings, ...]
    """Literals and the names of slots."""
    shapes: frozenset[Shape]
    """Tokens and open slots."""
    munched: frozenset[Shape]
    """Up to where a lexeme goes on, besides the spellings themselves."""
    kept: frozenset[Shape]
    """Those of the shapes whose text somebody asks for; that of a spelling is kept too."""
    fold_case: bool

    @cached_property
    def start(self) -> Lexeme:
        """The lexeme before its first byte."""
        return Lexeme(
            tuple((names, 0, len(names.spellings)) for names in self.listed if names.spellings),
            frozenset((shape, shape.start) for shape in self.shapes),
            frozenset((shape, shape.start) for shape in self.munched),
            0,
            b"",
            self.kept,
            self.fold_case,
        )

    def begun(self, byte: int) -> Lexeme | None:
        """The lexeme behind its first byte, as `start.step` has it."""
        if byte not in self._begun:
            self._begun[byte] = self.start.step(byte)
        return self._begun[byte]

    @cached_property
    def _begun(self) -> dict[int, Lexeme | None]:
        return {}


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A lexeme after `depth` bytes."""

    listed: tuple[tuple[Spellings, int, int], ...]
    shapes: frozenset[tuple[Shape, int]]
    munched: frozenset[tuple[Shape, int]]
    depth: int
    """0 behind the first byte where no spelling is alive: it then says nothing about the future."""
    text: bytes
    kept: frozenset[Shape]
    fold_case: bool

    @property
    def begun(self) -> bool:
        """Whether it has a byte."""
        return self.depth > 0

    def step(self, byte: int) -> Lexeme | None:
        """The lexeme with one more byte, or None where no terminal's munch takes it."""
        listed = []
        if self.listed:
            folded = FOLD[byte] if self.fold_case else byte
            for names, low, high in self.listed:
                low, high = names.narrow(low, high, self.depth, folded)
                if low < high:
                    listed.append((names, low, high))
        shapes = _moved(self.shapes, byte)
        munched = shapes if self.munched == self.shapes else _moved(self.munched, byte)
        if not listed and not shapes and not munched:
            return None
        depth = self.depth + 1 if listed else 1
        keeps = listed or (self.kept and not self.kept.isdisjoint([shape for shape, _ in shapes]))
        text = self.text + bytes((byte,)) if keeps else b""
        return Lexeme(tuple(listed), shapes, munched, depth, text, self.kept, self.fold_case)

    def spelled_on(self) -> frozenset[int]:
        """The bytes, folded and in both cases, that a spelling goes on with."""
        found = set[int]()
        for names, low, high in self.listed:
            while low < high:  # one spelling of each byte
                if len(names.spellings[low]) > self.depth:
                    byte = names.spellings[low][self.depth]
                    found.add(byte)
                    low = names.narrow(low, high, self.depth, byte)[1]
                else:
                    low += 1
        return frozenset(found | {byte - 32 for byte in found if 0x61 <= byte <= 0x7A} if self.fold_case else found)

    @property
    def alive(self) -> bool:
        """Whether a terminal can still be completed."""
        return bool(self.listed or self.shapes)

    @property
    def is_over(self) -> bool:
        """Whether it is complete and can only end, as far as shapes go: no byte belongs to it any more."""
        return not self.listed and bool(self.shapes) and all(state in shape.last for shape, state in self.shapes)

    @property
    def spelled(self) -> list[Spellings]:
        """The finite sets that this lexeme, as it stands, is in."""
        return [names for names, low, _ in self.listed if len(names.spellings[low]) == self.depth]

    @property
    def shaped(self) -> list[Shape]:
        """The shapes that this lexeme, as it stands, has."""
        return [shape for shape, state in self.shapes if state in shape.accepting]


def _moved(states: Iterable[tuple[Shape, int]], byte: int) -> frozenset[tuple[Shape, int]]:
    return frozenset([(shape, to) for shape, state in states if (to := shape.table[state][byte]) != DEAD])
