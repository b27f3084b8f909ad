"""A policy without its `stop before` lines: what a model may write where it cannot be stopped."""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.ir.nodes import PolicyIR, RuleKind


def has_stop_before(ir: PolicyIR) -> bool:
    """Whether any of the scopes has such a line."""
    return any(rule.kind is RuleKind.STOP_BEFORE for scope in ir.scopes for rule in scope.rules)


def without_stop_before(ir: PolicyIR) -> PolicyIR:
    """The policy without the lines. Their phrases are no part of `language` before the passes, so it stays."""
    rules = tuple(rule for rule in ir.rules if rule.kind is not RuleKind.STOP_BEFORE)
    return replace(ir, rules=rules, used=tuple(map(without_stop_before, ir.used)))
