"""`use` intersects: a text passes if it passes each of the policies."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.policy import Policy
from tests.oracle.scope import violation_of_rules

RULES = [
    *("deny [ab];", "deny [c];", "only [abc];", "only [b-d];", "only [];", 'allow "ab";', 'allow "bca";', "allow [d];"),
    *("allow [ab] [cd];", 'allow [a] "b" [ac];', "deny [];", 'allow "dd", [a];'),
]


def policy(bodies: list[list[str]], uses: list[tuple[int, int]]) -> Policy:
    """The first of policies with these rules; a pair (i, j), i < j, lets one use the other."""
    return langc.parse_policy(policy_text(bodies, uses), "p0")


def policy_text(bodies: list[list[str]], uses: list[tuple[int, int]]) -> str:
    """The text of all of them."""
    blocks = [
        f"policy p{n} {{ deny []; {' '.join(body)} {' '.join(f'use p{j};' for i, j in uses if i == n)} }}"
        for n, body in enumerate(bodies)
    ]
    return "\n".join(blocks)


bodies = st.lists(st.lists(st.sampled_from(RULES), max_size=3), min_size=1, max_size=4)
pairs = st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda p: p[0] < p[1])


@settings(max_examples=150, deadline=None)
@given(bodies, st.lists(pairs, max_size=4), st.lists(st.text("abcd", max_size=6), min_size=4, max_size=8))
def test_a_text_passes_if_it_passes_every_policy(
    rules: list[list[str]], uses: list[tuple[int, int]], texts: list[str]
) -> None:
    """Against the referee on the rules of each scope; where nothing but the empty text is left, LC0401 says so."""
    made = policy(rules, [(i, j) for i, j in uses if j < len(rules)])
    codes = set()
    try:
        accepted = [made.accepts(text) for text in texts]
    except langc.PolicyError as error:
        codes = {d.code for d in error.diagnostics}
        accepted = [text == "" for text in texts]
    expected = [all(violation_of_rules(s.rules, t) is None for s in made.lowered.scopes) for t in texts]

    assert accepted == expected
    assert codes <= {"LC0401"}


@settings(max_examples=60, deadline=None)
@given(bodies, st.lists(pairs, max_size=4), bodies, st.lists(pairs, max_size=4))
def test_joining_is_using(
    one: list[list[str]], uses: list[tuple[int, int]], other: list[list[str]], more: list[tuple[int, int]]
) -> None:
    """`a & b` is the policy a with `use b;` at its end, by its dump, and says the same of what is left of it."""
    first, last = len(one), len(one) + len(other)
    apart = [(i, j) for i, j in uses if j < first], [(i, j) for i, j in more if j < len(other)]
    shifted = [(i + first, j + first) for i, j in apart[1]]
    whole = policy(one + other, [*apart[0], *shifted, (0, first)])
    blocks = policy_text([[]] * first + other, shifted)
    joined = policy(one, apart[0]) & langc.parse_policy(blocks, f"p{first}")

    assert last >= 2
    assert joined.hash == whole.hash
    assert outcome(joined) == outcome(whole)


def outcome(made: Policy) -> object:
    """The automaton, or the codes of what is wrong."""
    try:
        return made.dfa
    except langc.PolicyError as error:
        return [d.code for d in error.diagnostics]


@settings(max_examples=60, deadline=None)
@given(bodies, st.lists(pairs, max_size=4))
def test_the_rule_to_blame_takes_the_character_away(rules: list[list[str]], uses: list[tuple[int, int]]) -> None:
    """A character is blamed on a rule of a scope that does not permit it, and on none only if all scopes permit it."""
    made = policy(rules, [(i, j) for i, j in uses if j < len(rules)])
    for character in "abcdx":
        scopes = [s for s in made.lowered.scopes if replace(s, used=()).blame(ord(character))]
        blamed = made.blame(ord(character))

        assert (blamed is None) == (not scopes)
        if blamed:
            assert blamed in scopes[0].rules
            assert blamed.refuses(ord(character))
