"""SQL text as statements, each a row of sqlglot's lexemes.

Only the tokenizer of sqlglot is used here. Its parser takes twenty times as long, and gives up on statements that a
schema's names can be read from all the same (columns without a type, storage options, triggers).

Invariant: the lexemes of a statement are in the order of the text, without the semicolon; bodies between BEGIN and END
belong to the statement that they stand in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

_WITH_BODY = frozenset({"TRIGGER", "PROCEDURE", "FUNCTION", "PACKAGE", "EVENT"})
_OPENING = frozenset({"BEGIN", "CASE"})
_HEAD = 8
"""Words in which a statement says what it creates."""


class Lexeme(NamedTuple):
    """A word, a sign, a number, or what stood between quotes."""

    text: str
    word: str
    """In capitals, to be compared with keywords; "" for what was quoted."""
    end: int
    """The offset behind it."""

    @property
    def quoted(self) -> bool:
        """Whether it stood between quotes."""
        return not self.word

    @property
    def is_name(self) -> bool:
        """Whether it may be a name."""
        first = self.text[:1]
        return not self.word or first.isalpha() or first == "_" or first > "\x7f"


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
    from sqlglot.tokens import TokenType

    semicolon, quoted = TokenType.SEMICOLON, (TokenType.IDENTIFIER, TokenType.STRING)
    row: list[Lexeme] = []
    depth = 0
    has_body = False
    for token in tokens:
        kind = token.token_type
        if kind is semicolon and not depth:
            if row:
                yield tuple(row)
            row, has_body = [], False
        elif kind in quoted:
            row.append(Lexeme(token.text, "", token.end + 1))
        else:
            for text in _words(token.text):
                word = text.upper()
                row.append(Lexeme(text, word, token.end + 1))
                has_body = has_body or (word in _WITH_BODY and len(row) < _HEAD and row[0].word == "CREATE")
                if has_body:
                    depth += (word in _OPENING) - (depth > 0 and word == "END")
    if row:
        yield tuple(row)


def _words(text: str) -> list[str]:
    """The tokenizer takes some rows of keywords (`PRIMARY KEY`) as one, and sometimes an empty text."""
    return text.split() if " " in text else [text] if text else []
