"""Refuse a policy under which nothing but the empty text could be written, and name the rules that clash.

The empty text alone is in every scope, but a model that may only stop is not what anybody asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import Cover
from langc.compiler.ir.nodes import PolicyIR, Rule, RuleKind, permitted
from langc.compiler.unicode.intervals import SCALARS

_FEW = 32
"""Up to so many rules are tried one by one, where each trial takes an automaton."""

Scopes = Sequence[Sequence[Rule]]


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


def clash(ir: PolicyIR, permits_nothing: Callable[[Scopes], bool] | None = None) -> Diagnostic:
    """The diagnostic of a policy that permits nothing, with a smallest set of rules that already permits nothing.

    `permits_nothing` decides on the languages of scopes, where it takes more than their sets of characters.
    """
    terms = [r for scope in ir.scopes for r in scope.rules if r.terms or r.patterns]
    labels = [Label(r.source, r.span, f"`{r.text}`") for r in [*_least_clash(ir, permits_nothing), *terms]]
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


def _least_clash(ir: PolicyIR, permits_nothing: Callable[[Scopes], bool] | None) -> list[Rule]:
    """A smallest-by-removal set of rules that already leaves nothing: each of them is needed."""
    scopes = [list(scope.rules) for scope in ir.scopes]
    removable = [(rules, r) for rules in scopes for r in rules if r.kind is not RuleKind.ALLOW]
    if permits_nothing is None or len(removable) > _FEW:
        permits_nothing = _permit_no_character
    for rules, rule in removable:
        place = rules.index(rule)
        del rules[place]
        if not permits_nothing(scopes):
            rules.insert(place, rule)
    return [r for rules in scopes for r in rules if r.kind is not RuleKind.ALLOW]


def _permit_no_character(scopes: Scopes) -> bool:
    return not reduce(and_, map(permitted, scopes))
