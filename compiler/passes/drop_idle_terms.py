"""Drop permitted terms that permit nothing new: the base and the other terms cover every character of theirs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from langc.compiler.ir.language import Cover, cover
from langc.compiler.ir.nodes import PolicyIR

_LONGEST = 64
"""Longer terms are checked against the base only: the work grows with the square of the length."""


def drop_idle_terms(ir: PolicyIR) -> PolicyIR:
    """The same language with fewer terms, so that targets stay small and read fewer texts in two ways."""
    scope = ir.language
    if not isinstance(scope, Cover):
        return ir
    known = frozenset(scope.terms)
    # A term is covered by shorter ones alone, so it does not matter that those may be idle themselves.
    kept = tuple(t for t in scope.terms if not _is_covered(t, scope, known))
    patterns = tuple(p for p in scope.patterns if not all(members <= scope.base for members in p))
    return replace(ir, language=cover(scope.base, kept, patterns))


def _is_covered(term: str, scope: Cover, known: Collection[str]) -> bool:
    uncovered = {i for i, c in enumerate(term) if ord(c) not in scope.base}
    if len(term) <= _LONGEST:
        for start, end in _inside(term):
            if term[start:end] in known:
                uncovered.difference_update(range(start, end))
    return not uncovered


def _inside(term: str) -> Iterator[tuple[int, int]]:
    """The proper substrings of two characters or more, as offsets."""
    length = len(term)
    for start in range(length - 1):
        yield from ((start, end) for end in range(start + 2, length + 1) if end - start < length)
