r"""A reader for grammars of llguidance, in its variant of Lark: text in, automaton out.

It knows what https://github.com/guidance-ai/llguidance/blob/main/docs/syntax.md says of a grammar whose whole text is
one terminal: `start: NAME`, terminals with strings, expressions between slashes, references, groups, repetition, `|`,
`&`, `~`, and comments. Rules of a context-free grammar, flags, and options that change what is permitted are refused.
"""

from __future__ import annotations

import json

from langc.compiler.automata.dfa import Dfa
from langc.compiler.verify.readers.nodes import (
    AnyBytes,
    Both,
    Choice,
    Node,
    Not,
    ReadError,
    Reference,
    Repeat,
    Row,
    chars,
)
from langc.compiler.verify.readers.regex import LARK, read_expression
from langc.compiler.verify.readers.scanner import MAX_DEPTH, Scanner, bounds
from langc.compiler.verify.readers.terminals import terminal_to_dfa

_NAME = r"_?[A-Z][_A-Z0-9-]*(?![a-z])"
_STRING = r'"(\\(["\\/bfnrt]|u[a-fA-F0-9]{4})|[^"\\\x00-\x1F\x7F])*"'
_EXPRESSION = r"/((?:\\.|[^/\\\n])+)/"
_NO_CHARACTER = r"/\[\^\\x00-\\x\{10FFFF\}\]/"
"""A class of nothing, which stands behind `~` alone: what is left is any row of bytes."""
_BLANK = r"(?:[ \t]+|(?:#|//)[^\n]*)*"
_OPTION = r'%llguidance[ \t]*\{[ \t]*("no_forcing"[ \t]*:[ \t]*(true|false)[ \t]*)?\}[ \t]*(?:\r?\n|\Z)'
"""The one option that changes no text: whether the engine may write what has to follow without asking."""
_BEFORE_ALTERNATIVE = r"(?:\r?\n)+[ \t]*(?=\|)"


def read_lark(text: str) -> Dfa:
    """The automaton of the texts that a grammar permits. Raises ReadError."""
    terminals, start = read_terminals(text)
    return terminal_to_dfa(terminals, start)


def read_terminals(text: str) -> tuple[dict[str, Node], Reference]:
    """The terminals by name, and the one that is the whole text. Raises ReadError."""
    scanner, terminals = Scanner(text), dict[str, Node]()
    start = None
    while not scanner.done:
        if scanner.match(rf"{_BLANK}\r?\n") or scanner.match(rf"{_BLANK}\Z"):
            continue
        if scanner.match(_OPTION):
            continue
        if scanner.match(r"start[ \t]*:"):
            if start is not None:
                raise scanner.error("a second rule `start`")
            start = _start(scanner)
            continue
        name = scanner.match(_NAME)
        if name is None or name in terminals:
            raise scanner.error("expected the name of a new terminal")
        scanner.match(_BLANK)
        scanner.expect(":")
        terminals[name] = _Reader(scanner).choice(0)
        _end_of_line(scanner)
    if start is None:
        raise scanner.error("there is no rule `start`")
    return terminals, start


def _start(scanner: Scanner) -> Reference:
    scanner.match(_BLANK)
    at = scanner.at
    name = scanner.match(_NAME)
    if name is None:
        raise scanner.error("expected the one terminal that is the whole text")
    _end_of_line(scanner)
    return Reference(name, at)


def _end_of_line(scanner: Scanner) -> None:
    if scanner.match(rf"{_BLANK}(?:\r?\n|\Z)") is None:
        raise scanner.error("expected the end of the line")


class _Reader:
    """`~` binds tighter than a repetition, a repetition tighter than a row, then come `&` and `|`."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner

    def choice(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.scanner.error("too many nested groups")
        parts = [self._both(depth)]
        while self._sign("|"):
            parts.append(self._both(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sign(self, sign: str) -> bool:
        self.scanner.match(_BLANK)
        if sign == "|":
            self.scanner.match(_BEFORE_ALTERNATIVE)
        return self.scanner.skip(sign)

    def _both(self, depth: int) -> Node:
        parts = [self._row(depth)]
        while self._sign("&"):
            parts.append(self._row(depth))
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _row(self, depth: int) -> Node:
        parts: list[Node] = []
        self.scanner.match(_BLANK)
        while self.scanner.peek() not in ("|", "&", ")", "\n", "\r", ""):
            if parts and self.scanner.peek() == "~":
                raise self.scanner.error("`~` behind something, which could be a repetition")
            parts.append(self._item(depth))
            self.scanner.match(_BLANK)
        if not parts:
            raise self.scanner.error("an empty alternative, or one side of `&` that is empty")
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def _item(self, depth: int) -> Node:
        atom = self._complement(depth)
        self.scanner.match(_BLANK)
        at = self.scanner.at
        least, most = bounds(self.scanner)
        if most == 0:
            raise ReadError("a repetition of no times, which the engine refuses", at)
        if self.scanner.peek() in ("*", "+", "?", "{"):
            raise self.scanner.error("a repetition of a repetition")
        return atom if (least, most) == (1, 1) else Repeat(atom, least, most)

    def _complement(self, depth: int) -> Node:
        if not self.scanner.skip("~"):
            return self._atom(depth)
        at = self.scanner.at
        self.scanner.match(_BLANK)
        return AnyBytes(at) if self.scanner.match(_NO_CHARACTER) else Not(self._atom(depth))

    def _atom(self, depth: int) -> Node:
        if self.scanner.skip("("):
            inner = self.choice(depth + 1)
            self.scanner.match(_BLANK)
            self.scanner.expect(")")
            return inner
        at = self.scanner.at
        string = self.scanner.match(_STRING)
        if string is not None:
            return self._literal(string, at)
        expression = self.scanner.match(_EXPRESSION)
        if expression is not None:
            return self._expression(expression[1:-1], at + 1)
        name = self.scanner.match(_NAME)
        if name is None:
            raise self.scanner.error("expected a string, an expression, a group or a terminal")
        return Reference(name, at)

    def _literal(self, string: str, at: int) -> Node:
        self._refuse_flags("i")
        numbers = [ord(c) for c in json.loads(string)]
        parts = tuple(chars([(n, n)], at) for n in numbers)
        return parts[0] if len(parts) == 1 else Row(parts)

    def _expression(self, text: str, at: int) -> Node:
        self._refuse_flags("imslux")
        try:
            return read_expression(text, LARK)
        except ReadError as error:
            raise ReadError(error.message, at + error.offset) from None

    def _refuse_flags(self, flags: str) -> None:
        if self.scanner.peek() and self.scanner.peek() in flags:
            raise self.scanner.error("a flag, which changes what the text says")
