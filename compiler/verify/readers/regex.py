"""A reader for regular expressions in several dialects: text in, automaton out, under a full match.

It knows what means the same in every engine of the dialect, under a full match and without flags but the one for
Unicode: literals, the dialect's own escapes, classes and negated classes, `.`, groups, alternation and greedy
repetition. A class is one of scalar values, as it is on well-formed text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from langc.compiler.automata.dfa import Dfa
from langc.compiler.unicode.intervals import IntervalSet
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
    line_ends: str = "\n"
    """What `.` does not match."""
    ends_in_dollar: bool = False
    """Whether an alternative may end in `$`, which says nothing more under a full match."""
    dot_all: bool = False
    """Whether a group `(?s:…)` is known, in which `.` matches line ends too."""


_RUST = Dialect({"x": 2, "u": 4, "U": 8}, braced="xuU")
DIALECTS = {
    "python": Dialect({"x": 2, "u": 4, "U": 8}),
    "rust": _RUST,
    "pcre2": Dialect({"x": 2}, braced="x"),
    "ecmascript": Dialect({"x": 2, "u": 4}, braced="u", quoted=_SYNTAX + "/", line_ends="\n\r\u2028\u2029"),
}
OUTLINES = replace(_RUST, ends_in_dollar=True)
"""What outlines-core reads: the crate's expressions, each of which may end in `$`."""
LARK = replace(_RUST, quoted=_SYNTAX + "/", dot_all=True)
"""What stands between slashes in llguidance's Lark."""
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
"""Those that all dialects have."""


def read_regex(text: str, dialect: str | Dialect) -> Dfa:
    """The automaton of the texts that match as a whole. Raises ReadError."""
    return to_dfa({"root": read_expression(text, DIALECTS[dialect] if isinstance(dialect, str) else dialect)})


def read_expression(text: str, dialect: Dialect) -> Node:
    """What an expression says. Raises ReadError."""
    scanner = Scanner(text)
    node = _Reader(scanner, dialect).choice(0)
    if not scanner.done:
        raise scanner.error("a parenthesis too many")
    return node


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
        while self.scanner.peek() not in ("|", ")", "") and not self._end(depth):
            parts.append(self._repeated(self._atom(depth)))
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def _end(self, depth: int) -> bool:
        """Pass over the anchor at the end of an alternative, where the dialect has one."""
        return self.dialect.ends_in_dollar and not depth and self.scanner.match(r"\$(?=\||\Z)") is not None

    def _repeated(self, atom: Node) -> Node:
        least, most = bounds(self.scanner)
        if self.scanner.peek() in ("*", "+", "?", "{"):
            raise self.scanner.error("a repetition of a repetition, which means something else")
        return atom if (least, most) == (1, 1) else Repeat(atom, least, most)

    def _atom(self, depth: int) -> Node:
        self.scanner.count()
        if self.scanner.skip("(?:") or self.scanner.match(r"\((?!\?)"):
            inner = self.choice(depth + 1)
            self.scanner.expect(")")
            return inner
        if self.dialect.dot_all and self.scanner.skip("(?s:"):
            inner = _Reader(self.scanner, replace(self.dialect, line_ends="")).choice(depth + 1)
            self.scanner.expect(")")
            return inner
        if self.scanner.skip("["):
            return self._class()
        if self.scanner.skip("."):
            return Chars(IntervalSet.of(self.dialect.line_ends).complement())
        if self.scanner.peek() in _SYNTAX.replace("\\", ""):
            raise self.scanner.error("an anchor, a group of another kind, or a sign that should be escaped")
        at = self.scanner.at
        symbol = self._symbol(self.dialect.quoted)
        return chars([(symbol, symbol)], at)

    def _class(self) -> Node:
        at = self.scanner.at
        negated = self.scanner.skip("^")
        ranges: list[tuple[int, int]] = []
        while not self.scanner.skip("]"):
            low = self._member()
            ranges.append((low, self._member() if self.scanner.skip("-") else low))
        return chars(ranges, at, negated)

    def _member(self) -> int:
        if self.scanner.peek() in ("[", "-", "^", "]"):
            raise self.scanner.error("a sign that some engines read as an operator")
        if self.scanner.match(r"(?=&&|~~|\|\|)") is not None:
            raise self.scanner.error("a sign twice, which some engines read as an operator")
        return self._symbol(self.dialect.quoted + "-")

    def _symbol(self, quoted: str) -> int:
        character = self.scanner.take()
        if not character.isprintable():
            raise self.scanner.behind("a character that should be escaped: an expression matches its own line ends too")
        if character != "\\":
            return ord(character)
        letter = self.scanner.take()
        if letter in self.dialect.braced and self.scanner.peek() == "{":
            return self._braced()
        if letter in self.dialect.digits:
            return self.scanner.hexadecimal(self.dialect.digits[letter])
        if letter in _ESCAPES:
            return ord(_ESCAPES[letter])
        if letter not in quoted:
            raise self.scanner.behind(f"the dialect has no escape \\{letter}")
        return ord(letter)

    def _braced(self) -> int:
        number = self.scanner.match(r"\{[0-9A-Fa-f]{1,6}\}")
        if number is None:
            raise self.scanner.error("expected a hexadecimal number in braces")
        return int(number[1:-1], 16)
