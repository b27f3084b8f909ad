"""Behind a violation the text is in the region that it was in, whether or not that region must close."""

from __future__ import annotations

import pytest

import langc

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

    assert policy.soft_dfa.dfa.size < 10 * policy.dfa.size


BESIDE = """
    region code = fence | inline_code { any }
    region think = between "<think>" "</think>" { any }
    discourage phrase "delve" by 3;
"""
MORE = 'deny script Han; discourage phrase "tapestry" by 4; discourage script Latin by 1;'
GLOSS = r'region gloss = after \p{Hangul} between "(" ")" { only [\p{Han}] up to 4 }'


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["hard", "soft"])
@pytest.mark.parametrize("rules", [BESIDE, BESIDE + MORE, BESIDE + GLOSS], ids=["a phrase", "more rules", "a gloss"])
def test_soft_phrases_beside_regions_stay_small(rules: str, mode: str) -> None:
    """Rules and regions keep step whatever is broken, and what tells no future apart is forgotten."""
    policy = langc.parse_policy(f"policy p {{ {rules} }}").with_(mode=mode)

    assert policy.soft_dfa.dfa.size < 25_000
