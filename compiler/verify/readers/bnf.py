"""Readers for the grammars of llama.cpp (GBNF) and of xgrammar (EBNF): text in, automaton out.

They follow what each engine's own documentation says and what its parser does: rules in any order, `root` first of all,
quoted texts, classes and negated classes, groups, `|`, repetition, `#` comments, `""` for the empty text, and the
escapes that the engine has. llama.cpp ends a rule at a line end outside parentheses, unless `|` or `::=` stands before
it; xgrammar ends it where the next name with `::=` begins a line.

A class is read as one of scalar values. On well-formed text a negated one is that in both engines; of malformed text
it lets some through, and llama.cpp refuses the first halves of some characters under it: `is_negated_anywhere`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from langc.compiler.automata.dfa import Dfa
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.verify.readers.automaton import Rules, to_dfa
from langc.compiler.verify.readers.nodes import Chars, Choice, Node, ReadError, Reference, Repeat, Row, chars
from langc.compiler.verify.readers.scanner import MAX_DEPTH, Scanner, bounds

_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_BLANKS = r"(?:[ \t]|#[^\r\n]*+)*+"
_BLANKS_AND_LINES = r"(?:[ \t\r\n]|#[^\r\n]*+)*+"


@dataclass(frozen=True)
class Dialect:
    """What tells the two formats apart."""

    name: str
    """Of rules, as a regular expression."""
    most: int | None
    """The largest upper bound of a repetition that is not taken for infinity."""
    digits: Mapping[str, int]
    """The escapes with a fixed number of hexadecimal digits."""
    in_literal: Mapping[str, str]
    """The other escapes in quotes."""
    in_class: Mapping[str, str]
    """The other escapes in classes."""
    has_any: bool
    """Whether `.` is any character."""
    has_empty: bool
    """Whether an alternative may have nothing in it."""
    lines_end_rules: bool
    """Whether a rule ends at a line end."""


GBNF = Dialect(
    "[A-Za-z0-9-]+",
    2000,
    {"x": 2, "u": 4, "U": 8},
    in_literal=(_ALL := _CONTROLS | {c: c for c in '\\"[]'}),
    in_class=_ALL,
    has_any=True,
    has_empty=True,
    lines_end_rules=True,
)
XGRAMMAR = Dialect(
    "[A-Za-z_][A-Za-z0-9_]*",
    None,
    {"u": 4, "U": 8},
    in_literal=_CONTROLS | {c: c for c in '\\"'},
    in_class=_CONTROLS | {c: c for c in "\\[]-"},
    has_any=False,
    has_empty=False,
    lines_end_rules=False,
)


def read_grammar(text: str, dialect: Dialect) -> Dfa:
    """The automaton of rule `root`. Raises ReadError."""
    return to_dfa(read_rules(text, dialect))


def read_rules(text: str, dialect: Dialect) -> dict[str, Node]:
    """The rules by name. Raises ReadError; also for a second rule of one name, which engines take for the only one."""
    return _Reader(text, dialect).rules()


def is_negated_anywhere(rules: Rules) -> bool:
    """Whether a class is negated: so malformed text may pass, or half a character be refused."""
    return any(isinstance(node, Chars) and node.negated for rule in rules.values() for node in _nodes(rule))


def _nodes(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Row | Choice):
            stack.extend(node.parts)
        elif isinstance(node, Repeat):
            stack.append(node.part)


@dataclass
class _Reader:
    text: str
    dialect: Dialect
    scanner: Scanner = field(init=False)

    def __post_init__(self) -> None:
        self.scanner = Scanner(self.text)

    def rules(self) -> dict[str, Node]:
        if "\0" in self.text:
            raise ReadError("a zero byte, where an engine may take the text to end", self.text.index("\0"))
        found: dict[str, Node] = {}
        self.blank(lines=True)
        while not self.scanner.done:
            self._rule(found)
            self.blank(lines=True)
        missing = [n for rule in found.values() for n in _nodes(rule) if isinstance(n, Reference)]
        for reference in missing:
            if reference.name not in found:
                raise ReadError(f"there is no rule {reference.name}", reference.at)
        return found

    def _rule(self, found: dict[str, Node]) -> None:
        at = self.scanner.at
        name = self._name()
        if name is None:
            raise ReadError("expected the name of a rule", at)
        if name in found:
            raise ReadError(f"a second rule {name}", at)
        self.blank(lines=False)
        self.scanner.expect("::=")
        self.blank(lines=True)
        found[name] = self.choice(0)
        if not self.scanner.done and not self._at_rule() and self.scanner.match(r"\r?\n|\r") is None:
            raise self.scanner.error("expected the end of the rule")

    def blank(self, lines: bool) -> None:
        """Pass over blanks and comments, and over line ends where they say nothing."""
        self.scanner.match(_BLANKS_AND_LINES if lines or not self.dialect.lines_end_rules else _BLANKS)

    def _at_rule(self) -> bool:
        """Whether the next rule begins, in the format where line ends say nothing else."""
        if self.dialect.lines_end_rules:
            return False
        if self.scanner.match(rf"(?={self.dialect.name}{_BLANKS_AND_LINES}::=)") is None:
            return False
        line = self.text.rfind("\n", 0, self.scanner.at) + 1
        return not self.text[line : self.scanner.at].strip(" \t")

    def choice(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.scanner.error("too many nested groups")
        at = self.scanner.at
        parts = [self._row(depth)]
        while self.scanner.skip("|"):
            self.blank(lines=True)
            parts.append(self._row(depth))
        if any(not p for p in parts) and (len(parts) == 1 or not self.dialect.has_empty):
            raise ReadError("an empty alternative without quotes", at)
        rows = [p[0] if len(p) == 1 else Row(tuple(p)) for p in parts]
        return rows[0] if len(rows) == 1 else Choice(tuple(rows))

    def _row(self, depth: int) -> list[Node]:
        parts: list[Node] = []
        self.blank(lines=depth > 0)
        while self.scanner.peek() not in ("|", ")", "\r", "\n", "") and not self._at_rule():
            parts.append(self._item(depth))
        return parts

    def _item(self, depth: int) -> Node:
        atom = self._atom(depth)
        self.blank(lines=depth > 0)
        at = self.scanner.at
        least, most = bounds(self.scanner, "[ \t]*")
        if self.scanner.at > at:
            self.blank(lines=depth > 0)
        if self.dialect.most is not None and (most or least) > self.dialect.most:
            raise ReadError("a repetition that the engine takes for endless", at)
        return atom if (least, most) == (1, 1) else Repeat(atom, least, most)

    def _atom(self, depth: int) -> Node:
        self.scanner.count()
        at = self.scanner.at
        if self.scanner.skip('"'):
            return self._literal()
        if self.scanner.skip("["):
            return self._class(at)
        if self.scanner.skip("("):
            inner = self.choice(depth + 1)
            self.scanner.expect(")")
            return inner
        if self.dialect.has_any and self.scanner.skip("."):
            return Chars(SCALARS)
        name = self._name()
        if name is None:
            braces = self.scanner.peek() == "{"
            what = "{m}, {m,} or {m,n} behind an item" if braces else "a text, a class, a group or a name"
            raise self.scanner.error(f"expected {what}")
        return Reference(name, at)

    def _name(self) -> str | None:
        name = self.scanner.match(self.dialect.name)
        if self.scanner.peek() in ("_", "-"):
            raise self.scanner.error(f"names have no {self.scanner.peek()} in this format")
        return name

    def _literal(self) -> Node:
        parts: list[Node] = []
        while not self.scanner.skip('"'):
            self.scanner.count()
            symbol = self._symbol(self.dialect.in_literal)
            parts.append(Chars(IntervalSet(((symbol, symbol),))))
        return Row(tuple(parts))

    def _class(self, at: int) -> Node:
        negated = self.scanner.skip("^")
        ranges: list[tuple[int, int]] = []
        while not self.scanner.skip("]"):
            low = self._member(negated)
            hyphen = self.scanner.match(r"-(?!\])") is not None
            ranges.append((low, self._member(negated) if hyphen else low))
        return chars(ranges, at, negated)

    def _member(self, negated: bool) -> int:
        return self._symbol(self.dialect.in_class, surrogates=negated)

    def _symbol(self, escapes: Mapping[str, str], surrogates: bool = False) -> int:
        character = self.scanner.take()
        if character < " " or character == "\x7f":
            raise self.scanner.behind("a control character, which should be escaped")
        if character != "\\":
            return ord(character)
        letter = self.scanner.take()
        if letter in self.dialect.digits:
            return self._number(self.dialect.digits[letter], surrogates)
        if letter not in escapes:
            raise self.scanner.behind(f"the engine has no escape \\{letter} here")
        return ord(escapes[letter])

    def _number(self, digits: int, surrogates: bool) -> int:
        at = self.scanner.at
        symbol = self.scanner.hexadecimal(digits)
        if symbol > 0x10FFFF or (0xD800 <= symbol <= 0xDFFF and not surrogates):
            raise ReadError(f"{symbol:X} is no scalar value", at)
        return symbol
