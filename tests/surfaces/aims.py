"""What a sampler sets out to write at a place: a name, a sign, a value, or the end of what has begun.

Left to chance alone, texts would be free values and comments: there are so many more of those than of names. Nothing
here decides what may be written: an aim is given up where a mask refuses its next token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.engine.lexemes import Lexeme, Listed, shape
from langc.compiler.surfaces.engine.parse import Point
from langc.compiler.surfaces.environment.names import Entry, NameSet, Words

_NAMES, _LEADING, _LITERAL, _VALUE = 12, 6, 2, 1
"""How often one of a place's names is wanted, a literal behind which there are names, another one, and what is free."""
_TRIED = 6
"""Names of which the one that was wanted least so far is taken."""
_LITERALS_TRIED, _WORDS_TRIED = 3, 40
_UPPER, _APART = 0.7, 0.8
"""The part of literals in capitals, where the surface folds; the part of lexemes that stand behind a blank."""
_CLOSERS = (b"'", b'"', b"`", b"]", b"*/", b"\n")
_Item = TypeVar("_Item")


@dataclass
class Aims:
    """Aims at the places of one engine. `values` are written where anything may stand."""

    engine: Engine
    values: Sequence[bytes]
    random: np.random.Generator
    wanted: Counter[Entry] = field(default_factory=Counter)

    def aim(self, config: Config) -> bytes:
        """What is to be written next; empty where nothing is better than what comes."""
        if not config.lexeme.begun:
            return self._lexeme(config.point)
        if config.behind is None:
            return self._rest(config)
        return self._apart(config.lexeme, self._lexeme(config.behind))

    def only_values(self, config: Config) -> bool:
        """Whether all that may follow is free: no name, and no literal."""
        point = config.behind if config.lexeme.begun else config.point
        return point is not None and self._is_free(point)

    def blanks_before_names(self, config: Config) -> bytes | None:
        """What to write before a name, if one of Γ may stand next: a blank or nothing. None if none may."""
        point = config.behind if config.lexeme.begun else config.point
        if point is None:
            return None
        if _names(point):
            return b" " if config.lexeme.begun and self._skips_blanks else b""
        behind = [self._behind_blank(point, name) for name in point.tokens]
        return b" " if any(one is not None and _names(one) for one in behind) else None

    def _is_free(self, point: Point) -> bool:
        if point.literals or _names(point):
            return False
        behind = (self._behind_blank(point, name) for name in point.tokens)
        return all(one is None or self._is_free(one) for one in behind)

    def _behind_blank(self, point: Point, token: str) -> Point | None:
        """The point behind a token that a blank is; None for other tokens."""
        own = shape(self.engine.surface.tokens[token].pattern)
        return point.after((), (own,), b" ") if own.matches(b" ") else None

    def choice(self, items: Sequence[_Item]) -> _Item:
        """One of several, each as likely as another."""
        return items[int(self.random.integers(len(items)))]

    def _apart(self, lexeme: Lexeme, text: bytes) -> bytes:
        """A lexeme behind another one, most often with a blank between where the surface skips blanks."""
        if not text or not self._skips_blanks or lexeme.step(0x20) is not None:
            return text
        is_glued = lexeme.step(text[0]) is not None
        return b" " + text if is_glued or self.random.random() < _APART else text

    @property
    def _skips_blanks(self) -> bool:
        return any(skipped.matches(b" ") for skipped in self.engine.parser.lexicon.skipped)

    def _lexeme(self, point: Point) -> bytes:
        names = _names(point)
        words = [names for names, _ in point.slots if isinstance(names, Words)]
        literals, tokens = self._tried(list(point.literals)), list(point.tokens)
        leading = [text for text in literals if self._leads_to_names(point, text)]
        kinds: list[Callable[[], bytes]] = []
        if names:
            kinds += [lambda: self._name(self.choice(names))] * _NAMES
        if leading:
            kinds += [lambda: self._literal(self.choice(leading))] * _LEADING
        if literals:
            kinds += [lambda: self._literal(self.choice(literals))] * _LITERAL
        free: list[Words | str] = [*words, *tokens]
        if free:
            kinds += [lambda: self._free(point, self.choice(free))] * _VALUE
        return self.choice(kinds)() if kinds else b""

    def _tried(self, literals: list[bytes]) -> list[bytes]:
        return [literals[at] for at in self.random.permutation(len(literals))[:_LITERALS_TRIED]]

    def _leads_to_names(self, point: Point, literal: bytes) -> bool:
        behind = point.after((Listed((literal,)),), (), literal)
        return behind is not None and bool(_names(behind))

    def _literal(self, text: bytes) -> bytes:
        return text.upper() if self.engine.surface.fold_case and self.random.random() < _UPPER else text

    def _name(self, names: NameSet) -> bytes:
        tried: list[int] = self.random.integers(len(names), size=_TRIED).tolist()
        best = min(tried, key=lambda at: self.wanted[names.entries[at]])
        self.wanted[names.entries[best]] += 1
        return names.spellings[best]

    def _free(self, point: Point, what: Words | str) -> bytes:
        """A value of a token, or a word. A blank is never alone: what stands behind it is aimed at too."""
        if isinstance(what, Words):
            return self._fitting(what.shape, what.allows)
        behind = self._behind_blank(point, what)
        if behind is not None:
            return b" " + self._lexeme(behind)
        return self._fitting(self.engine.surface.tokens[what].pattern, lambda _: True)

    def _fitting(self, pattern: str, allows: Callable[[bytes], bool]) -> bytes:
        tried = [self.choice(self.values) for _ in range(_WORDS_TRIED)] if self.values else []
        return next((value for value in tried if shape(pattern).matches(value) and allows(value)), b"")

    def _rest(self, config: Config) -> bytes:
        """The rest of a name or literal that has begun, or what closes a value."""
        if config.lexeme.listed:
            names, low, high = self.choice(config.lexeme.listed)
            return names.spellings[int(self.random.integers(low, high))][config.lexeme.depth :]
        for closer in _CLOSERS:
            behind = config.run(closer)
            if behind is not None and behind.behind is not None:
                return closer
        return b""


def _names(point: Point) -> list[NameSet]:
    return [names for names, _ in point.slots if isinstance(names, NameSet)]
