"""Policies under which nothing could be written."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.errors import PolicyError


def blamed(rules: str) -> list[str]:
    """The texts of the rules that LC0401 names, in the order of the file."""
    policy = langc.parse_policy(f"policy p {{ {rules} }}")
    with pytest.raises(PolicyError) as refused:
        _ = policy.ir
    (diagnostic,) = refused.value.diagnostics
    labels = [*diagnostic.secondary, *([diagnostic.primary] if diagnostic.primary else [])]

    assert diagnostic.code == "LC0401"
    return [label.source.text[label.span.start : label.span.end] for label in labels]


@pytest.mark.parametrize(
    ("rules", "clash"),
    [
        ("only [a]; deny [a];", ["only [a];", "deny [a];"]),
        ("only [a-c]; deny [x]; deny [ab]; deny [c]; only [a-z];", ["only [a-c];", "deny [ab];", "deny [c];"]),
        ("only [a]; only [b];", ["only [a];", "only [b];"]),
        ("only [];", ["only [];"]),
        (r"deny [^\u{0}-\u{10FFFF}] | [a-z]; deny ![a-z];", [r"deny [^\u{0}-\u{10FFFF}] | [a-z];", "deny ![a-z];"]),
        ("only [a]; deny [a]; only [b];", ["only [a];", "only [b];"]),
    ],
)
def test_the_rules_that_clash_are_named(rules: str, clash: list[str]) -> None:
    """Each of them is needed for the clash; the others are not named."""
    assert blamed(rules) == clash


@pytest.mark.parametrize(
    "rules", ["deny [];", "only [a];", 'only [a]; deny [a]; allow "ab";', "only [a]; deny [a]; allow [q];"]
)
def test_what_can_be_written_is_no_contradiction(rules: str) -> None:
    """One character, or one term, is enough."""
    policy = langc.parse_policy(f"policy p {{ {rules} }}")

    assert not policy.dfa.is_empty
    assert policy.dfa.size > 1
    assert any(policy.dfa.table[policy.dfa.start])


@pytest.mark.parametrize("more", [0, 40])
def test_rules_that_take_a_term_from_each_other(more: int) -> None:
    """The rule of the other policy that breaks the only term is named; among very many rules, those on characters."""
    others = "".join(f"deny U+{0x4E00 + n:X}; " for n in range(more))
    text = f'policy p {{ use q; deny [e]; {others}}} policy q {{ only []; deny [x]; allow "yes"; }}'
    with pytest.raises(PolicyError) as refused:
        _ = langc.parse_policy(text, "p").dfa
    (diagnostic,) = refused.value.diagnostics
    labels = [*diagnostic.secondary, *([diagnostic.primary] if diagnostic.primary else [])]
    named = {label.message.strip("`") for label in labels}

    assert named == {"only []", 'allow "yes"'} | ({"deny [e]"} if not more else set())
