"""Refuse a policy under which nothing but the empty text could be written, and name the rules that clash.

The empty text alone is in every scope, but a model that may only stop is not what anybody asked for.
"""

from __future__ import annotations

from functools import reduce
from operator import and_

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import Cover
from langc.compiler.ir.nodes import PolicyIR, Rule, RuleKind, permitted
from langc.compiler.unicode.intervals import SCALARS


def reject_contradictions(ir: PolicyIR) -> PolicyIR:
    """The IR unchanged. Raises PolicyError (LC0401) if no character is permitted.

    Of policies that use others this is decided here unless terms are involved; `Policy.dfa` decides the rest.
    """
    covers = [scope.language for scope in ir.scopes if isinstance(scope.language, Cover)]
    shared = reduce(and_, (c.base for c in covers), SCALARS)
    has_terms = any(c.terms or c.patterns for c in covers)
    if (not shared and not has_terms) or any(not (c.base or c.terms or c.patterns) for c in covers):
        raise PolicyError(clash(ir))
    return ir


def clash(ir: PolicyIR) -> Diagnostic:
    """The diagnostic of a policy that permits nothing, with a smallest set of rules that leaves no character."""
    terms = [r for scope in ir.scopes for r in scope.rules if r.terms or r.patterns]
    labels = [Label(r.source, r.span, f"`{r.text}`") for r in [*_least_clash(ir), *terms]]
    own = [label for label in labels if label.source is ir.source]
    primary = (own or labels or [Label(ir.source, ir.span)])[-1]
    what = "these rules leave" if len(labels) > 1 else "this rule leaves"
    nothing = "no text but the empty one" if terms else "no character that a text could hold"
    return Diagnostic(
        "LC0401",
        f"policy {ir.name} permits nothing: {what} {nothing}",
        primary,
        tuple(label for label in labels if label is not primary),
        help="widen one of them, or give characters back with `allow`",
    )


def _least_clash(ir: PolicyIR) -> list[Rule]:
    """A smallest-by-removal set of rules that already leaves no character: each of them is needed."""
    scopes = [list(scope.rules) for scope in ir.scopes]
    for rules in scopes:
        for rule in [r for r in rules if r.kind is not RuleKind.ALLOW]:
            place = rules.index(rule)
            del rules[place]
            if reduce(and_, map(permitted, scopes)):
                rules.insert(place, rule)
    return [r for rules in scopes for r in rules if r.kind is not RuleKind.ALLOW]
