"""Denied phrases taken out of a policy: where they are very many, they are read beside the rest of it."""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.ir.lower import denote
from langc.compiler.ir.nodes import PolicyIR, RuleKind
from langc.compiler.ir.phrases import Phrase

MANY_ATOMS = 200
"""Atoms of all phrases together from which on their automaton is not built out."""


def has_many_phrases(ir: PolicyIR) -> bool:
    """Whether a policy is to be taken apart."""
    return is_plain(ir) and sum(len(p.atoms) for p in denied_phrases(ir)) >= MANY_ATOMS


def is_plain(ir: PolicyIR) -> bool:
    """Whether a policy can be: phrases hold everywhere, and nothing costs or stops."""
    kinds = {rule.kind for scope in ir.scopes for rule in scope.rules}
    bare = not any(scope.regions or scope.exempt for scope in ir.scopes)
    return bare and not ir.is_json and kinds.isdisjoint({RuleKind.STOP, RuleKind.DISCOURAGE})


def denied_phrases(ir: PolicyIR) -> tuple[Phrase, ...]:
    """The denied phrases of all scopes."""
    return tuple(p for scope in ir.scopes for rule in scope.denials for p in rule.phrases)


def without_phrases(ir: PolicyIR) -> PolicyIR:
    """The policy without its denied phrases."""
    rules = tuple(rule for rule in ir.rules if rule not in ir.denials)
    return replace(ir, rules=rules, language=denote(rules), used=tuple(map(without_phrases, ir.used)))
