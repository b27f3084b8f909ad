"""What each terminal of a surface becomes in a grammar: lexemes, each with its borders.

Invariant: the pieces of a terminal together have every text that the terminal has anywhere in a text. All lexemes of
one terminal that border alike are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from langc.compiler.ir.language import ANY_TEXT, Language, alternation, class_, concat, intersection, repetition
from langc.compiler.json_schema.patterns import pattern_language
from langc.compiler.surfaces.engine.lexemes import FOLD, Shape, shape
from langc.compiler.surfaces.engine.network import Terminal
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.model import Literal, Reference, Surface, TokenUse
from langc.compiler.surfaces.snapshot.lexemes import Lexeme, continues, continues_behind, firsts, munched_behind
from langc.compiler.surfaces.snapshot.supply import Supplies, Supply
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

OPEN, WORD, DONE, ANY = 0, 1, 2, 3
"""What stands before a place or at an end: nothing that a word could grow into; a lexeme that ends wordy; what the rest
of the text is no matter behind. `ANY` is only an end: whatever stands there."""

_REMEMBERED = 10_000
"""Lexemes."""


@dataclass(frozen=True)
class Piece:
    """A lexeme as a terminal has it."""

    lexeme: Lexeme
    begins_wordy: bool
    ends: int
    """`OPEN` or `WORD`; `DONE` where the rest of the text is no matter."""
    behind: int = OPEN
    """Where it ends `DONE`: whether a word would grow into the rest, `OPEN` or `WORD`."""

    @property
    def last(self) -> Piece:
        """The same, where the rest of the text is no matter."""
        return replace(self, ends=DONE, behind=self.ends)


@dataclass(eq=False)
class Borders:
    """Where the words of a surface go on."""

    surface: Surface

    @cached_property
    def word(self) -> Shape:
        """The shape of bare names and keywords."""
        return shape(self.surface.word)

    @cached_property
    def wordy(self) -> frozenset[int]:
        """The bytes that go on behind every word."""
        return continues(self.word)

    def ends(self, continued: frozenset[int]) -> int:
        """What stands behind a lexeme that goes on with these bytes."""
        return WORD if self.wordy and continued >= self.wordy else OPEN

    def literal_ends(self, text: bytes) -> int:
        """What stands behind a literal or a name: words go on as words do."""
        return self.ends(continues_behind(self.word, text)) if self._certain(text) else OPEN

    def begins_wordy(self, text: bytes) -> bool:
        """Whether a text begins as words go on."""
        return text[0] in self.wordy and self._certain(text[:1])

    def _certain(self, text: bytes) -> bool:
        """Whether words go on in the same way whatever the case of a text's letters is, if that is no matter."""
        return not self.surface.fold_case or self._takes_both_cases or text.upper() == text.lower()

    @cached_property
    def _takes_both_cases(self) -> bool:
        return all(row[letter] == row[letter - 32] for row in self.word.table for letter in range(0x61, 0x7B))

    def split(self, pattern: Language, first: frozenset[int]) -> Iterator[tuple[Language, bool]]:
        """A pattern by whether its texts begin as words go on."""
        if first.isdisjoint(self.wordy) or first <= self.wordy:
            yield pattern, first <= self.wordy
            return
        for letters, wordy in ((self.letters, True), (SCALARS - self.letters, False)):
            yield intersection(pattern, concat(class_(letters), ANY_TEXT)), wordy

    @cached_property
    def letters(self) -> IntervalSet:
        """The characters whose first byte goes on behind a word."""
        return IntervalSet.of(*(_led_by(byte) for byte in self.wordy if byte < 0x80 or 0xC2 <= byte <= 0xF4))


@dataclass(eq=False)
class Pieces:
    """The pieces of each terminal of a surface, with the names of an environment and any that could be declared."""

    surface: Surface
    environment: Environment
    _made: dict[Terminal, tuple[Piece, ...]] = field(default_factory=dict)
    _lexemes: dict[object, Lexeme] = field(default_factory=dict)

    def of(self, terminal: Terminal) -> tuple[Piece, ...]:
        """The pieces of a terminal; () if nothing can stand there."""
        found = self._made.get(terminal)
        if found is None:
            found = self._made[terminal] = tuple(self._pieces(terminal))
        return found

    @cached_property
    def skip(self) -> Lexeme | None:
        """One or more skipped tokens in a row."""
        patterns = [_language(token.pattern) for token in self.surface.tokens.values() if token.skipped]
        if not patterns:
            return None
        return Lexeme("skip", repetition(alternation(*patterns), 1, None), parts=tuple(patterns))

    def anything(self, before: int) -> Lexeme:
        """One character and whatever follows; behind a word no character of a word."""
        first = SCALARS - self.borders.letters if before == WORD else SCALARS
        return self._lexeme(("anything", before), Lexeme("anything", concat(class_(first), ANY_TEXT)))

    @cached_property
    def borders(self) -> Borders:
        """Where words go on."""
        return Borders(self.surface)

    def literal(self, text: str) -> Iterator[Piece]:
        """A fixed lexeme, in either case where the surface folds."""
        fold = self.surface.fold_case
        data = text.encode().translate(FOLD) if fold else text.encode()
        lexeme = self._lexeme(("literal", data), Lexeme(text, None, (data.decode(),), fold))
        yield Piece(lexeme, self.borders.begins_wordy(text.encode()), self.borders.literal_ends(text.encode()))

    def token(self, name: str) -> Iterator[Piece]:
        """A lexeme of a named token."""
        token = self.surface.tokens[name]
        own, munch = shape(token.pattern), shape(token.munch or token.pattern)
        ends = self.borders.ends(munched_behind(own, munch))
        for language, wordy in self.borders.split(_language(token.pattern), firsts(own)):
            yield Piece(self._lexeme(("token", name, wordy), Lexeme(name, language)), wordy, ends)

    def names(self, label: str, spellings: Iterable[bytes]) -> Iterator[Piece]:
        """A row of names as they are written, in either case where the surface folds."""
        grouped: dict[tuple[bool, int], list[str]] = {}
        for text in spellings:
            border = (self.borders.begins_wordy(text), self.borders.literal_ends(text))
            grouped.setdefault(border, []).append(text.decode())
        for (wordy, ends), texts in grouped.items():
            words = tuple(sorted(texts))
            lexeme = self._lexeme(("names", words), Lexeme(label, None, words, self.surface.fold_case))
            yield Piece(lexeme, wordy, ends)

    def words(self, token: str | None, excluded: Iterable[bytes], quoted: bool) -> Iterator[Piece]:
        """Any word of a shape, or in quotes any text, but for some words."""
        pattern = self.surface.word if token is None else self.surface.tokens[token].pattern
        yield from self.shaped(pattern, excluded)
        if quoted:
            yield from self.quoted()

    def quoted(self) -> Iterator[Piece]:
        """Any name in quotes."""
        for opening, closing in self.surface.quotes:
            yield from self._in_quotes(opening, closing)

    def shaped(self, pattern: str, excluded: Iterable[bytes]) -> Iterator[Piece]:
        """Any word of a pattern but some."""
        own = shape(pattern)
        without = tuple(sorted(word.decode() for word in excluded if self._has(own, word)))
        ends = self.borders.ends(continues(own))
        for language, wordy in self.borders.split(_language(pattern), firsts(own)):
            lexeme = Lexeme("word", language, without, self.surface.fold_case)
            yield Piece(self._lexeme(("word", pattern, wordy, without), lexeme), wordy, ends)

    def _has(self, own: Shape, word: bytes) -> bool:
        return own.matches(word) or (self.surface.fold_case and own.matches(word.upper()))

    def _in_quotes(self, opening: str, closing: str) -> Iterator[Piece]:
        plain = class_(SCALARS - IntervalSet.of(closing[0], "\0"))
        inner = alternation(plain, _text(closing * 2)) if opening == closing else plain
        language = concat(_text(opening), repetition(inner, 1, None), _text(closing))
        first = opening.encode()
        lexeme = self._lexeme(("quoted", opening, closing), Lexeme(f"{opening}…{closing}", language))
        yield Piece(lexeme, self.borders.begins_wordy(first), OPEN)

    def _lexeme(self, key: object, made: Lexeme) -> Lexeme:
        if len(self._lexemes) >= _REMEMBERED:
            self._lexemes.clear()
        return self._lexemes.setdefault(key, made)

    def _pieces(self, terminal: Terminal) -> Iterator[Piece]:
        match terminal:
            case Literal(text):
                yield from self.literal(text)
            case TokenUse(token):
                yield from self.token(token)
            case Reference():
                yield from self._supplied(self._supplies.of(terminal), terminal)
            case _:
                yield from self._supplied(self._supplies.of(terminal), None)

    def _supplied(self, supply: Supply, slot: Reference | None) -> Iterator[Piece]:
        listed: set[bytes] = set()
        for sort in sorted(supply.sorts):
            wanted = slot is not None and supply.sorts == {sort} and not supply.shapes
            entries = [e for e in self._of_sort(sort) if not (wanted and slot) or e.has(slot.where, slot.where_not)]
            listed.update(Group.of(entries).names(self._spelling).spellings)
        label = slot.sort if slot is not None else "names"
        keywords = [word.encode() for word in self.surface.keywords]
        if None in supply.shapes:
            listed = {text for text in listed if not self._is_open(text)}
        yield from self.names(label, listed)
        for token in sorted(supply.shapes, key=str):
            yield from self.words(token, keywords, token is None)
        if supply.ordinals:
            yield from self.shaped("[1-9][0-9]*", ())

    def _is_open(self, text: bytes) -> bool:
        """Whether a name is among those that any word stands for."""
        return self.borders.word.matches(text) or any(text.startswith(q.encode()) for q, _ in self.surface.quotes)

    def _of_sort(self, sort: str) -> list[Entry]:
        return self._by_sort.get(sort, [])

    @cached_property
    def _by_sort(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        waiting = list(self.environment.groups.items())
        while waiting:
            sort, group = waiting.pop()
            found.setdefault(sort, []).extend(group)
            waiting.extend(pair for entry in group for pair in entry.members.items())
        return found

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling.of(self.surface)

    @cached_property
    def _supplies(self) -> Supplies:
        return Supplies(self.surface)


def _language(pattern: str) -> Language:
    return pattern_language(f"^(?:{pattern})$")


def _text(text: str) -> Language:
    return concat(*(class_(IntervalSet.of(letter)) for letter in text))


def _led_by(byte: int) -> tuple[int, int]:
    """The characters whose encoding begins with a byte."""
    if byte < 0x80:
        return byte, byte
    if byte < 0xE0:
        return (byte & 0x1F) << 6, (byte & 0x1F) << 6 | 0x3F
    if byte < 0xF0:
        return max((byte & 0xF) << 12, 0x800), (byte & 0xF) << 12 | 0xFFF
    return max((byte & 7) << 18, 0x10000), min((byte & 7) << 18 | 0x3FFFF, 0x10FFFF)
