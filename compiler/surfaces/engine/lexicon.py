"""The lexical side of a surface: the shapes of its terminals, and what a place expects of the next lexeme.

Invariant: nothing here depends on what has been written. Sets of bytes are bit sets (integers): bit b for byte b.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from langc.compiler.automata.dfa import DEAD
from langc.compiler.surfaces.engine.lexemes import FOLD, Expected, Listed, Shape, Spellings, shape, shape_of
from langc.compiler.surfaces.engine.network import Terminal
from langc.compiler.surfaces.environment.names import NameSet, Words
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.model import Element, Fresh, Literal, Open, Reference, Surface, Token, TokenUse
from langc.compiler.surfaces.world.base import parts
from langc.compiler.surfaces.world.lookup import ORDINAL
from langc.compiler.tokens.rows import Remembered

_REMEMBERED = 4_096
_DIGITS = sum(1 << byte for byte in b"0123456789")


class Asked(NamedTuple):
    """What may come at a place."""

    literals: frozenset[bytes]
    tokens: tuple[tuple[str, bool], ...]
    """By name, and whether their text is kept."""
    offers: tuple[tuple[NameSet | Words, str | None], ...]
    """What slots take, and the token that says where it ends, in the place of words and quotes."""
    has_words: bool
    """Whether some literal is a word, so that the lexeme goes on as far as a word does."""


@dataclass(frozen=True, eq=False)
class TokenShapes:
    """A token as automata."""

    pattern: Shape
    munch: Shape
    first: int
    """The bytes that its lexemes, or its munch, begin with."""

    @classmethod
    def of(cls, token: Token) -> TokenShapes:
        """The shapes of a token."""
        pattern, munch = shape(token.pattern), shape(token.munch or token.pattern)
        return cls(pattern, munch, pattern.first | munch.first)


@dataclass(eq=False)
class Lexicon:
    """See the module."""

    surface: Surface

    @cached_property
    def spelling(self) -> Spelling:
        """How names are written."""
        return Spelling.of(self.surface)

    @cached_property
    def word(self) -> Shape:
        """The shape of bare names and keywords."""
        return shape(self.surface.word)

    @cached_property
    def quoted(self) -> tuple[Shape, ...]:
        """The shapes of names in quotes."""
        return tuple(shape(_quoted(*pair)) for pair in self.surface.quotes)

    @cached_property
    def tokens(self) -> dict[str, TokenShapes]:
        """The tokens by name."""
        return {name: TokenShapes.of(token) for name, token in self.surface.tokens.items()}

    @cached_property
    def skipped(self) -> frozenset[Shape]:
        """Tokens that may stand between any two lexemes."""
        return frozenset(self.tokens[name].pattern for name, token in self.surface.tokens.items() if token.skipped)

    @cached_property
    def named(self) -> Mapping[Shape, tuple[str, ...]]:
        """The tokens that are not skipped, by their shape."""
        found: dict[Shape, tuple[str, ...]] = {}
        for name, token in self.surface.tokens.items():
            if not token.skipped:
                found[self.tokens[name].pattern] = (*found.get(self.tokens[name].pattern, ()), name)
        return found

    @cached_property
    def shapes_of_names(self) -> frozenset[Shape]:
        """The shapes that what fills a slot of any kind may have."""
        return frozenset((self.word, *self.quoted, *self.named))

    def text(self, literal: Literal) -> bytes:
        """A literal as it is compared: folded if the surface folds."""
        return self.folded(literal.text.encode())

    def folded(self, text: bytes) -> bytes:
        """A lexeme as literals are compared."""
        return text.translate(FOLD) if self.surface.fold_case else text

    # --- what lexemes begin with ---

    @cached_property
    def first_of_skipped(self) -> int:
        """The bytes that white space and the like begin with."""
        return _union(one.first for one in self.skipped)

    @cached_property
    def first_of_names(self) -> int:
        """The bytes that what fills a slot of any kind begins with."""
        return self.word.first | _DIGITS | _union(one.first for one in (*self.quoted, *self.named))

    @cached_property
    def first_of_written(self) -> int:
        """The bytes that a name begins with which a text may have declared."""
        slots = (part for part in self._elements if isinstance(part, Reference | Fresh | Open))
        shaped = _union(self.tokens[slot.shape].first for slot in slots if slot.shape is not None)
        return self.word.first | _union(one.first for one in self.quoted) | shaped

    def first(self, terminal: Terminal) -> int:
        """The bytes that a terminal's lexemes may begin with."""
        if isinstance(terminal, Literal):
            return self.first_of_literal(self.text(terminal))
        if isinstance(terminal, TokenUse):
            return self.tokens[terminal.token].first
        own = 0 if terminal.shape is None else self.tokens[terminal.shape].first
        digits = _DIGITS if terminal.sort == ORDINAL else 0
        return self.word.first | _union(one.first for one in self.quoted) | own | digits

    def first_of(self, key: bytes | str) -> int:
        """The bytes that a literal, by its text, or a token, by its name, begins with."""
        return self.first_of_literal(key) if isinstance(key, bytes) else self.tokens[key].first

    @cached_property
    def words(self) -> frozenset[bytes]:
        """The literals that are words, or begin like one."""
        return frozenset(text for text in self._literals if self.word.run(text) != DEAD)

    @cached_property
    def everything(self) -> frozenset[Shape]:
        """All that says how far a lexeme goes, of whatever it may be."""
        shapes = (one for token in self.tokens.values() for one in (token.pattern, token.munch))
        signs = self._literals - self.words
        return frozenset((self.word, *self.quoted, *shapes, shape_of(signs, self.surface.fold_case)))

    @cached_property
    def _literals(self) -> frozenset[bytes]:
        return frozenset(self.text(part) for part in self._elements if isinstance(part, Literal))

    @cached_property
    def _elements(self) -> tuple[Element, ...]:
        return tuple(part for rule in self.surface.rules.values() for part in parts(rule.body))

    def first_of_literal(self, text: bytes) -> int:
        """The bytes that a literal may begin with, in both cases if the surface folds."""
        upper = text[:1].upper() if self.surface.fold_case else text[:1]
        return 1 << text[0] | 1 << upper[0]

    # --- what is expected ---

    @cached_property
    def expected(self) -> Remembered[Asked, Expected]:
        """What the next lexeme may be; equal questions get the same object."""
        return Remembered(self._expected, _REMEMBERED)

    @cached_property
    def literals(self) -> Remembered[Set[bytes | str], Expected | None]:
        """What the next lexeme may be where there are only these literals; None if there are tokens among them."""
        return Remembered(self._literal, _REMEMBERED)

    def _literal(self, keys: Set[bytes | str]) -> Expected | None:
        texts = frozenset([key for key in keys if isinstance(key, bytes)])
        if len(texts) < len(keys):
            return None
        return self.expected(Asked(texts, (), (), not texts.isdisjoint(self.words)))

    def _expected(self, asked: Asked) -> Expected:
        listed: dict[Spellings, None] = {self.listed(asked.literals): None} if asked.literals else {}
        shapes, kept, munched = set(self.skipped), set[Shape](), set(self.skipped)
        if asked.has_words:
            munched.add(self.word)
        for name, is_kept in asked.tokens:
            shapes.add(self.tokens[name].pattern)
            munched.add(self.tokens[name].munch)
            if is_kept:
                kept.add(self.tokens[name].pattern)
        for names, token in asked.offers:
            munched |= {self.word, *self.quoted} if token is None else {self.tokens[token].munch}
            if isinstance(names, NameSet):
                listed[names] = None
            else:
                own = {shape(names.shape), *(self.quoted if names.quoted else ())}
                shapes, kept, munched = shapes | own, kept | own, munched | own
        return Expected(tuple(listed), frozenset(shapes), frozenset(munched), frozenset(kept), self.surface.fold_case)

    @cached_property
    def listed(self) -> Remembered[frozenset[bytes], Listed]:
        """Some literals; equal ones are one object."""
        return Remembered(lambda texts: Listed(tuple(sorted(texts))), _REMEMBERED)


def _union(sets: Iterable[int]) -> int:
    found = 0
    for one in sets:
        found |= one
    return found


def _quoted(opening: str, closing: str) -> str:
    """The pattern of a name in quotes, with the closing mark doubled inside if it is the opening one too."""
    first, last = _escaped(opening), _escaped(closing)
    doubled = f"|{last}{last}" if opening == closing else ""
    return rf"{first}(?:[^{last}\0]{doubled})+{last}"


def _escaped(mark: str) -> str:
    return f"\\{mark}" if mark in r"\^$.*+?()[]{}|/-" else mark
