"""The meaning of one scope by marking, without any notion of a residual.

A character is fine if it is in the base or lies in a complete occurrence of a term. A beginning of a text can still
become permitted iff its first character that is not fine lies in an occurrence that has begun, matches so
far and reaches beyond the end: when that is completed it covers everything behind it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from langc.compiler.ir.nodes import Rule, RuleKind
from langc.compiler.unicode.intervals import IntervalSet


def permits(rules: Iterable[Rule], symbol: int) -> bool:
    """Whether the rules of a scope permit a character by itself, as the order of meaning says."""
    rules = list(rules)
    if any(r.kind is RuleKind.ALLOW and symbol in r.members for r in rules):
        return True
    denied = any(r.kind is RuleKind.DENY and symbol in r.members for r in rules)
    return not denied and all(symbol in r.members for r in rules if r.kind is RuleKind.ONLY)


def terms_of(rules: Iterable[Rule]) -> tuple[str, ...]:
    """The permitted terms of a scope."""
    return tuple(t for r in rules if r.kind is RuleKind.ALLOW for t in r.terms)


def first_violation(base: IntervalSet, terms: Sequence[str], text: str) -> int | None:
    """The first offset after which no permitted text is left; the length if only the end is wrong; else None."""
    return violation([ord(c) in base for c in text], terms, text)


def violation_of_rules(rules: Sequence[Rule], text: str) -> int | None:
    """The same, from the rules themselves."""
    scalars = [not "\ud800" <= c <= "\udfff" and permits(rules, ord(c)) for c in text]
    return violation(scalars, terms_of(rules), text)


def violation(permitted: Sequence[bool], terms: Sequence[str], text: str) -> int | None:
    """The same, for characters that were judged one by one."""
    for end in range(1, len(text) + 1):
        if not _can_still_be(permitted[:end], terms, text[:end]):
            return end - 1
    return None if _first_waiting(permitted, terms, text) is None else len(text)


def _first_waiting(permitted: Sequence[bool], terms: Sequence[str], text: str) -> int | None:
    fine = list(permitted)
    for term in terms:
        for start in range(len(text)):
            if text.startswith(term, start):
                fine[start : start + len(term)] = [True] * len(term)
    return fine.index(False) if False in fine else None


def _can_still_be(permitted: Sequence[bool], terms: Sequence[str], text: str) -> bool:
    waiting = _first_waiting(permitted, terms, text)
    if waiting is None:
        return True
    begun = range(waiting + 1)
    return any(term != text[start:] and term.startswith(text[start:]) for term in terms for start in begun)
