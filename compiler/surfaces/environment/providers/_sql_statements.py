"""SQL text as statements, each a row of sqlglot's lexemes.

Only the tokenizer of sqlglot is used here. Its parser takes twenty times as long, and gives up on statements that a
schema's names can be read from all the same (columns without a type, storage options, triggers).

Invariant: the lexemes of a statement are in the order of the text, without the semicolon; bodies between BEGIN and END
belong to the statement that they stand in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_WITH_BODY = frozenset({"TRIGGER", "PROCEDURE", "FUNCTION", "PACKAGE", "EVENT"})
_QUOTED = frozenset({"IDENTIFIER", "STRING"})
_SIGNS = frozenset({"(", ")", ",", ".", ";", "="})


@dataclass(frozen=True)
class Lexeme:
    """A word, a sign, a number, or what stood between quotes."""

    text: str
    quoted: bool
    start: int
    end: int
    """Offsets in the text, `end` not included."""

    @property
    def word(self) -> str:
        """In capitals, to be compared with keywords; what was quoted is none."""
        return "" if self.quoted else self.text.upper()

    @property
    def is_name(self) -> bool:
        """Whether it may be a name."""
        return self.quoted or (
            bool(self.text) and (self.text[0].isalpha() or self.text[0] == "_" or self.text[0] > "\x7f")
        )


@dataclass
class Reader:
    """A place in a statement."""

    row: tuple[Lexeme, ...]
    at: int = 0

    def peek(self, ahead: int = 0) -> str:
        """The word some places further on, in capitals; "" for a quoted one, and behind the end."""
        return self.row[self.at + ahead].word if self.at + ahead < len(self.row) else ""

    def skip(self, *words: str) -> bool:
        """Go on over these words if all of them come next."""
        found = all(self.peek(i) == word for i, word in enumerate(words))
        self.at += len(words) * found
        return found

    def name(self) -> Lexeme | None:
        """The last part of a dotted name, or None if none comes next."""
        found = None
        while self.at < len(self.row) and self.row[self.at].is_name:
            found = self.row[self.at]
            self.at += 1
            if not self.skip("."):
                break
        return found

    def parenthesised(self) -> list[tuple[Lexeme, ...]] | None:
        """The items between the parentheses that come next, cut at their commas; None if there are none."""
        if not self.skip("("):
            return None
        items: list[tuple[Lexeme, ...]] = []
        depth, begin = 1, self.at
        while self.at < len(self.row):
            word = self.row[self.at].word
            depth += (word == "(") - (word == ")")
            if depth == 0 or (depth == 1 and word == ","):
                items.append(self.row[begin : self.at])
                begin = self.at + 1
            self.at += 1
            if depth == 0:
                return [item for item in items if item]
        return None


def statements(tokens: list[Any]) -> Iterator[tuple[Lexeme, ...]]:
    """The statements of sqlglot's tokens."""
    row: list[Lexeme] = []
    depth = 0
    has_body = False
    for token in tokens:
        if token.token_type.name == "SEMICOLON" and not depth:
            if row:
                yield tuple(row)
            row, has_body = [], False
            continue
        quoted = token.token_type.name in _QUOTED
        for lexeme in _parts(token, quoted):
            row.append(lexeme)
            word = lexeme.word
            has_body = has_body or (len(row) < 8 and row[0].word == "CREATE" and word in _WITH_BODY)
            if has_body and word in ("BEGIN", "CASE"):
                depth += 1
            elif depth and word == "END":
                depth -= 1
    if row:
        yield tuple(row)


def _parts(token: Any, quoted: bool) -> Iterator[Lexeme]:
    """A token as lexemes: the tokenizer takes some rows of keywords (`PRIMARY KEY`) as one."""
    words = [token.text] if quoted else token.text.split()
    for word in words or [token.text]:
        yield Lexeme(word, quoted, token.start, token.end + 1)
