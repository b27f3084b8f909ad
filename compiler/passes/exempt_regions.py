"""Make the language of a policy with exempt regions: everything is permitted inside them.

A text is a row of outer stretches, each permitted by the scope on its own, with regions between them: terms
never reach across a border, and behind a closer the scope starts afresh. What opens first stands: a fence
holds no other region; `<think>` opens anywhere outside fences and in no code span. An unclosed fence ends
with the text; an unclosed `<think>` is no permitted text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.ir import regions
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
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.ir.regions import NEWLINE
from langc.compiler.unicode.intervals import IntervalSet

THINK = ("<think>", "</think>")


@dataclass(frozen=True)
class Exemption:
    """A region that `Policy.with_(exempt=…)` knows."""

    summary: str
    markers: tuple[str, ...] = ()
    """Delimiters that a special token may spell."""


EXEMPTIONS: dict[str, Exemption] = {
    "code": Exemption("fenced code blocks, and code spans that close on their line"),
    "think": Exemption("from `<think>` to `</think>`", THINK),
}


def exempt_regions(ir: PolicyIR) -> PolicyIR:
    """A larger language: the old one outside the regions, any text inside.

    Raises PolicyError (LC0308) if a permitted term holds a backtick or a newline beside exempt code.
    """
    if not ir.exempt:
        return ir
    scope = ir.language
    assert isinstance(scope, Cover)
    if "code" not in ir.exempt:
        return replace(ir, language=_think_only(scope))
    _check_terms(ir, scope)
    return replace(ir, language=_with_code(scope, "think" in ir.exempt))


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


def _check_terms(ir: PolicyIR, scope: Cover) -> None:
    borders = IntervalSet.of("`\n")
    sets = (*(IntervalSet.of(t) for t in scope.terms), *(s for p in scope.patterns for s in p))
    if any(not s.isdisjoint(borders) for s in sets):
        raise PolicyError(
            Diagnostic(
                "LC0308",
                "a permitted term with a backtick or a newline cannot stand beside exempt code",
                Label(ir.source, ir.span),
                help="drop the term, or exempt only `think`",
            )
        )
