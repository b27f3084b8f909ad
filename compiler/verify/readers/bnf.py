"""Readers for the grammars of llama.cpp (GBNF) and of xgrammar (EBNF): text in, automaton out.

They know the part of each format that means the same in every version known: one rule a line, quoted texts, positive
classes, groups, `|`, repetition, `#` comments, `""` for the empty text, and the escapes that the engine has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from langc.compiler.automata.dfa import Dfa
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.verify.readers.automaton import to_dfa
from langc.compiler.verify.readers.nodes import Chars, Choice, Node, ReadError, Reference, Repeat, Row, chars
from langc.compiler.verify.readers.scanner import MAX_DEPTH, Scanner, bounds

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "[": "[", "]": "]"}


@dataclass(frozen=True)
class Dialect:
    """What tells the two formats apart."""

    name: str
    """Of rules, as a regular expression."""
    most: int | None
    """The largest upper bound of a repetition that is not taken for infinity."""
    digits: Mapping[str, int]
    """The escapes with a fixed number of hexadecimal digits."""


GBNF = Dialect("[A-Za-z][A-Za-z0-9-]*", 2000, {"x": 2, "u": 4, "U": 8})
XGRAMMAR = Dialect("[A-Za-z_][A-Za-z0-9_]*", None, {"u": 4, "U": 8})


def read_grammar(text: str, dialect: Dialect) -> Dfa:
    """The automaton of rule `root`. Raises ReadError."""
    return to_dfa(read_rules(text, dialect))


def read_rules(text: str, dialect: Dialect) -> dict[str, Node]:
    """The rules by name. Raises ReadError; also for a second rule of one name, which engines take for the only one."""
    scanner, rules = Scanner(text), dict[str, Node]()
    while not scanner.done:
        if scanner.match(r"(#[^\n]*)?\n"):
            continue
        name = scanner.match(dialect.name)
        if name is None or name in rules:
            raise scanner.error("expected the name of a new rule")
        _blank(scanner)
        scanner.expect("::=")
        rules[name] = _Reader(scanner, dialect).choice(0)
        scanner.expect("\n")
    return rules


def _blank(scanner: Scanner) -> None:
    scanner.match(" *")


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
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _row(self, depth: int) -> Node:
        parts: list[Node] = []
        _blank(self.scanner)
        while self.scanner.peek() not in ("|", ")", "\n", ""):
            parts.append(self._item(depth))
            _blank(self.scanner)
        if not parts:
            raise self.scanner.error("an empty alternative without quotes")
        return Row(tuple(parts))

    def _item(self, depth: int) -> Node:
        atom = self._atom(depth)
        least, most = bounds(self.scanner)
        if self.dialect.most is not None and (most or least) > self.dialect.most:
            raise self.scanner.error("a repetition that the engine takes for endless")
        return atom if (least, most) == (1, 1) else Repeat(atom, least, most)

    def _atom(self, depth: int) -> Node:
        if self.scanner.skip('"'):
            return self._literal()
        if self.scanner.skip("["):
            return self._class()
        if self.scanner.skip("("):
            inner = self.choice(depth + 1)
            self.scanner.expect(")")
            return inner
        name = self.scanner.match(self.dialect.name)
        if name is None:
            raise self.scanner.error("expected a text, a class, a group or a name")
        return Reference(name)

    def _literal(self) -> Node:
        parts: list[Node] = []
        while not self.scanner.skip('"'):
            symbol = self._symbol()
            parts.append(Chars(IntervalSet(((symbol, symbol),))))
        return Row(tuple(parts))

    def _class(self) -> Node:
        if self.scanner.peek() == "^":
            raise self.scanner.error("a negated class")
        ranges: list[tuple[int, int]] = []
        while not self.scanner.skip("]"):
            low = self._symbol()
            hyphen = self.scanner.skip("-")
            if hyphen and self.scanner.peek() == "]":
                raise self.scanner.error("a hyphen at the end of a class")
            ranges.append((low, self._symbol() if hyphen else low))
        return chars(ranges, self.scanner.at)

    def _symbol(self) -> int:
        character = self.scanner.take()
        if character < " " or character == "\x7f":
            raise self.scanner.error("a control character")
        if character != "\\":
            return ord(character)
        letter = self.scanner.take()
        if letter in self.dialect.digits:
            return self._number(self.scanner.hexadecimal(self.dialect.digits[letter]))
        if letter not in _ESCAPES:
            raise self.scanner.error(f"the engine has no escape \\{letter}")
        return ord(_ESCAPES[letter])

    def _number(self, symbol: int) -> int:
        if symbol > 0x10FFFF or 0xD800 <= symbol <= 0xDFFF:
            raise ReadError(f"{symbol:X} is no scalar value", self.scanner.at)
        return symbol
