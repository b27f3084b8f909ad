"""Exempt regions as an expression without borders say what the automaton of the borders says."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.automata.build import build_dfa
from langc.targets._spelled_out import spell_out

pytestmark = pytest.mark.slow

POLICIES = {
    "deny": "deny [xy];",
    "no tick, no line end": "only [a-z];",
    "tick and line end": r"only [a-z\n`<>/~\r];",
    "terms": 'deny script Han; allow "大韓民國", "民國";',
    "another policy": "use ko; deny [x];",
}


@pytest.mark.parametrize("exempt", ["code", "think", "code,think"])
@pytest.mark.parametrize("rules", POLICIES.values(), ids=POLICIES)
def test_both_forms_are_one_language(rules: str, exempt: str) -> None:
    """Two constructions that share nothing but the limits give equal automata."""
    policy = langc.parse_policy(f"policy p {{ {rules} }}").with_(exempt=exempt)
    spelled = spell_out(policy.lowered)
    assert spelled is not None

    assert build_dfa(spelled) == policy.dfa


@pytest.mark.parametrize(
    "rules",
    [
        'deny phrase "x";',
        'stop on phrase "x";',
        'stop before phrase "x";',
        'deny [x]; region quote = between "a" "b" { any }',
        'deny script Han; allow "漢`";',
    ],
)
def test_what_cannot_be_spelled_out(rules: str) -> None:
    """Rules and regions of other kinds, and terms that could reach over a border, have the automaton only."""
    policy = langc.parse_policy(f"policy p {{ {rules} }}").with_(exempt="code")

    assert spell_out(policy.lowered) is None
