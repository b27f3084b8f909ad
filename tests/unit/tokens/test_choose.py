"""Which policies are taken apart."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.errors import LimitError
from langc.compiler.ir.apart import MANY_ATOMS
from langc.compiler.policy import Policy
from langc.compiler.tokens.choose import choose_tables
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.phrases.tables import PhraseTables
from langc.compiler.tokens.tables import TokenTables
from tests.unit.tokens.toys import BYTES_AND_EOS

pytestmark = pytest.mark.slow

WORDS = [f"w{n:04}" for n in range(MANY_ATOMS)]


def denying(words: list[str], more: str = "") -> Policy:
    """A policy that denies words of five atoms each."""
    return langc.parse_policy(f"policy p {{ {_deny(words)} {more} }}")


def _deny(words: list[str]) -> str:
    return "deny phrase " + ", ".join(f'"{word}"' for word in words) + ";"


def test_many_phrases_are_taken_apart() -> None:
    """From `MANY_ATOMS` on, all rules together; one word less is built out."""
    enough = MANY_ATOMS // 5

    assert isinstance(choose_tables(denying(WORDS[:enough]), BYTES_AND_EOS), PhraseTables)
    assert isinstance(choose_tables(denying(WORDS[: enough - 1]), BYTES_AND_EOS), TokenTables)
    two_rules = denying(WORDS[: enough - 1], f'deny phrase "{WORDS[-1]}" {{ ignore case; }}')
    assert isinstance(choose_tables(two_rules, BYTES_AND_EOS), PhraseTables)


@pytest.mark.parametrize("more", ['stop on phrase "ab";', "discourage [x] by 2;", 'region r = between "<" ">" { any }'])
def test_other_policies_are_built_out(more: str) -> None:
    """What stops, costs or holds in regions stands in the automaton, and so do the phrases beside it."""
    assert isinstance(choose_tables(denying(WORDS[: MANY_ATOMS // 5], more), BYTES_AND_EOS), TokenTables)


def test_a_soft_policy_is_built_out() -> None:
    """Its costs are found with the automaton."""
    policy = denying(WORDS[: MANY_ATOMS // 5]).with_(mode="soft")

    assert isinstance(choose_tables(policy, BYTES_AND_EOS), TokenTables)


def test_used_policies_give_their_phrases_too() -> None:
    """They hold wherever they are written."""
    text = f"policy a {{ use b; deny [x]; }} policy b {{ {_deny(WORDS)} }}"
    matcher = Matcher(langc.parse_policy(text, "a"), BYTES_AND_EOS)

    assert matcher.sync(b"w000")
    assert not matcher.allows(ord("7"))
    assert not matcher.allows(ord("x"))
    assert matcher.allows(ord("w"))


def test_what_needs_the_automaton_names_the_processor() -> None:
    """Ten thousand words are over the budget of any text target."""
    policy = denying([f"{n:05x}{n * 7919 % 99991:05}" for n in range(10_000)])
    with pytest.raises(LimitError) as refused:
        langc.compile(policy, "gbnf")
    (diagnostic,) = refused.value.diagnostics

    assert diagnostic.code == "LC0701"
    assert "processor" in (diagnostic.help or "")
