"""What to do where a policy is too large for a target: the help of its LC0701.

Invariant: a target that is named has been tried and carries the policy; of `processor`, which would need a vocabulary,
the automaton has been made, unless it is known to need none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from langc import targets
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.ir.language import Cover
from langc.compiler.ir.nodes import PolicyIR, Rule, RuleKind
from langc.compiler.policy import Policy
from langc.compiler.target import Request

_GRAMMARS = ("gbnf", "xgrammar", "llguidance")
"""Text targets that can have room where another has none."""
_LAST = "processor"


def with_way_out(error: LimitError, policy: Policy, target: str) -> LimitError:
    """The error; where it lies in no file and has no help of its own, with what carries the policy instead."""
    return LimitError(_helped(d, policy, target) for d in error.diagnostics)


def _helped(found: Diagnostic, policy: Policy, target: str) -> Diagnostic:
    if found.primary is not None or (found.help is not None and not policy.apart):
        return found
    return replace(found, help=way_out(policy, target))


def way_out(policy: Policy, target: str) -> str:
    """One line: the targets that carry the policy, or else what makes it large."""
    able = [*_able(policy, target)]
    if not able:
        return _what_is_large(policy.lowered)
    if len(able) == 1:
        return f"target {able[0]} carries this policy"
    return f"targets {', '.join(able[:-1])} and {able[-1]} carry this policy"


def _able(policy: Policy, target: str) -> Iterator[str]:
    """An automaton that was too large is not made again: then only what needs none is tried."""
    has_automaton = isinstance(policy.ir.language, Cover) or "dfa" in vars(policy)
    for name in _GRAMMARS:
        needs_none = name == "llguidance" and policy.apart is not None
        if name != target and (has_automaton or needs_none) and _carries(name, policy):
            yield name
    if target != _LAST and (policy.apart or (has_automaton and _has_bytes(policy))):
        yield _LAST


def _carries(name: str, policy: Policy) -> bool:
    try:
        targets.get(name).emit(Request(policy, None, None, {}, {}))
    except LangcError:
        return False
    return True


def _has_bytes(policy: Policy) -> bool:
    """Of terms alone the automaton is not made for this: it is only as large as they are."""
    try:
        return "dfa" not in vars(policy) or policy.byte_dfa.size > 0
    except LimitError:
        return False


def _what_is_large(lowered: PolicyIR) -> str:
    """What its automaton grows with, the fastest first."""
    rules = [*_rules(lowered)]
    if lowered.schema is not None:
        return "lower the bounds in the schema (`maxLength`, `maxItems`), or ask for fewer fields"
    if any(rule.kind is RuleKind.DENY and rule.phrases for rule in rules):
        beside = "beside regions, `discourage`, `stop` and JSON all phrases are in one automaton"
        return f"deny fewer or shorter phrases: {beside}"
    if any(rule.terms or rule.patterns or rule.phrases for rule in rules):
        return "take fewer or shorter terms, sequences and phrases"
    if any(rule.most for rule in rules):
        return "lower the number behind `up to`"
    return "use fewer policies together, or ones with fewer regions"


def _rules(lowered: PolicyIR) -> Iterator[Rule]:
    for scope in lowered.scopes:
        yield from scope.rules
        yield from (rule for region in scope.regions for rule in region.rules)
