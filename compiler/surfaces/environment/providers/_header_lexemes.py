"""C and C++ source as lexemes, without what the preprocessor drops.

Of an `#if` the first branch is kept (of `#if 0` the others), so that brackets stay in balance; what stands in it is
marked, but for include guards and `__cplusplus`. Macros are listed and never expanded.

Invariant: the work is linear in the text, and no more than `MAX_HEADER_TOKENS` lexemes are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_HEADER_TOKENS, over_limit

_LEXEME = re.compile(
    r"""
    (?P<directive>^[ \t]*\#(?:[^\n\\/]|\\.|/(?!\*)|/\*.*?\*/)*)
    | (?P<space>\n|[^\S\n]+|//[^\n]*|/\*.*?(?:\*/|\Z)|\\\n)
    | (?P<string>R"(?P<mark>[^\s()\\]{0,16})\(.{0,65536}?\)(?P=mark)"
        |(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.'])*)
    | (?P<word>[^\W\d]\w*)
    | (?P<sign>::|\.\.\.|.)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"\s*#\s*([a-z]+)\s*(.*)", re.DOTALL)
_DEFINE = re.compile(r"([^\W\d]\w*)(\(([^)]*)\))?")
_GUARD = re.compile(r"(?:!\s*defined\s*\(?\s*)?([^\W\d]\w*)\s*\)?")
_CXX = "__cplusplus"


class Lexeme(NamedTuple):
    """A word, a sign, or the rest (`"` for a text, `0` for a number)."""

    text: str
    is_word: bool
    line: int
    conditional: bool
    """Whether it stands in a part that a condition may drop."""


class Macro(NamedTuple):
    """What `#define` names."""

    name: str
    parameters: tuple[str, ...] | None
    """None for one without parentheses."""
    conditional: bool


@dataclass
class _Condition:
    """An `#if` that is open."""

    counts: bool
    """Whether names in it may be missing, for this condition or one around it."""
    keeps: bool
    """Whether its current branch is kept."""
    done: bool
    """Whether a branch was kept already."""


@dataclass
class Lexemes:
    """The lexemes and macros of a text."""

    row: list[Lexeme] = field(default_factory=list)
    macros: dict[str, Macro] = field(default_factory=dict)
    _open: list[_Condition] = field(default_factory=list)

    @classmethod
    def of(cls, text: str, where: str) -> Lexemes:
        """Raises LimitError (LC0701)."""
        found = cls()
        line = 1
        for match in _LEXEME.finditer(text):
            kind, part = match.lastgroup or "", match[0]
            if kind == "directive":
                found._directive(re.sub(r"\\\n", " ", part))
            elif kind not in ("space", "mark") and found._is_kept:
                shown = {"string": '"', "number": "0"}.get("string" if part[-1:] in "\"'" else kind, part)
                found.row.append(Lexeme(shown, kind == "word", line, found._is_conditional))
                if len(found.row) > MAX_HEADER_TOKENS:
                    raise LimitError(over_limit(f"words and signs in {where}", MAX_HEADER_TOKENS))
            line += part.count("\n")
        return found

    @property
    def _is_kept(self) -> bool:
        return not self._open or self._open[-1].keeps

    @property
    def _is_conditional(self) -> bool:
        return bool(self._open) and self._open[-1].counts

    def _directive(self, text: str) -> None:
        match = _DIRECTIVE.fullmatch(re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL))
        if match is None:
            return
        word, rest = match[1], match[2].strip()
        if word in ("if", "ifdef", "ifndef"):
            above = self._is_kept
            keeps = above and rest != "0"
            counts = self._is_conditional or not self._is_harmless(word, rest)
            self._open.append(_Condition(counts, keeps, keeps or not above))
        elif word in ("elif", "else", "elifdef", "elifndef") and self._open:
            condition = self._open[-1]
            condition.keeps = not condition.done
            condition.done = True
        elif word == "endif" and self._open:
            self._open.pop()
        elif word == "define" and self._is_kept:
            self._define(rest)
        elif word == "undef":
            self.macros.pop(rest, None)

    def _is_harmless(self, word: str, rest: str) -> bool:
        """An include guard, which begins the file, or the question for C++."""
        guard = not self.row and not self.macros and not self._open and word != "ifdef" and _GUARD.fullmatch(rest)
        return bool(guard) or _CXX in rest or rest in ("0", "1")

    def _define(self, rest: str) -> None:
        match = _DEFINE.match(rest)
        if match:
            listed = None if match[2] is None else tuple(_parameters(match[3]))
            self.macros.setdefault(match[1], Macro(match[1], listed, self._is_conditional))


def _parameters(text: str) -> Iterator[str]:
    for name in text.split(","):
        if name.strip():
            yield name.strip()
