"""Borders between scopes: symbols between two characters, at which the text leaves a scope or enters one.

A border is a surrogate code point, which no text can hold. Scope 0 is the policy's own rules, scope n those of its
n-th kind of region.
"""

from __future__ import annotations

from langc.compiler.ir.language import Class, Language, concat, literal, repetition
from langc.compiler.unicode.intervals import SCALARS, SURROGATES, IntervalSet

ANY: Language = repetition(Class(SCALARS | SURROGATES))
"""Characters and borders."""
BORDERS: Language = repetition(Class(SURROGATES))


def entering(scope: int) -> IntervalSet:
    """The symbol of the border at which a scope begins."""
    return IntervalSet.of(SURROGATES.first() + 2 * scope)


def leaving(scope: int) -> IntervalSet:
    """The symbol of the border at which a scope ends."""
    return IntervalSet.of(SURROGATES.first() + 2 * scope + 1)


def enter(scope: int) -> Language:
    """The border at which a scope begins."""
    return Class(entering(scope))


def leave(scope: int) -> Language:
    """The border at which a scope ends."""
    return Class(leaving(scope))


def borders(scopes: int) -> IntervalSet:
    """The symbols of the borders of so many scopes."""
    first = SURROGATES.first()
    return IntervalSet(((first, first + 2 * scopes - 1),))


def spread(text: str) -> Language:
    """The text, whatever borders stand between its characters."""
    return concat(*(concat(BORDERS, literal(c)) for c in text))
