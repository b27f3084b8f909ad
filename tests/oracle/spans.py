"""Membership by definition: each operator is decided on a span of the text by trying every way to cut it.

Shares no code with the automata. Exponential in the text's length at worst, so texts stay short.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from langc.compiler.ir.language import (
    Alternation,
    Class,
    Complement,
    Concat,
    Cover,
    Intersection,
    Joined,
    JsonString,
    Language,
    Member,
    Repetition,
)
from langc.compiler.unicode.intervals import IntervalSet


def member(language: Language, text: str) -> bool:
    """Whether the whole text is in the language. A text with a surrogate is in none."""
    return not any("\ud800" <= c <= "\udfff" for c in text) and _Spans(text).holds(language, 0, len(text))


Shape = tuple[IntervalSet, ...]
"""A permitted term or pattern: one set a character."""


def shapes(cover: Cover) -> tuple[Shape, ...]:
    """The terms and patterns of a cover, alike."""
    return (*(tuple(IntervalSet.of(c) for c in term) for term in cover.terms), *cover.patterns)


def fits(shape: Shape, text: str) -> bool:
    """Whether the text is a whole occurrence."""
    return len(text) == len(shape) and all(ord(c) in s for c, s in zip(text, shape, strict=True))


def begins(shape: Shape, text: str) -> bool:
    """Whether the text is a true beginning of an occurrence."""
    return len(text) < len(shape) and fits(shape[: len(text)], text)


def marked(base: IntervalSet, items: Iterable[Shape], text: str) -> list[bool]:
    """For each character whether it is in the base or lies in some whole occurrence."""
    fine = [ord(c) in base for c in text]
    for item in items:
        for start in range(len(text) - len(item) + 1):
            if fits(item, text[start : start + len(item)]):
                fine[start : start + len(item)] = [True] * len(item)
    return fine


class _Spans:
    """`holds(language, i, j)`: whether `text[i:j]` is in the language; each question is answered once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._known: dict[tuple[int, int, int], bool] = {}

    def holds(self, language: Language, start: int, end: int) -> bool:
        key = (id(language), start, end)
        if key not in self._known:
            self._known[key] = self._decide(language, start, end)
        return self._known[key]

    def _decide(self, language: Language, start: int, end: int) -> bool:
        match language:
            case Class(members):
                return end - start == 1 and ord(self.text[start]) in members
            case Concat(parts):
                return self._row(parts, start, end)
            case Alternation(parts):
                return any(self.holds(p, start, end) for p in parts)
            case Intersection(parts):
                return all(self.holds(p, start, end) for p in parts)
            case Complement(part):
                return not self.holds(part, start, end)
            case Repetition(part, least, most):
                # Beyond `least`, empty pieces can be dropped, so more pieces than characters are never needed.
                top = max(least, end - start)
                counts = range(least, (top if most is None else min(top, most)) + 1)
                return any(self._row((part,) * n, start, end) for n in counts)
            case Cover():
                return all(marked(language.base, shapes(language), self.text[start:end]))
            case Joined(members, separator):
                return self._joined(members, separator, False, start, end)
            case JsonString(part):
                value = _json_value(self.text[start:end])
                return value is not None and member(part, value)
            case _:
                raise ValueError("phrases and scopes have referees of their own")

    def _joined(self, members: tuple[Member, ...], separator: Language, is_begun: bool, start: int, end: int) -> bool:
        """The members from the first on, the separator before each if something stands before it."""
        if not members:
            return start == end
        first, *rest = members
        if not first.is_required and self._joined(tuple(rest), separator, is_begun, start, end):
            return True
        piece = (separator, first.part) if is_begun else (first.part,)
        again = (replace(first, is_required=False), *rest)
        return any(
            self._joined(tuple(rest), separator, True, cut, end)
            or (first.is_repeated and cut > start and self._joined(again, separator, True, cut, end))
            for cut in range(start, end + 1)
            if self._row(piece, start, cut)
        )

    def _row(self, parts: tuple[Language, ...], start: int, end: int) -> bool:
        if not parts:
            return start == end
        cuts = range(start, end + 1)
        return any(self.holds(parts[0], start, cut) and self._row(parts[1:], cut, end) for cut in cuts)


def _json_value(contents: str) -> str | None:
    """What a JSON string stands for, if these are its contents as `json` itself writes them."""
    try:
        value = json.loads(f'"{contents}"')
    except ValueError:
        return None
    is_written_so = isinstance(value, str) and json.dumps(value, ensure_ascii=False) == f'"{contents}"'
    return value if is_written_so else None
