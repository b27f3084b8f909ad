"""The languages of patterns, as automata over code points: a whole lexeme matches, so each pattern is anchored."""

from __future__ import annotations

from functools import lru_cache

from langc.compiler.automata.boolean import intersection, union
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.equivalence import only_in, shortest
from langc.compiler.json_schema.patterns import PatternError, pattern_language
from langc.compiler.syntax.escapes import quote

_OPENING = "^(?:"


@lru_cache(maxsize=1024)
def language(pattern: str) -> Dfa:
    """The automaton of a pattern. Raises PatternError, with an offset in the pattern, and LimitError."""
    pattern_language(pattern)  # a parenthesis that closes nothing would close the one that is put around
    try:
        return build_dfa(pattern_language(f"{_OPENING}{pattern})$"))
    except PatternError as error:
        raise PatternError(error.message, error.offset - len(_OPENING)) from None


def beyond(left: Dfa, right: Dfa) -> str | None:
    """A shortest text of `left` that is none of `right`; None if there is none."""
    found = only_in(left, right)
    return None if found is None else "".join(map(chr, found))


def common(left: Dfa, right: Dfa) -> str | None:
    """A shortest text of both; None if there is none."""
    found = shortest(intersection(left, right))
    return None if found is None else "".join(map(chr, found))


def quoted_name(opening: str, closing: str) -> str:
    """The pattern of a name between quotes: something, with the closing mark doubled."""
    first, last = (re_escape(mark) for mark in (opening, closing))
    inner = f"[^{last}\\0]" if len(closing) == 1 else "[^\\0]"
    return f"{first}(?:{inner}|{last}{last})+{last}"


def re_escape(text: str) -> str:
    """A text as a pattern of it alone."""
    return "".join(f"\\{c}" if c.isascii() and not c.isalnum() and c not in "_ " else c for c in text)


def either(languages: list[Dfa]) -> Dfa:
    """What one of the automata accepts."""
    first, *others = languages
    for other in others:
        first = union(first, other)
    return first


def shown(text: str) -> str:
    """A text in a message."""
    return f"`{quote(text)}`"
