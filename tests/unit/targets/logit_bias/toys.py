"""One small policy and vocabulary for the tests of the target."""

from __future__ import annotations

from typing import Any

from langc.compiler.ir.language import cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import IntervalSet

TOKENS = {
    0: b"a",
    1: "中".encode(),
    2: b"\xe4",
    3: b"\xb8",
    4: b"\xad",
    5: b" \xe4\xb8",
    6: "a中b".encode(),
    7: "丁".encode(),
    9: "😀".encode(),
}
"""中 is E4 B8 AD, 丁 is E4 B8 81. 8 is special, 10 a hole."""
SPECIAL, END = 8, "<|end|>"
VOCABULARY = Vocabulary("toy", tuple(TOKENS.get(i, b"") for i in range(11)), {SPECIAL: END}, frozenset({SPECIAL}))


def no_han(*terms: str, denied: str = "中") -> Policy:
    """A policy that denies some characters, outside of terms."""
    return Policy(PolicyIR("toy", None, (), cover(IntervalSet.of(denied).complement(), terms)))


def bias(policy: Policy, vocabulary: Vocabulary = VOCABULARY, /, **options: Any) -> Any:
    """The `Artifact`, inexact or not; its fields are JSON-like, so no type is claimed for them."""
    return compile_policy(policy, "logit-bias", vocabulary, allow=("over", "under"), **options)
