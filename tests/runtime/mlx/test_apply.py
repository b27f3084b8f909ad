"""Logits of mlx under a state, against adding the bias number by number."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.errors import UnsupportedTokenizerError
from tests.property.test_apply import Case, cases, check, logits_for

pytestmark = pytest.mark.engines

NAMES = ("float16", "bfloat16", "float32")
TOKENS = {"tokens": {0: b"a", 1: b"b", 2: b"!"}, "special": {"<eos>": 3}, "eos": [3]}


def numbers(array: Any) -> Any:
    """As float32, which holds all of them."""
    return np.array(array.astype(mx.float32))


@settings(deadline=None, max_examples=200)
@given(cases(), st.sampled_from(NAMES), st.integers(0, 2**32))
def test_new_logits(case: Case, name: str, seed: int) -> None:
    """One row or many, hard or soft, wider than the vocabulary or not; what was given stays as it is."""
    dtype = getattr(mx, name)
    before = mx.array(logits_for(case, seed).astype(np.float32)).astype(dtype)
    bits = np.array(before.view(mx.uint32 if name == "float32" else mx.uint16)).tobytes()
    applier = case.applier
    new, again = applier.apply(before, case.states), applier.applied(before, case.states)

    def add(old: Any, bias: float) -> Any:
        """By mlx, of two numbers alone."""
        left, right = (mx.array(float(number)).astype(dtype) for number in (old, bias))
        return (left + right).astype(mx.float32).item()

    assert (new.dtype, new.shape) == (dtype, case.shape)
    assert np.array_equal(numbers(new), numbers(again), equal_nan=True)
    assert np.array(before.view(mx.uint32 if name == "float32" else mx.uint16)).tobytes() == bits
    check(case, numbers(before), numbers(new), add)


def test_a_matcher_and_a_processor() -> None:
    """Hard and soft, beside what they do to numpy's arrays; mlx's ids will do too."""
    for policy in (
        langc.parse_policy("policy p { deny [!]; }"),
        langc.parse_policy("policy p { deny [!]; }").with_(mode="soft", bias=3.0),
    ):
        logits = np.array([1.0, float("nan"), 3.0, -0.0, 7.0], dtype=np.float32)
        matcher = langc.Matcher(policy, TOKENS, rows=5)
        assert np.array_equal(np.array(matcher.apply(mx.array(logits))), matcher.apply(logits.copy()), equal_nan=True)
        for most in (None, 1):
            processor = langc.arrays.PolicyProcessor(policy, TOKENS, 0, max_tokens=most)
            found = processor.applied(mx.array([[0], [1]]), mx.array(np.stack([logits] * 2)))
            expected = processor.applied([[0], [1]], np.stack([logits] * 2))
            assert np.array_equal(np.array(found), expected, equal_nan=True)


def test_other_arrays_are_refused() -> None:
    """Integers, and rows that are too narrow."""
    matcher = langc.Matcher(langc.parse_policy("policy p { deny [!]; }"), TOKENS)
    with pytest.raises(TypeError, match="not int32"):
        matcher.apply(mx.zeros((4,), dtype=mx.int32))
    with pytest.raises(UnsupportedTokenizerError, match="LC0650"):
        matcher.apply(mx.zeros((3,)))
