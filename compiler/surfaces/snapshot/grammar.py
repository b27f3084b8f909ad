"""Context-free grammars over lexemes.

Invariant: rules are numbers; a row of a rule is a tuple of symbols, each the number of a rule or a lexeme. No rule can
come to itself before it has read a lexeme, so no engine meets left recursion. `Snapshot.start` is a rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from langc.compiler.surfaces.snapshot.lexemes import Lexeme

Symbol: TypeAlias = int | Lexeme
Row: TypeAlias = tuple[Symbol, ...]


@dataclass(frozen=True, eq=False)
class Grammar:
    """`rules[number]` are the rows of a rule; a rule without rows is no text at all, the row `()` the empty one."""

    rules: tuple[tuple[Row, ...], ...]
    start: int

    @cached_property
    def lexemes(self) -> tuple[Lexeme, ...]:
        """The lexemes in the order in which the rules name them."""
        symbols = (symbol for rows in self.rules for row in rows for symbol in row)
        return tuple(dict.fromkeys(symbol for symbol in symbols if isinstance(symbol, Lexeme)))

    @property
    def is_empty(self) -> bool:
        """Whether it has no text."""
        return not self.rules[self.start]
