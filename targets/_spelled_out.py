"""The language of a policy with exempt regions as one expression without borders, for formats made of expressions.

Invariant: the language is that of `open_regions`; a test compares the automata. A text is a row of outer stretches,
each permitted by the scope on its own, with regions between them.
"""

from __future__ import annotations

from langc.compiler.ir.language import (
    ANY_TEXT,
    EMPTY,
    FAIL,
    Cover,
    Language,
    alternation,
    complement,
    concat,
    intersection,
    repetition,
)
from langc.compiler.ir.nodes import PolicyIR, RuleKind
from langc.compiler.passes.drop_idle_terms import drop_idle_terms
from langc.compiler.passes.open_regions import THINK
from langc.compiler.unicode.intervals import IntervalSet
from langc.targets import _exempt_regions as regions
from langc.targets._exempt_regions import NEWLINE


def spell_out(ir: PolicyIR) -> Language | None:
    """The whole language of a policy, before its passes. None where only the automaton of its borders says it."""
    if ir.is_json:
        return None
    scopes = [drop_idle_terms(scope) for scope in ir.scopes]
    spelled = [_own(scope) for scope in scopes]
    return None if None in spelled else intersection(*(s for s in spelled if s is not None))


def _own(ir: PolicyIR) -> Language | None:
    scope = ir.language
    stops = any(rule.kind in (RuleKind.STOP, RuleKind.STOP_BEFORE) for rule in ir.rules)
    if stops or ir.regions or ir.inside is not None or not isinstance(scope, Cover):
        return None
    if not ir.exempt:
        return scope
    if "code" not in ir.exempt:
        return _think_only(scope)
    return _with_code(scope, "think" in ir.exempt) if _fits_between_code(scope) else None


def _fits_between_code(scope: Cover) -> bool:
    """Whether no term could reach over a border of code."""
    sets = (*(IntervalSet.of(t) for t in scope.terms), *(s for p in scope.patterns for s in p))
    return all(s.isdisjoint(IntervalSet.of("`\n")) for s in sets)


def _think_only(scope: Cover) -> Language:
    outer = intersection(scope, regions.without(THINK[0]))
    return concat(outer, repetition(concat(regions.between(*THINK), outer)))


def _with_code(scope: Cover, think: bool) -> Language:
    """The two places an outer stretch can start at, and the regions that lead from one to the other."""
    line = regions.line_with_spans(scope, THINK[0] if think else None)
    plain = intersection(line, complement(regions.fence_line()))
    more = repetition(concat(NEWLINE, plain)) if ord("\n") in scope.base else EMPTY
    at_line_start, inside_line = (_outer(first, more, think) for first in (plain, line))
    thought = regions.between(*THINK) if think else FAIL
    fence, last_fence = regions.fence(), regions.fence_to_the_end()

    to_line_start = alternation(EMPTY, _whole_lines(at_line_start))
    fences = repetition(concat(to_line_start, fence))
    end = alternation(at_line_start, concat(to_line_start, last_fence))
    back = concat(_whole_lines(inside_line), fence, fences)
    inside_end = alternation(inside_line, concat(_whole_lines(inside_line), last_fence), concat(back, end))
    again = alternation(concat(inside_line, thought), concat(back, at_line_start, thought))
    behind_thought = concat(repetition(again), inside_end)
    return concat(fences, alternation(end, concat(at_line_start, thought, behind_thought)))


def _outer(first: Language, more: Language, think: bool) -> Language:
    stretch = concat(first, more)
    return intersection(stretch, regions.without(THINK[0])) if think else stretch


def _whole_lines(stretch: Language) -> Language:
    return intersection(stretch, concat(ANY_TEXT, NEWLINE))
