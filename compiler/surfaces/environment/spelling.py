"""How a surface writes a name.

A name that has the surface's word shape and is no keyword may stand bare. Every name may stand between each pair of
quotes of the surface, with the closing mark doubled where it is part of the name. Pairs whose marks differ (`[a]`) know
no doubling in some dialects, so a name that holds such a closing mark is not written between them: less is offered than
might be allowed, never more.

Invariant: spellings are UTF-8 and folded (A-Z as a-z) if the surface folds; two names with one folded form have the
same spellings, and `name_of` gives that folded form back for each of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from langc.compiler.surfaces.model import Surface

_BY_MARK = 256


@dataclass(frozen=True, eq=False)
class Spelling:
    """The rules of one surface. Compared by identity: `Spelling.of` gives equal rules the same object."""

    word: str
    """A pattern that the whole bare name matches."""
    fold_case: bool = False
    quotes: tuple[tuple[str, str], ...] = ()
    keywords: frozenset[str] = frozenset()
    _matches: re.Pattern[str] = field(init=False, repr=False)
    _folded_keywords: frozenset[bytes] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        folded = frozenset(self.folded(word.encode()) for word in self.keywords)
        object.__setattr__(self, "_matches", re.compile(self.word, re.ASCII))
        object.__setattr__(self, "_folded_keywords", folded)

    @classmethod
    def of(cls, surface: Surface) -> Spelling:
        """The rules of a surface."""
        return _interned(surface.word, surface.fold_case, surface.quotes, surface.keywords)

    @classmethod
    def make(
        cls,
        word: str = "[A-Za-z_][A-Za-z0-9_]*",
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
        if folded in self._folded_keywords or self._matches.fullmatch(folded.decode()) is None:
            return None
        return folded

    def spellings(self, name: str) -> tuple[bytes, ...]:
        """All ways to write a name, the bare one first. () for one that cannot be written: empty, or no UTF-8."""
        try:
            folded = self.folded(name.encode())
        except UnicodeEncodeError:
            return ()
        if not folded or b"\0" in folded:
            return ()
        bare = self.bare(name)
        quoted = tuple(_quoted(folded, *pair) for pair in self.quotes if pair[0] == pair[1] or pair[1] not in name)
        return quoted if bare is None else (bare, *quoted)

    def name_of(self, lexeme: bytes) -> bytes | None:
        """The folded name that a lexeme writes. None for a keyword, and for what is no name in any form."""
        for opening, closing in self.quotes:
            first, last = opening.encode(), closing.encode()
            if lexeme.startswith(first):
                return self._unquoted(lexeme, first, last)
        return None if self.is_keyword(lexeme) else self.folded(lexeme) or None

    def _unquoted(self, lexeme: bytes, opening: bytes, closing: bytes) -> bytes | None:
        inner = lexeme[len(opening) : len(lexeme) - len(closing)]
        whole = len(lexeme) > len(opening) + len(closing) and lexeme.endswith(closing)
        if not whole or closing in inner.replace(closing * 2, b""):
            return None
        return self.folded(inner.replace(closing * 2, closing))


def _quoted(name: bytes, opening: str, closing: str) -> bytes:
    mark = closing.encode()
    return opening.encode() + name.replace(mark, mark * 2) + mark


@lru_cache(maxsize=_BY_MARK)
def _interned(word: str, fold_case: bool, quotes: tuple[tuple[str, str], ...], keywords: frozenset[str]) -> Spelling:
    return Spelling(word, fold_case, quotes, keywords)
