"""A stop phrase ends no text that a denied phrase is in: the end of the text is a boundary for that, too."""

from __future__ import annotations

from itertools import product

import pytest

import langc
from tests.oracle.from_ir import judge_of

pytestmark = pytest.mark.slow

POLICIES = {
    "same": 'deny phrase "ab" { boundary right; } stop on phrase "ab";',
    "both-boundaries": 'deny phrase "ab" { boundary right; } stop on phrase "ab" { boundary right; }',
    "stop-inside": 'deny phrase "aab" { boundary both word; } stop on phrase "ab";',
    "stop-before": 'stop before phrase "ab" { boundary right; } stop on phrase "b";',
    "region": 'deny phrase "ab" { boundary right; } region r = between "<" ">" { any } stop on phrase "b";',
    "in-region": 'region r = between "<" ">" { deny phrase "ab" { boundary right; } } stop on phrase "b";',
    "to-be-closed": 'only [ab]; region r = between "<" ">" { deny phrase "b" { boundary right; } } stop on phrase "a";',
    "normalization": 'deny phrase "b" { normalization nfc; } stop on phrase "ab";',
}


@pytest.mark.parametrize("name", POLICIES)
def test_every_short_text(name: str) -> None:
    """Against the definition, for all texts of up to five characters of those that matter."""
    policy = langc.parse_policy(f"policy p {{ {POLICIES[name]} }}")
    alphabet = "ab<>" if "region" in POLICIES[name] else "ab "
    texts = ["".join(t) for size in range(6) for t in product(alphabet, repeat=size)]
    permitted = {text for text in texts if policy.accepts(text)}

    assert permitted == {text for text in texts if judge_of(policy.lowered, text).accepts(text)}
    assert permitted
    assert len(permitted) < len(texts)
