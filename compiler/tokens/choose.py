"""Which tables a policy gets: its whole automaton, or one without its phrases and the phrases beside it.

Both allow the same tokens. The second kind has no list of states: what writes automata down cannot use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from langc.compiler.ir.lower import denote
from langc.compiler.ir.nodes import PolicyIR, RuleKind
from langc.compiler.ir.phrases import Phrase
from langc.compiler.policy import Policy
from langc.compiler.tokens.phrase_tables import PhraseTables
from langc.compiler.tokens.tables import TokenTables, build_tables, readable_tokens
from langc.compiler.tokens.vocabulary import Vocabulary

MANY_ATOMS = 2_000
"""Atoms of all phrases together from which on their automaton is not built out."""


def choose_tables(policy: Policy, vocabulary: Vocabulary) -> TokenTables | PhraseTables:
    """The tables of a policy for a vocabulary. Raises as `build_tables`."""
    phrases = tuple(_denied(policy.lowered))
    if sum(len(p.atoms) for p in phrases) < MANY_ATOMS or not _is_plain(policy):
        return build_tables(policy, vocabulary)
    base = Policy(_without(policy.lowered))
    return PhraseTables(build_tables(base, vocabulary), phrases, readable_tokens(base, vocabulary))


def _denied(ir: PolicyIR) -> Iterator[Phrase]:
    return (p for scope in ir.scopes for rule in scope.denials for p in rule.phrases)


def _is_plain(policy: Policy) -> bool:
    """Whether phrases hold everywhere, and nothing costs or stops."""
    scopes = policy.lowered.scopes
    kinds = {rule.kind for scope in scopes for rule in scope.rules}
    bare = not any(scope.regions or scope.exempt for scope in scopes)
    return policy.bias is None and bare and kinds.isdisjoint({RuleKind.STOP, RuleKind.DISCOURAGE})


def _without(ir: PolicyIR) -> PolicyIR:
    """The policy without its denied phrases."""
    rules = tuple(rule for rule in ir.rules if rule not in ir.denials)
    return replace(ir, rules=rules, language=denote(rules), used=tuple(map(_without, ir.used)))
