"""Which regions can be written at all beside a used policy: LC0349 against every short text."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from tests.oracle.from_ir import judge_of
from tests.oracle.reader import Opening, Reader

LETTERS = "<>axb"
TEXTS = ["".join(t) for n in range(5) for t in product(LETTERS, repeat=n)]
OPENING = Opening("between", "<", ">")


def _is_closed_in(policy: Policy, text: str) -> bool:
    """Whether a permitted text has the region, closed."""
    readings = Reader([OPENING]).readings(text)
    return any(len(reading) > 1 for reading in readings) and all(
        judge_of(scope, text).accepts(text) for scope in policy.lowered.scopes
    )


def _codes(policy: Policy) -> set[str]:
    """What is wrong with it."""
    try:
        policy.dfa  # noqa: B018
    except PolicyError as error:
        return {d.code for d in error.diagnostics}
    return set()


_rules = st.sampled_from(
    (
        "deny [<];",
        "deny [>];",
        "deny [x];",
        "only [ax];",
        'only [ax]; allow "<a";',
        'only [ax]; allow "<", "a>";',
        'deny phrase "<a"; deny phrase "<x"; deny phrase "<>";',
        'deny phrase "<a"; deny phrase "<>"; deny phrase "<<";',
        'deny phrase "a>", "x>", ">>";',
        'deny phrase "a>", "x>", ">>", "<>";',
        'region r = between "<" ">" { deny [x]; }',
        'region r = between ">" "<" { any } unclosed r: allow; deny [ax];',
        'stop on phrase "<";',
        'stop on phrase ">";',
    )
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(_rules, _rules, st.sampled_from(("any", "deny [a];", "deny [x];")))
def test_a_region_is_refused_iff_no_text_has_it(first: str, second: str, inner: str) -> None:
    """By one used policy or by two together; whatever the content, four characters show it here."""
    used = f"policy one {{ {first} }} policy two {{ {second} }}"
    whole = f'{used} policy p {{ use one; use two; region q = between "<" ">" {{ {inner} }} }}'
    policy = langc.parse_policy(whole, "p")
    codes = _codes(policy)
    if "LC0401" not in codes:
        assert (codes == {"LC0349"}) != any(_is_closed_in(policy, text) for text in TEXTS)


@pytest.mark.parametrize(
    ("kind", "used", "refused"),
    [
        ("fence", "deny [`];", False),  # there are tildes
        ("fence", "deny [`~];", True),
        ('fence | between "<" ">"', "deny [<];", True),  # one kind of two
        ("inline_code", "deny [`];", True),
        ("quotes", 'deny [“"‘「『«‹〈];', False),
        ("quotes", 'deny [”"’」』»›〉》];', True),
        ("url", "deny script Latin;", True),
        ("url", 'deny phrase "http:", "s:";', False),  # there are capitals
        ("url", 'deny phrase "http:", "s:" { ignore case; }', True),
        ("url", 'deny phrase "http:";', False),
        ('json "n"', 'deny ":";', True),
        ('json "n"', 'only [n:]; allow ["];', False),
        ('after [a] between "<" ">"', "deny [a];", True),
        ('after [ab] between "<" ">"', "deny [a];", False),
        ('start between "<" ">"', 'only [a-z]; allow "<a>";', False),
    ],
)
def test_kinds(kind: str, used: str, refused: bool) -> None:
    """Each kind by what it cannot be without."""
    policy = langc.parse_policy(f"policy one {{ {used} }} policy p {{ use one; region q = {kind} {{ any }} }}", "p")

    assert _codes(policy) == ({"LC0349"} if refused else set())


def test_a_region_of_the_used_policy_may_be_forbidden() -> None:
    """Its rules are then kept by nothing being in it."""
    text = 'policy one { region q = between "<" ">" { deny [x]; } } policy p { use one; deny [<]; }'

    assert langc.parse_policy(text, "p").accepts("x>")


def test_code_of_one_language_can_be_refused_too() -> None:
    """Its opener holds the word; that it is forbidden is no matter for other blocks."""
    policy = langc.parse_policy('policy one { deny [s]; } policy p { use one; region q = fence "SQL" { any } }', "p")
    other = langc.parse_policy('policy one { deny [s]; } policy p { use one; region q = fence "py" { any } }', "p")

    assert (_codes(policy), _codes(other)) == (set(), set())  # S is left

    none = langc.parse_policy('policy one { deny [sS]; } policy p { use one; region q = fence "sql" { any } }', "p")
    assert _codes(none) == {"LC0349"}
