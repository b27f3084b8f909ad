"""What one rule refuses by itself."""

from __future__ import annotations

from langc.compiler.ir.nodes import Rule, RuleKind
from langc.compiler.source import Span
from langc.compiler.unicode.intervals import IntervalSet

VOWELS = IntervalSet.of("aeiou")


def test_deny_refuses_its_members_and_only_the_others() -> None:
    """The other kinds refuse no character by themselves."""
    verdicts = {kind: (Rule(kind, VOWELS).refuses(ord("a")), Rule(kind, VOWELS).refuses(ord("b"))) for kind in RuleKind}

    assert verdicts == {
        RuleKind.DENY: (True, False),
        RuleKind.ONLY: (False, True),
        RuleKind.ALLOW: (False, False),
        RuleKind.STOP: (False, False),
        RuleKind.STOP_BEFORE: (False, False),
        RuleKind.DISCOURAGE: (False, False),
    }


def test_rules_are_equal_by_meaning() -> None:
    """Where a rule stands and how it is written does not count."""
    assert Rule(RuleKind.DENY, VOWELS, text="deny a", span=Span(1, 2)) == Rule(RuleKind.DENY, VOWELS)
