"""A reader for regular expressions in four dialects: text in, automaton out, under a full match.

It knows what means the same with and without flags, in every engine of the dialect: literals, the dialect's own
escapes, positive classes, groups that capture nothing, alternation and greedy repetition.
"""

from __future__ import annotations

from dataclasses import dataclass

from langc.compiler.automata.dfa import Dfa
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.verify.readers.automaton import to_dfa
from langc.compiler.verify.readers.nodes import Chars, Choice, Node, Repeat, Row, chars
from langc.compiler.verify.readers.scanner import MAX_DEPTH, Scanner, bounds

_SYNTAX = "^$\\.*+?()[]{}|"


@dataclass(frozen=True)
class Dialect:
    """The escapes of a dialect: `digits` by letter, and the letter before a number in braces."""

    digits: dict[str, int]
    braced: str = ""
    quoted: str = _SYNTAX
    """What a backslash makes literal outside classes."""


DIALECTS = {
    "python": Dialect({"x": 2, "u": 4, "U": 8}),
    "rust": Dialect({"x": 2, "u": 4, "U": 8}, braced="xuU"),
    "pcre2": Dialect({"x": 2}, braced="x"),
    "ecmascript": Dialect({"x": 2, "u": 4}, braced="u", quoted=_SYNTAX + "/"),
}
_NEWLINE = IntervalSet.of("\n")


def read_regex(text: str, dialect: str) -> Dfa:
    """The automaton of the texts that match as a whole. Raises ReadError."""
    scanner = Scanner(text)
    node = _Reader(scanner, DIALECTS[dialect]).choice(0)
    if not scanner.done:
        raise scanner.error("a parenthesis too many")
    return to_dfa({"root": node})


class _Reader:
    def __init__(self, scanner: Scanner, dialect: Dialect) -> None:
        self.scanner = scanner
        self.dialect = dialect

    def choice(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.scanner.error("too many nested groups")
        parts = [self._row(depth)]
        while self.scanner.skip("|"):
            parts.append(self._row(depth))
        return Choice(tuple(parts))

    def _row(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.scanner.peek() not in ("|", ")", ""):
            atom = self._atom(depth)
            parts.append(Repeat(atom, *bounds(self.scanner)))
            if self.scanner.peek() in ("*", "+", "?", "{"):
                raise self.scanner.error("a repetition of a repetition, which means something else")
        return Row(tuple(parts))

    def _atom(self, depth: int) -> Node:
        if self.scanner.skip("(?:"):
            inner = self.choice(depth + 1)
            self.scanner.expect(")")
            return inner
        if self.scanner.skip("["):
            return self._class()
        if self.scanner.skip("."):
            return Chars(SCALARS - _NEWLINE)  # only in the header, where it is repeated no times
        if self.scanner.peek() in _SYNTAX.replace("\\", ""):
            raise self.scanner.error("an anchor, a group of another kind, or a sign that should be escaped")
        symbol = self._symbol(self.dialect.quoted)
        return chars([(symbol, symbol)], self.scanner.at)

    def _class(self) -> Node:
        ranges: list[tuple[int, int]] = []
        if self.scanner.peek() == "^":
            raise self.scanner.error("a negated class")
        while not self.scanner.skip("]"):
            low = self._member()
            ranges.append((low, self._member() if self.scanner.skip("-") else low))
        return chars(ranges, self.scanner.at)

    def _member(self) -> int:
        if self.scanner.peek() in ("[", "-", "^", "]"):
            raise self.scanner.error("a sign that some engines read as an operator")
        return self._symbol(self.dialect.quoted + "-")

    def _symbol(self, quoted: str) -> int:
        character = self.scanner.take()
        if not character.isprintable():
            raise self.scanner.error("a character that should be escaped")
        if character != "\\":
            return ord(character)
        letter = self.scanner.take()
        if letter in self.dialect.braced and self.scanner.peek() == "{":
            return self._braced()
        if letter in self.dialect.digits:
            return self.scanner.hexadecimal(self.dialect.digits[letter])
        if letter not in quoted:
            raise self.scanner.error(f"the dialect has no escape \\{letter}")
        return ord(letter)

    def _braced(self) -> int:
        number = self.scanner.match(r"\{[0-9A-Fa-f]{1,6}\}")
        if number is None:
            raise self.scanner.error("expected a hexadecimal number in braces")
        return int(number[1:-1], 16)
