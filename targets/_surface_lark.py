r"""Snapshots of surfaces in llguidance's Lark dialect.

Each lexeme is a terminal: the engine's lexer cuts a text where the longest terminal that is expected ends, as the
surface's own does, and the parser then has a step a lexeme. The lexer never goes back: as one terminal, white space and
comments in a row would take a `/` behind a blank for the beginning of a comment, and stop at `a / b`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langc.compiler.automata.eliminate import plain
from langc.compiler.ir.language import Language
from langc.compiler.surfaces.snapshot.grammar import Grammar, Row
from langc.compiler.surfaces.snapshot.lexemes import Lexeme, folded_letter
from langc.targets._expression import write_expression
from langc.targets._lark import NOTATION

_NOTHING = '""'


def write_lark(grammar: Grammar) -> str:
    """`start`, the other rules and the terminals, one a line. Raises LimitError."""
    return "".join(f"{line}\n" for line in _Snapshot(grammar).lines())


@dataclass
class _Snapshot:
    grammar: Grammar

    def lines(self) -> Iterator[str]:
        terminals = {
            lexeme: "skip" if lexeme.parts else f"LEXEME_{number}"
            for number, lexeme in enumerate(self.grammar.lexemes, 1)
        }
        for number, rows in enumerate(self.grammar.rules):
            yield f"{_name(number)}: {' | '.join(_row(row, terminals) for row in rows)}"
        for lexeme, name in terminals.items():
            yield from _repeated(lexeme.parts) if lexeme.parts else (f"{name}: {_terminal(lexeme)}",)


def _name(number: int) -> str:
    return f"rule_{number}" if number else "start"


def _row(row: Row, terminals: dict[Lexeme, str]) -> str:
    return " ".join(_name(s) if isinstance(s, int) else terminals[s] for s in row) or _NOTHING


def _repeated(parts: Sequence[Language]) -> Iterator[str]:
    names = [f"SKIP_{number}" for number, _ in enumerate(parts, 1)]
    yield f"skip: ({' | '.join(names)})+"
    for name, part in zip(names, parts, strict=True):
        yield f"{name}: {_pattern(part)}"


def _pattern(language: Language) -> str:
    return f"/{write_expression(plain(language, ambiguous=True), NOTATION)}/"


def _terminal(lexeme: Lexeme) -> str:
    words = "|".join(_word(word, lexeme.fold_case) for word in lexeme.words)
    if lexeme.pattern is None:
        return f"/{words}/"
    pattern = _pattern(lexeme.pattern)
    return f"{pattern} & ~/{words}/" if words else pattern


def _word(word: str, fold_case: bool) -> str:
    sets = (folded_letter(letter, fold_case) for letter in word)
    return "".join(
        f"[{NOTATION.members(letters)}]" if len(letters) > 1 else NOTATION.literal(chr(letters.first()))
        for letters in sets
    )
