"""Regular expressions as text: the dialects, the printer, and a header that matches nothing.

Invariant: an expression is built of literals, positive classes, groups, alternation and counted repetition alone. It
means the same under a full match in every engine of its dialect; it needs no lookaround and no flag but the one that
the dialect names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from string import ascii_letters, digits

from langc.compiler.automata.eliminate import plain
from langc.compiler.ir.language import Alternation, Class, Concat, Cover, Language, Repetition
from langc.compiler.policy import Policy
from langc.targets._notation import Notation, short_hex

_LITERAL = "^$\\.*+?()[]{}|"
_CLASS = "^\\[]-"


def _braced(letter: str) -> Notation:
    return Notation(lambda n: f"\\x{n:02X}" if n < 0x80 else f"\\{letter}{{{n:X}}}", _LITERAL, _CLASS)


NOTATIONS: dict[str, Notation] = {
    "python": Notation(short_hex, _LITERAL, _CLASS),
    "rust": _braced("x"),
    "pcre2": _braced("x"),
    # What the flag v wants escaped in a class, the flag u permits.
    "ecmascript": replace(_braced("u"), in_literal=_LITERAL + "/", in_class=_CLASS + "(){}|/"),
}


NEVER_BACKTRACK = frozenset({"rust"})
"""The dialects whose engines follow all readings of a text at once, and so take the smaller expression."""


def expression_of(policy: Policy, dialect: str) -> Language:
    """A hard policy as an expression for the engines of a dialect.

    Raises PolicyError if it permits nothing, LimitError if it is too large.
    """
    language = policy.ir.language
    if not isinstance(language, Cover):
        policy.dfa  # noqa: B018 - what is wrong with the policy itself is said first
    return plain(language, ambiguous=dialect in NEVER_BACKTRACK)


def write_expression(language: Language, notation: Notation) -> str:
    """The text of a plain expression; alternatives are grouped, so that something may be put before and behind."""
    return _Writer(notation).whole(language)


def header_group(header: Mapping[str, str]) -> str:
    """The header as a group repeated no times, of characters that are literal in every dialect."""
    return f"(?:{' '.join(f'{key}={_literal_everywhere(value)}' for key, value in header.items())}){{0}}"


_SAFE = frozenset(ascii_letters + digits + " ,.-_")


def _literal_everywhere(value: str) -> str:
    """The value itself; a witness (a JSON string) as its code points in hexadecimal."""
    if value.startswith('"'):
        return ",".join(f"U{ord(c):04X}" for c in json.loads(value)) or "empty"
    return "".join(c if c in _SAFE else f"U{ord(c):04X}" for c in value)


class _Writer:
    """Three levels of binding: alternatives, parts in a row, and what a repetition applies to."""

    def __init__(self, notation: Notation) -> None:
        self._notation = notation

    def whole(self, language: Language) -> str:
        return self._atom(language) if isinstance(language, Alternation) else self._row(language)

    def _alternatives(self, language: Language) -> str:
        if isinstance(language, Alternation):
            return "|".join(self._row(p) for p in language.parts)
        return self._row(language)

    def _row(self, language: Language) -> str:
        if isinstance(language, Concat):
            return "".join(self._part(p) for p in language.parts)
        return self._part(language)

    def _part(self, language: Language) -> str:
        if isinstance(language, Repetition):
            return self._atom(language.part) + quantifier(language.least, language.most)
        return self._atom(language)

    def _atom(self, language: Language) -> str:
        if not isinstance(language, Class):
            return f"(?:{self._alternatives(language)})"
        if len(language.members) == 1:
            return self._notation.literal(chr(language.members.first()))
        return f"[{self._notation.members(language.members)}]"


def quantifier(least: int, most: int | None) -> str:
    """`*`, `+`, `?`, or the bounds in braces."""
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
    if short is not None:
        return short
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
