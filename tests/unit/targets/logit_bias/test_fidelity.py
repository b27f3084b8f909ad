"""Flags and witnesses, worked out by hand."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.errors import UnsupportedError
from langc.compiler.pipeline import compile_policy
from langc.compiler.target import Fidelity
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.unit.targets.logit_bias.toys import VOCABULARY, bias, no_han

BYTES = Vocabulary("bytes", tuple(bytes([i]) for i in range(256)))


def test_loose_leaks() -> None:
    """中 is put together from E4, B8 and AD."""
    assert bias(no_han(), method="loose").fidelity == Fidelity("中", None, True)


def test_tight_loses() -> None:
    """Without E4 the character U+4B6D (E4 AD AD) is lost, the first that E4, B8 and AD spell and the policy permits."""
    assert bias(no_han()).fidelity == Fidelity(None, "\u4b6d", True)


def test_a_vocabulary_of_whole_characters_is_exact() -> None:
    """Nothing to put together, nothing to lose: not even malformed text."""
    vocabulary = Vocabulary("whole", (b"a", "中".encode(), "丁".encode(), "가나".encode()))

    assert bias(no_han(), vocabulary).fidelity == Fidelity()
    assert bias(no_han(), vocabulary, method="loose").fidelity == Fidelity()


def test_a_budget_that_is_spent_leaks() -> None:
    """Two of four entries are the loose ban."""
    assert bias(no_han(), budget="2").fidelity.over == "中"
    assert bias(no_han(), budget="4").fidelity.over is None


def test_what_is_given_up_leaks() -> None:
    """To keep 丄 (E4 B8 84) out of single bytes, 中 is let through."""
    artifact = bias(no_han(), BYTES, keep="[丄]")

    assert artifact.fidelity == Fidelity("中", None, True)
    assert artifact.report["keep"]["given_up"] == ["U+4E2D CJK UNIFIED IDEOGRAPH-4E2D"]


def test_a_leak_may_need_a_neighbour() -> None:
    """` E4 B8` and `AD` spell 中 behind a space only."""
    vocabulary = Vocabulary("spaced", (b" \xe4\xb8", b"\xad", "中".encode(), b"a"))

    assert bias(no_han(), vocabulary, method="loose").fidelity.over == " 中"
    assert bias(no_han(), vocabulary).fidelity == Fidelity(None, None, True)


def test_a_leak_into_malformed_text_only_is_no_over() -> None:
    """`E4 B8` and `AD AD` write 中 with a stray byte behind it: counted as a leak, but no well-formed text has it."""
    vocabulary = Vocabulary("stray", (b"\xe4\xb8", b"\xad\xad", b"a"))
    artifact = bias(no_han(), vocabulary, method="loose")

    assert artifact.fidelity == Fidelity(None, None, True)
    assert {k: artifact.report["leaked"][k] for k in ("alone", "anywhere")} == {"alone": 0, "anywhere": 1}


def test_terms_are_lost() -> None:
    """A list of tokens cannot tell a term from its characters; the shortest term that can be spelled is the witness."""
    vocabulary = Vocabulary("whole", (b"a", "中".encode(), "丁".encode()))
    fidelity = bias(no_han("a中a", "中丁", "中가"), vocabulary).fidelity

    assert fidelity == Fidelity(None, "中丁", False)


def test_sequences_are_lost() -> None:
    """Where every letter is a token, the ban of the middle one takes what the sequence permits."""
    policy = langc.parse_policy('policy p { only [abc]; deny [c]; allow [ab] "c" [ab]; }')

    assert bias(policy, BYTES).fidelity == Fidelity(None, "aca", True)


def test_a_loose_ban_may_leave_a_term() -> None:
    """By single bytes 中丁 can be written, and so can 中 alone."""
    assert bias(no_han("中丁"), BYTES, method="loose").fidelity == Fidelity("中", None, True)


def test_inexact_is_an_error_unless_allowed() -> None:
    """The error names the flag and shows the witness."""
    with pytest.raises(UnsupportedError) as caught:
        compile_policy(no_han(), "logit-bias", VOCABULARY, allow=("over",))
    found = caught.value.diagnostics[0]

    assert found.code == "LC0501"
    assert found.data == {"over": None, "under": "\u4b6d"}


def test_a_soft_policy_is_judged_by_what_costs() -> None:
    """The tokens and flags are those of the hard policy; only the value differs."""
    hard, soft = bias(no_han()), bias(no_han().with_(bias=5))

    assert soft.fidelity == hard.fidelity
    assert soft.data == [[pair[0], -5.0] for pair in hard.data]


def test_a_hard_policy_that_only_discourages_is_over() -> None:
    """A weak value blocks nothing: 中 passes, and nothing is lost."""
    assert bias(no_han(), value="5").fidelity == Fidelity("中", None, True)
    assert bias(no_han(), dialect="openai", value="100").fidelity == bias(no_han(), dialect="openai").fidelity
