"""Behind a violation the text is in the region that it was in, whether or not that region must close."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.automata.soften import soften

FENCE = "policy p { deny [x]; region code = fence { deny [y]; } }"
CODE = "policy p { deny [x]; region code = fence | inline_code { deny [y]; } }"
OPEN = 'policy p { deny [x]; region r = between "(" ")" { deny [y]; } unclosed r: allow; }'


@pytest.mark.parametrize(
    ("policy", "text", "offsets"),
    [
        (FENCE, "```\ny x y\n```\nx y", [4, 8, 14]),
        (FENCE, "x\n```\ny\n```\nx", [0, 6, 12]),
        (CODE, "```\ny x y\n```\nx y", [4, 8, 14]),
        (OPEN, "(y x y)x", [1, 5, 7]),
        (OPEN, "x(x", [0]),
    ],
)
def test_the_rules_of_the_region_go_on(policy: str, text: str, offsets: list[int]) -> None:
    """The same characters are violations as if each stood in a text of its own."""
    found = [v.offset for v in langc.check(text, langc.parse_policy(policy)).violations]

    assert found == offsets


def test_a_soft_rule_keeps_step_with_the_regions() -> None:
    """So the automaton of both has hardly more states than one of them, spelled in bytes."""
    rules = 'policy p { deny [x]; discourage phrase "word" by 4; region code = fence { any } }'
    policy = langc.parse_policy(rules)
    soft = soften(policy.hard_dfa, policy.soft_rules)

    assert soft.dfa.size < 10 * policy.dfa.size
