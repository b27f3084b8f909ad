"""A budget of tokens against a search over all texts within it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from langc.compiler.tokens.budget import BudgetError
from langc.compiler.tokens.machine import DeadEndError
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime.arrays import PolicyProcessor
from tests.oracle.tokens import FORBIDDEN, TokenReferee
from tests.property.languages import scope_policies, vocabularies
from tests.property.test_matcher_masks import SMALL, vocabularies_for

pytestmark = pytest.mark.slow

MOST = 6


class Deadline:
    """Decides by trying all tokens, as often as there is budget."""

    def __init__(self, policy: Policy, vocabulary: Vocabulary) -> None:
        self.referee = TokenReferee(policy, vocabulary)
        self.can_finish = cache(self._can_finish)

    def _can_finish(self, text: bytes, left: int) -> bool:
        """Whether at most `left` tokens behind some bytes lead to where the text may end."""
        if left < 0 or self.referee.place(text) is None:
            return False
        if self.referee.end_cost(text) != FORBIDDEN:
            return True
        return any(self.can_finish(text + piece, left - 1) for piece in self.referee.pieces)

    def bias(self, history: list[int], left: int) -> list[float]:
        """As that of the referee, without the tokens that leave too few."""
        row, text = self.referee.bias(history), b"".join(self.referee.tokens.get(i, b"") for i in history)
        if self.referee.vocabulary.eos_ids.intersection(history):
            return row
        data = self.referee.tokens
        return [
            FORBIDDEN if i in data and not self.can_finish(text + data[i], left - 1) else cost
            for i, cost in enumerate(row)
        ]


def walk(data: st.DataObject, policy: Policy, vocabulary: Vocabulary) -> None:
    """Compare along a drawn walk, to its end."""
    deadline, most = Deadline(policy, vocabulary), data.draw(st.integers(0, MOST))
    try:
        Matcher(policy, vocabulary)
    except PolicyError:
        return
    if not deadline.can_finish(b"", most):
        with pytest.raises(BudgetError, match="LC0405"):
            Matcher(policy, vocabulary, max_tokens=most)
        return
    matcher, history = Matcher(policy, vocabulary, vocabulary.size + 1, max_tokens=most), list[int]()
    while True:
        expected = [*deadline.bias(history, most - len(history)), FORBIDDEN]
        allowed = [i for i, cost in enumerate(expected) if cost != FORBIDDEN]
        assert matcher.remaining == max(most - len(history) + matcher.ended, 0)  # the end is no token of the text
        if not allowed:  # complete, and no end-of-sequence to say so
            assert deadline.can_finish(b"".join(deadline.referee.tokens[i] for i in history), 0)
            with pytest.raises(DeadEndError):
                matcher.mask()
            return
        assert matcher.bias().tolist() == expected
        assert np.flatnonzero(matcher.mask()).tolist() == allowed
        assert matcher.apply(np.zeros(matcher.rows, np.float32)).tolist() == expected
        if matcher.ended:
            assert len(history) <= most + 1
            return
        assert [i for i in range(-1, len(expected) + 1) if matcher.fork().advance(i)] == allowed
        following = [i for i in range(len(expected)) if matcher.fork().sync([*history, i])]
        assert following == allowed
        history.append(data.draw(st.sampled_from(allowed)))
        assert matcher.advance(history[-1])


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_small_vocabularies(data: st.DataObject) -> None:
    """Terms that take many tokens, hard and soft."""
    policy = data.draw(scope_policies)
    policy = data.draw(st.sampled_from([policy, policy.with_(mode="soft")]))
    walk(data, policy, data.draw(vocabularies(SMALL) | vocabularies_for(policy)))


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_rows_of_a_processor(data: st.DataObject) -> None:
    """A batch of histories of one length, in any order: bias and new logits are those of the referee."""
    policy = data.draw(scope_policies)
    policy = data.draw(st.sampled_from([policy, policy.with_(mode="soft")]))
    vocabulary, most = data.draw(vocabularies(SMALL) | vocabularies_for(policy)), data.draw(st.integers(0, MOST))
    deadline = Deadline(policy, vocabulary)
    try:
        processor = PolicyProcessor(policy, vocabulary, 0, max_tokens=most)
    except PolicyError:
        return
    except BudgetError:
        assert not deadline.can_finish(b"", most)
        return
    width, rows = vocabulary.size + 1, [list[int](), list[int]()]
    while True:
        expected = [[*deadline.bias(history, most - len(history)), FORBIDDEN] for history in rows]
        allowed = [[i for i, cost in enumerate(row) if cost != FORBIDDEN] for row in expected]
        if not all(allowed):  # complete, and no end-of-sequence to say so
            return
        ids = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
        assert processor.bias(ids, width).tolist() == expected
        assert processor(ids, np.zeros((len(rows), width), np.float32)).tolist() == expected
        if all(vocabulary.eos_ids.intersection(history) for history in rows):
            return
        has_ended = vocabulary.eos_ids.intersection(rows[0])
        for token in set() if has_ended else {*range(width)} - {*allowed[0]}:
            with pytest.raises(DeadEndError, match="LC0403"):
                processor.bias([[*rows[0], token]], width)
        rows = [[*history, data.draw(st.sampled_from(row))] for history, row in zip(rows, allowed, strict=True)]
        rows = data.draw(st.permutations(rows))


def test_a_budget_beside_a_grammar_is_refused() -> None:
    """How far the end of the grammar is nobody tells; and a number below 0 is none."""
    import langc

    tokens = {"tokens": {0: b"a"}, "special": {"<eos>": 1}, "eos": [1]}
    policy = langc.parse_policy("policy p { deny [b]; }")
    with pytest.raises(BudgetError, match="LC0405"):
        PolicyProcessor(policy, tokens, join=lambda rows: Matcher(policy, tokens, rows), max_tokens=3)
    with pytest.raises(ValueError, match="0 or more"):
        PolicyProcessor(policy, tokens, max_tokens=-1)


@pytest.mark.parametrize("most", range(7))
def test_a_region_is_closed_in_time(most: int) -> None:
    """With `think` exempt: opened only where its closer can still be written."""
    import langc
    from tests.unit.tokens.toys import toy

    policy = langc.parse_policy("policy p { only [a]; }").with_(exempt=["think"])
    vocabulary = toy(b"a", b"<think>", b"</", b"think>", b"b", "<eos>")
    matcher = Matcher(policy, vocabulary, max_tokens=most)

    assert matcher.allows(0) == (most >= 1)
    assert matcher.allows(1) == (most >= 3)
    assert matcher.allows(5)
    if matcher.advance(1):
        for left in range(most - 1, 2, -1):
            assert matcher.remaining == left
            assert matcher.advance(4)
        assert np.flatnonzero(matcher.mask()).tolist() == [2]
        assert matcher.advance(2)
        assert np.flatnonzero(matcher.mask()).tolist() == [3]
        assert matcher.advance(3)
        assert np.flatnonzero(matcher.mask()).tolist() == [5]


def test_a_budget_beside_phrases_that_end_the_text() -> None:
    """The tables of a `stop before` go by the policy's own."""
    import langc
    from tests.unit.tokens.toys import toy

    policy = langc.parse_policy('policy p { only [xEND]; allow "yyyy"; stop before phrase "END"; }')
    vocabulary = toy(b"x", b"E", b"N", b"D", b"END", b"\xec\x95", b"y", "<eos>")
    matcher = Matcher(policy, vocabulary, max_tokens=1)

    assert np.flatnonzero(matcher.mask()).tolist() == [0, 1, 2, 3, 7]
    assert Matcher(policy, vocabulary, max_tokens=4).allows(6)
    assert not Matcher(policy, vocabulary, max_tokens=3).allows(6)
    assert matcher.stopping() == (4,)
    assert matcher.forced() == (b"", ())
    assert matcher.advance(1)
    assert np.flatnonzero(matcher.mask()).tolist() == [7]


def test_the_end_takes_nothing_of_the_budget() -> None:
    """Nor does padding behind it; what is written again after a rollback does."""
    import langc
    from tests.unit.tokens.toys import toy

    matcher = Matcher(langc.parse_policy("policy p { only [a]; }"), toy(b"a", "<eos>"), max_tokens=3)
    seen = []
    for ids in ([], [0], [0, 1], [0, 1, 1, 1], [0, 0, 0], [0, 0, 0, 1]):
        assert matcher.sync(ids)
        seen.append(matcher.remaining)
    assert seen == [3, 2, 2, 2, 0, 0]


@pytest.mark.parametrize("wrong", [True, False, 1.5, "3", 2.0])
def test_a_budget_is_an_integer(wrong: object) -> None:
    """Of any library; no fraction, text or truth value."""
    import langc
    from tests.unit.tokens.toys import toy

    policy, vocabulary = langc.parse_policy("policy p { only [a]; }"), toy(b"a", "<eos>")
    with pytest.raises(TypeError):
        Matcher(policy, vocabulary, max_tokens=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        PolicyProcessor(policy, vocabulary, max_tokens=wrong)  # type: ignore[arg-type]
    assert Matcher(policy, vocabulary, max_tokens=np.int64(3)).remaining == 3  # type: ignore[arg-type]
