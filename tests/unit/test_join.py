"""`policy & other`: the policy that obeys both."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.limits import MAX_USED_POLICIES
from langc.compiler.policy import Policy

A, B = (langc.parse_policy(f'policy {name} {{ deny [{name}]; accept "x"; }}') for name in "ab")


def code(wrong: PolicyError) -> str:
    """The code of the one diagnostic."""
    (diagnostic,) = wrong.diagnostics
    return diagnostic.code


def test_both_are_obeyed() -> None:
    """The name and the tests are those of the first."""
    both = A & B

    assert [text for text in ("a", "b", "x") if both.accepts(text)] == ["x"]
    assert (both.name, len(both.lowered.examples)) == ("a", 1)
    assert [u.name for u in both.lowered.used] == ["b"]
    assert both.dfa == (B & A).dfa


def test_it_is_what_use_says() -> None:
    """The hash, too, is that of the policy with the `use` in it."""
    text = "policy c { deny [c]; } policy b { use c; deny [b]; } policy a { deny [a]; use b; use c; }"
    b, c = (langc.parse_policy(text, name) for name in "bc")

    assert (langc.parse_policy("policy a { deny [a]; }") & b & c).hash == langc.parse_policy(text, "a").hash


def test_a_policy_joined_with_itself() -> None:
    """Means what it means alone."""
    assert (A & A).dfa == A.dfa


def test_each_keeps_its_exemptions() -> None:
    """What `with_` says of one before it is joined is said of that one alone; afterwards, of the first."""
    first, second = A & B.with_(exempt="think"), (A & B).with_(exempt="think")

    assert [first.accepts(f"<think>{c}</think>") for c in "ab"] == [False, True]
    assert [second.accepts(f"<think>{c}</think>") for c in "ab"] == [True, False]
    assert len({first.hash, second.hash, (A & B).hash}) == 3


def test_soft_policies_of_one_bias() -> None:
    """They make a soft one."""
    soft = A.with_(mode="soft", bias=3) & B.with_(mode="soft", bias=3)

    assert soft == (A & B).with_(mode="soft", bias=3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (A, B.with_(mode="soft")),
        (A.with_(mode="soft"), B),
        (A.with_(bias=2), B.with_(bias=3)),
        (A.with_(json_strings=True), B),
        (A, B.with_(json_strings=True)),
    ],
)
def test_what_has_no_common_strength(one: Policy, other: Policy) -> None:
    """One violation cannot have two costs, and a text is JSON or not."""
    with pytest.raises(PolicyError) as caught:
        one & other

    assert code(caught.value) == "LC0309"


def test_a_conflict_names_the_rules_of_both() -> None:
    """Where nothing is left, each label has its own source."""
    both = A & langc.parse_policy("policy only-a { only [a]; }")
    with pytest.raises(PolicyError) as caught:
        both.dfa  # noqa: B018 -- the passes run when it is first asked for

    (diagnostic,) = caught.value.diagnostics
    labels = [label for label in (diagnostic.primary, *diagnostic.secondary) if label]
    assert diagnostic.code == "LC0401"
    assert {label.source.text[label.span.start : label.span.end] for label in labels} == {"deny [a];", "only [a];"}


def test_no_more_than_a_file_may_use() -> None:
    """The limit itself is fine."""
    others = [langc.parse_policy(f"policy q{n} {{ deny [a]; }}") for n in range(MAX_USED_POLICIES + 1)]
    joined = A
    for other in others[:-1]:
        joined = joined & other

    assert len(joined.lowered.used) == MAX_USED_POLICIES
    with pytest.raises(LimitError, match="used policies"):
        joined & others[-1]


def test_nothing_else_can_be_joined() -> None:
    """A name is no policy: that is Python's own error."""
    with pytest.raises(TypeError):
        A & "ko"  # type: ignore[operator]
