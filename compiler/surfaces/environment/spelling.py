"""How a surface writes a name.

A name that has the surface's word shape and is no keyword may stand bare. Every name may stand between each pair of
quotes of the surface, with the closing mark doubled where it is part of the name. Pairs whose marks differ (`[a]`) know
no doubling in some dialects, so a name that holds such a closing mark is not written between them: less is offered than
might be allowed, never more.

Invariant: spellings are UTF-8 and folded (A-Z as a-z) if the surface folds; two names with one folded form have the
same spellings, and `name_of` gives that folded form back for each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from langc.compiler.surfaces.model import Surface

COMMON_WORD = "[A-Za-z_][A-Za-z0-9_]*"
"""Python's identifiers, as long as they are ASCII."""
_RULES_KEPT = 256
_STRING = b"'"


@dataclass(frozen=True, eq=False)
class Spelling:
    """The rules of one surface. Compared by identity: `Spelling.of` gives equal rules the same object."""

    word: str
    """A pattern that the whole bare name matches."""
    fold_case: bool = False
    quotes: tuple[tuple[str, str], ...] = ()
    keywords: frozenset[str] = frozenset()
    _is_word: Callable[[str], bool] = field(init=False, repr=False)
    _folded_keywords: frozenset[bytes] = field(init=False, repr=False)
    _pairs: tuple[tuple[bytes, bytes], ...] = field(init=False, repr=False)
    """The quotes in UTF-8."""

    def __post_init__(self) -> None:
        folded = frozenset(self.folded(word.encode()) for word in self.keywords)
        object.__setattr__(self, "_is_word", _words(self.word))
        object.__setattr__(self, "_folded_keywords", folded)
        object.__setattr__(self, "_pairs", tuple((begin.encode(), end.encode()) for begin, end in self.quotes))

    @classmethod
    def of(cls, surface: Surface) -> Spelling:
        """The rules of a surface."""
        return _interned(surface.word, surface.fold_case, surface.quotes, surface.keywords)

    @classmethod
    def make(
        cls,
        word: str = COMMON_WORD,
        fold_case: bool = False,
        quotes: tuple[tuple[str, str], ...] = (),
        keywords: frozenset[str] = frozenset(),
    ) -> Spelling:
        """The same by its parts."""
        return _interned(word, fold_case, quotes, keywords)

    def folded(self, text: bytes) -> bytes:
        """The form in which names are compared."""
        return text.lower() if self.fold_case else text

    def is_keyword(self, word: bytes) -> bool:
        """Whether a bare word is one of the surface's own."""
        return self.folded(word) in self._folded_keywords

    def bare(self, name: str) -> bytes | None:
        """The folded name if it may stand without quotes."""
        folded = self.folded(name.encode())
        return folded if self._is_word(folded.decode()) and folded not in self._folded_keywords else None

    def spellings(self, name: str) -> tuple[bytes, ...]:
        """All ways to write a name, the bare one first. () for one that cannot be written: empty, or no UTF-8."""
        try:
            folded = self.folded(name.encode())
        except UnicodeEncodeError:
            return ()
        if not folded or b"\0" in folded:
            return ()
        found = [folded] if folded not in self._folded_keywords and self._is_word(folded.decode()) else []
        for begin, end in self._pairs:
            if end not in folded:
                found.append(begin + folded + end)
            elif begin == end:
                found.append(begin + folded.replace(end, end * 2) + end)
        return tuple(found)

    def name_of(self, lexeme: bytes) -> bytes | None:
        """The folded name that a lexeme writes. None for a keyword, and for what is no name in any form."""
        for begin, end in self._pairs:
            if lexeme.startswith(begin):
                return self._unquoted(lexeme, begin, end)
        return None if self.is_keyword(lexeme) else self.folded(lexeme) or None

    def kept(self, lexeme: bytes) -> bytes | None:
        """The name that the lexeme of a token writes: as `name_of`, and between single quotes what stands there."""
        if lexeme.startswith(_STRING):
            return self._unquoted(lexeme, _STRING, _STRING)
        return self.name_of(lexeme)

    def _unquoted(self, lexeme: bytes, begin: bytes, end: bytes) -> bytes | None:
        inner = lexeme[len(begin) : len(lexeme) - len(end)]
        is_whole = len(lexeme) > len(begin) + len(end) and lexeme.endswith(end)
        single = inner.replace(end * 2, b"") if begin == end else inner
        if not is_whole or end in single:
            return None
        return self.folded(inner.replace(end * 2, end))


def _words(pattern: str) -> Callable[[str], bool]:
    """Whether a text is a word, as the lexer sees it. No regular expression of Python's: they can take for ever."""
    if pattern == COMMON_WORD:
        return _is_common_word
    from langc.compiler.surfaces.engine.lexemes import shape

    automaton = shape(pattern)
    return lambda text: automaton.matches(text.encode())


def _is_common_word(text: str) -> bool:
    return text.isascii() and text.isidentifier()


@lru_cache(maxsize=_RULES_KEPT)
def _interned(word: str, fold_case: bool, quotes: tuple[tuple[str, str], ...], keywords: frozenset[str]) -> Spelling:
    return Spelling(word, fold_case, quotes, keywords)
