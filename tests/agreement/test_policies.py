"""The policies of the agreement run are as many, as different and as rich as the run claims."""

from __future__ import annotations

import pytest

from langc.compiler.automata.build import build_dfa
from langc.compiler.ir.language import ANY_TEXT
from tests.agreement.policies import LEAST_OPERATORS, MOST_STATES, Case, cases


def test_there_are_enough_different_policies() -> None:
    """At least 200 names, files and languages; equal automata would mean equal languages."""
    found = cases()

    assert len(found) >= 200
    assert len({c.name for c in found}) == len(found)
    assert len({c.policy.dfa for c in found}) == len(found)


def test_each_has_five_operators_and_permits_something() -> None:
    """None is empty, and none permits the empty text alone."""
    poor = [c.name for c in cases() if c.operators < LEAST_OPERATORS]
    empty = [c.name for c in cases() if not any(c.policy.dfa.table[c.policy.dfa.start])]

    assert (poor, empty) == ([], [])


def test_each_takes_something_away() -> None:
    """None permits all texts."""
    everything = build_dfa(ANY_TEXT)
    idle = [c.name for c in cases() if c.policy.dfa == everything]

    assert idle == []


def test_sizes() -> None:
    """Small automata, but for exempt regions; two thirds have more than five states, so that history matters."""
    sizes = {c.name: c.policy.dfa.size for c in cases() if not c.exempt}

    assert max(sizes.values()) <= MOST_STATES
    assert sum(size > 5 for size in sizes.values()) >= 2 * len(sizes) // 3


def test_the_generator_says_the_same_each_time() -> None:
    """Nothing depends on the order of a set or on the hash seed."""
    first = [c.text for c in cases()]
    cases.cache_clear()

    assert [c.text for c in cases()] == first


@pytest.mark.parametrize(
    ("body", "operators"),
    [
        ("deny [ab];", 2),  # the line, what stands side by side
        ("deny [a];", 1),
        ("deny [a-z];", 2),
        ("deny [^a-z];", 3),
        (r"deny [\p{Han}--[ab]];", 4),
        (r"deny !(\p{Han} && U+4E00..U+4FFF);", 5),
        ("deny U+0041 | U+0042 | U+0043;", 2),
        ("let s = [a-z]; deny s;", 2),
        ("deny script Han, Hiragana;", 2),
        ('deny script Han; deny "b"; allow "漢江", "中";', 5),
        ('deny "-"; allow [ab] "-" [ab];', 3),
        ('deny \\p{Han} -- encodable("big5"); reject "中国";', 4),
    ],
)
def test_operators_are_counted_as_described(body: str, operators: int) -> None:
    """Counted by hand."""
    assert Case("counted", f"policy main {{ {body} }}").operators == operators


def test_regions_and_used_policies_count_too() -> None:
    """Each region is one; `use` is one, and the lines of what is used are counted with it."""
    used = Case("counted", "policy used { deny [a-z]; } policy main { use used; deny [0-9]; }", "code,think")

    assert used.operators == 2 + 2 + 1 + 2
