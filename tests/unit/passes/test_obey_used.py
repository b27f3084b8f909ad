"""A policy that uses others: the language is that of all of them together."""

from __future__ import annotations

import langc
from langc.compiler.automata.build import build_dfa
from langc.compiler.ir.language import Cover, Intersection, cover
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

LETTERS = """
policy own { use few; use fewer; deny [z]; }
policy few { only [a-z]; }
policy fewer { only [m-z]; }
"""
TERMS = """
policy own { use other; only []; allow "ab", "abc"; }
policy other { deny [b]; allow "ab"; }
"""


def test_sets_of_characters_stay_one_set() -> None:
    """Targets need not know that there were three."""
    assert langc.parse_policy(LETTERS, "own").ir.language == cover(IntervalSet.of((0x6D, 0x79)))


def test_terms_are_judged_by_each_policy() -> None:
    """Both permit `ab` and `abc`; single letters and rows of other letters one of them refuses."""
    policy = langc.parse_policy(TERMS, "own")

    assert isinstance(policy.ir.language, Intersection)
    assert {t: policy.first_violation(t) for t in ("", "ab", "abc", "ababc", "a", "abb", "b", "c")} == {
        "": None,
        "ab": None,
        "abc": None,
        "ababc": None,
        "a": 1,
        "abb": 2,
        "b": 0,
        "c": 0,
    }


def test_idle_terms_of_used_policies_are_dropped() -> None:
    """`xy` permits nothing new in the used policy."""
    policy = langc.parse_policy('policy own { use other; deny [a]; } policy other { deny [b]; allow "xy"; }', "own")

    assert policy.ir.language == cover(SCALARS - IntervalSet.of("ab"))


def test_regions_suspend_the_own_rules_alone() -> None:
    """Inside `<think>` the used policy still holds."""
    policy = langc.parse_policy("policy own { use other; deny [a]; } policy other { deny [b]; }", "own")
    exempt = policy.with_(exempt=["think"])

    assert [exempt.accepts(t) for t in ("<think>a</think>", "<think>b</think>", "a")] == [True, False, False]


REGIONS = """
policy own { use other; deny [a]; }
policy other { deny [b]; region r = between "(" ")" { any } stop on phrase "!"; }
"""


def test_regions_of_a_used_policy_suspend_its_rules_alone() -> None:
    """What it permits in its region the policy that uses it may still refuse, and it must close all the same."""
    policy = langc.parse_policy(REGIONS, "own")

    assert {t: policy.first_violation(t) for t in ("(b)", "b", "(a)", "(b")} == {
        "(b)": None,
        "b": 0,
        "(a)": 1,
        "(b": 2,
    }


def test_a_stop_phrase_of_a_used_policy_ends_the_text() -> None:
    """Nothing follows it, inside a region neither."""
    policy = langc.parse_policy(REGIONS, "own")

    assert {t: policy.first_violation(t) for t in ("c!", "c!c", "(b!", "(b!)")} == {
        "c!": None,
        "c!c": 2,
        "(b!": None,
        "(b!)": 3,
    }


def test_a_text_can_begin_inside_a_region_of_a_used_policy() -> None:
    """The own rules hold from the beginning, the used ones from the closer on; it is another policy by its hash."""
    outside = langc.parse_policy(REGIONS, "own")
    policy = outside.with_(inside="r")

    assert policy.hash != outside.hash
    assert {t: policy.first_violation(t) for t in ("b)", "b)b", "a)", "b")} == {"b)": None, "b)b": 2, "a)": 0, "b": 1}


def test_delimiters_of_a_used_policy_are_markers() -> None:
    """A special token spelled like one acts as its text."""
    assert langc.parse_policy(REGIONS, "own").markers == {"(", ")"}


def test_a_policy_without_others_is_left_alone() -> None:
    """Its language is its own."""
    policy = langc.parse_policy("policy own { deny [a]; }")

    assert isinstance(policy.ir.language, Cover)
    assert build_dfa(policy.ir.language) == policy.dfa
