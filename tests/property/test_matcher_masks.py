"""Whole masks and biases over drawn vocabularies, against a search over token sequences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.examples import examples
from tests.oracle.residual import Referee
from tests.oracle.tokens import FORBIDDEN, TokenReferee
from tests.property.languages import POOL, policies, scope_policies, vocabularies

SMALL = "ab中가"
PADDING = 3


def walk(data: st.DataObject, policy: Policy, vocabulary: Vocabulary) -> int:
    """Compare the bias of both along a drawn walk; how many rows were compared."""
    referee = TokenReferee(policy, vocabulary)
    text_first = [i for i, cost in enumerate(referee.bias([])) if cost != FORBIDDEN and i not in vocabulary.eos_ids]
    if not text_first:
        with pytest.raises(PolicyError, match="LC0402"):
            Matcher(policy, vocabulary)
        return 0
    matcher, history = Matcher(policy, vocabulary, vocabulary.size + PADDING), list[int]()
    for step in range(8):
        expected = referee.bias(history) + [FORBIDDEN] * PADDING
        allowed = [i for i, cost in enumerate(expected) if cost != FORBIDDEN]
        if not allowed:  # a complete text, and no end-of-sequence to say so
            with pytest.raises(DeadEndError):
                matcher.mask()
            return step
        assert matcher.bias().tolist() == expected
        assert np.flatnonzero(matcher.mask()).tolist() == allowed
        assert [i for i in range(-1, len(expected) + 1) if matcher.allows(i)] == allowed
        assert [i for i in range(-1, len(expected) + 1) if matcher.fork().advance(i)] == allowed
        assert matcher.accepting == (referee.end_cost(b"".join(referee.tokens[i] for i in history)) == 0)
        history.append(data.draw(st.sampled_from(allowed)))
        assert matcher.advance(history[-1])
        if history[-1] in vocabulary.eos_ids:
            assert matcher.mask().tolist() == [i in vocabulary.eos_ids for i in range(len(expected))]
            return step + 1
    return 8


def vocabularies_for(policy: Policy) -> st.SearchStrategy[Vocabulary]:
    """Tokens cut out of what may begin a text, or out of anything."""
    referee = Referee(policy.ir.language)
    return st.one_of(vocabularies("".join(c for c in POOL if referee.viable(c)) or POOL), vocabularies())


@settings(deadline=None, max_examples=examples(300))
@given(st.data())
def test_hard_masks(data: st.DataObject) -> None:
    """A token is allowed iff it keeps to the language and this vocabulary can still finish."""
    policy = data.draw(policies)
    walk(data, policy, data.draw(vocabularies_for(policy)))


@settings(deadline=None, max_examples=examples(300))
@given(st.data(), st.sampled_from([0.5, 5.0]))
def test_soft_biases(data: st.DataObject, bias: float) -> None:
    """A token costs iff it makes a violation unavoidable that was not so before; once."""
    policy = data.draw(policies).with_(mode="soft", bias=bias)
    walk(data, policy, data.draw(vocabularies_for(policy)))


@settings(deadline=None, max_examples=examples(200))
@given(st.data())
def test_dense_vocabularies(data: st.DataObject) -> None:
    """Few characters, so that tokens meet and terms are spelled in many ways."""
    policy = data.draw(scope_policies)
    policy = data.draw(st.sampled_from([policy, policy.with_(mode="soft")]))
    walk(data, policy, data.draw(vocabularies(SMALL)))
