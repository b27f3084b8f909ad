"""Refuse a policy under which nothing but the empty text could be written, and name the rules that clash.

The empty text alone is in every scope, but a model that may only stop is not what anybody asked for.
"""

from __future__ import annotations

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import Cover
from langc.compiler.ir.nodes import PolicyIR, Rule, RuleKind
from langc.compiler.unicode.intervals import SCALARS, IntervalSet


def reject_contradictions(ir: PolicyIR) -> PolicyIR:
    """The IR unchanged. Raises PolicyError (LC0401) if no character is permitted."""
    scope = ir.language
    if isinstance(scope, Cover) and not (scope.base or scope.terms or scope.patterns):
        raise PolicyError(_clash(ir))
    return ir


def _clash(ir: PolicyIR) -> Diagnostic:
    blamed = _least_clash([r for r in ir.rules if r.kind is not RuleKind.ALLOW])
    labels = [Label(ir.source, r.span, f"`{r.text}`") for r in blamed]
    what = "these rules leave" if len(blamed) > 1 else "this rule leaves"
    return Diagnostic(
        "LC0401",
        f"policy {ir.name} permits nothing: {what} no character that a text could hold",
        labels[-1] if labels else Label(ir.source, ir.span),
        tuple(labels[:-1]),
        help="widen one of them, or give characters back with `allow`",
    )


def _least_clash(rules: list[Rule]) -> list[Rule]:
    """A smallest-by-removal set of rules that already leaves nothing: each of them is needed."""
    kept = list(rules)
    for rule in rules:
        without = [r for r in kept if r is not rule]
        if not _remaining(without):
            kept = without
    return kept


def _remaining(rules: list[Rule]) -> IntervalSet:
    left = SCALARS
    for rule in rules:
        left = left & rule.members if rule.kind is RuleKind.ONLY else left - rule.members
    return left
