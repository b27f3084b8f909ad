"""The language of a policy as an expression without borders, which the referee reads."""

from __future__ import annotations

from langc.compiler.ir.language import Language
from langc.compiler.policy import Policy
from langc.targets._spelled_out import spell_out


def expression_of(policy: Policy) -> Language:
    """What a policy permits; regions that are exempt are spelled out. Raises ValueError for what cannot be."""
    language = policy.ir.language
    if any(scope.exempt for scope in policy.lowered.scopes):
        spelled = spell_out(policy.lowered)
        if spelled is None:
            raise ValueError(f"policy {policy.name} has no expression without borders")
        language = spelled
    return language
