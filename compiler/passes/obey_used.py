"""Intersect the language with those of the used policies: a text is permitted if every policy permits it."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from langc.compiler.ir.language import Cover, Language, cover, intersection
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.passes.drop_idle_terms import drop_idle_terms
from langc.compiler.passes.open_regions import open_regions
from langc.compiler.passes.stop_on_phrases import stop_on_phrases


def obey_used(ir: PolicyIR) -> PolicyIR:
    """A smaller language: that of all scopes together, each with its own regions and stop phrases."""
    if not ir.used:
        return ir
    used = tuple(map(by_itself, ir.used))
    return replace(ir, language=reduce(_both, (u.language for u in used), ir.language), used=used)


def by_itself(scope: PolicyIR) -> PolicyIR:
    """One policy with its finished language, those that it uses left out."""
    return stop_on_phrases(open_regions(drop_idle_terms(replace(scope, used=()))))


def _both(one: Language, other: Language) -> Language:
    """The intersection; of two sets of characters again one, so that targets need not know that there were two."""
    if _is_plain(one) and _is_plain(other):
        assert isinstance(one, Cover)
        assert isinstance(other, Cover)
        return cover(one.base & other.base)
    return intersection(one, other)


def _is_plain(language: Language) -> bool:
    return isinstance(language, Cover) and not language.terms and not language.patterns
