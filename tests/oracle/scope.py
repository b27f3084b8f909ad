"""The meaning of one scope by marking, without any notion of a residual.

A character is fine if it is in the base or lies in a whole occurrence of a term. A beginning of a text can still
become permitted iff its first character that is not fine lies in an occurrence that has begun, matches so
far and reaches beyond the end: when that is completed it covers everything behind it too.
"""

from __future__ import annotations

from collections.abc import Sequence

from langc.compiler.ir.language import Cover
from langc.compiler.ir.nodes import Rule, RuleKind
from langc.compiler.unicode.intervals import IntervalSet
from tests.oracle.spans import Shape, begins, marked, shapes


def first_violation(cover: Cover, text: str) -> int | None:
    """The first offset after which no permitted text is left; the length if only the end is wrong; else None."""
    return _violation(cover.base, shapes(cover), text)


def violation_of_rules(rules: Sequence[Rule], text: str) -> int | None:
    """The same, from the rules as written: `allow` before `deny` and `only`, the `only` lines together."""
    allows = [r for r in rules if r.kind is RuleKind.ALLOW]
    permitted = {c for c in text if _permits(rules, ord(c)) and not "\ud800" <= c <= "\udfff"}
    items = [i for r in allows for i in (*(tuple(map(IntervalSet.of, t)) for t in r.terms), *r.patterns) if all(i)]
    return _violation(IntervalSet.of("".join(permitted)), items, text)


def _permits(rules: Sequence[Rule], symbol: int) -> bool:
    if any(r.kind is RuleKind.ALLOW and symbol in r.members for r in rules):
        return True
    denied = any(r.kind is RuleKind.DENY and symbol in r.members for r in rules)
    return not denied and all(symbol in r.members for r in rules if r.kind is RuleKind.ONLY)


def _violation(base: IntervalSet, items: Sequence[Shape], text: str) -> int | None:
    for end in range(1, len(text) + 1):
        if not _can_still_be(base, items, text[:end]):
            return end - 1
    return None if all(marked(base, items, text)) else len(text)


def _can_still_be(base: IntervalSet, items: Sequence[Shape], text: str) -> bool:
    fine = marked(base, items, text)
    if all(fine):
        return True
    waiting = fine.index(False)
    return any(begins(item, text[start:]) for item in items for start in range(waiting + 1))
