"""The mask is a function of the token history alone, whatever the way to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from langc.compiler.errors import PolicyError
from langc.compiler.tokens.matcher import Matcher
from tests.examples import examples
from tests.property.languages import scope_policies, vocabularies


@st.composite
def matchers(draw: st.DrawFn) -> Matcher:
    """A new matcher, hard or soft, that answers in every state."""
    policy = draw(scope_policies)
    policy = draw(st.sampled_from([policy, policy.with_(mode="soft", bias=2)]))
    vocabulary = draw(vocabularies("ab中가"))
    try:
        return Matcher(policy, vocabulary, vocabulary.size + 1, on_dead_end="stop")
    except PolicyError:
        assume(False)
        raise


def replay(empty: Matcher, history: Sequence[int]) -> Matcher:
    """A matcher with no history but this one, read token by token."""
    fresh = empty.fork()
    fresh.reset()
    for token in history:
        assert fresh.advance(token)
    return fresh


def same(left: Matcher, right: Matcher) -> bool:
    """Whether two matchers cannot be told apart."""
    return (
        np.array_equal(left.mask(), right.mask())
        and np.array_equal(left.bias(), right.bias())
        and (left.ids, left.accepting, left.ended) == (right.ids, right.accepting, right.ended)
    )


class Histories(RuleBasedStateMachine):
    """Any row of calls; a list of ids is the model of the matcher."""

    @initialize(matcher=matchers())
    def begin(self, matcher: Matcher) -> None:
        """An empty history, and no forks."""
        self.matcher, self.history = matcher, list[int]()
        self.forks: list[tuple[Matcher, list[int]]] = []

    @rule(data=st.data())
    def advance(self, data: st.DataObject) -> None:
        """Any id, more often one that is allowed; it is taken iff the mask has it and the text has not ended."""
        allowed = np.flatnonzero(self.matcher.mask()).tolist()
        token = data.draw(st.one_of(st.integers(-1, self.matcher.rows), st.sampled_from(allowed or [-1])))
        taken = self.matcher.allows(token) and not self.matcher.ended
        assert self.matcher.advance(token) == taken
        self.history += [token] * taken

    @rule(data=st.data())
    def rollback(self, data: st.DataObject) -> None:
        """Some tokens fewer."""
        count = data.draw(st.integers(0, len(self.history)))
        self.matcher.rollback(count)
        self.history = self.history[: len(self.history) - count]

    @rule()
    def fork(self) -> None:
        """A copy that must stay as it is."""
        self.forks.append((self.matcher.fork(), list(self.history)))

    @precondition(lambda self: self.forks)
    @rule(data=st.data())
    def swap(self, data: st.DataObject) -> None:
        """Go on with a fork, as beams do."""
        at = data.draw(st.integers(0, len(self.forks) - 1))
        fork, history = self.forks[at]
        self.forks[at] = (self.matcher, self.history)
        self.matcher, self.history = fork, history

    @precondition(lambda self: self.forks)
    @rule(data=st.data())
    def sync(self, data: st.DataObject) -> None:
        """Take the history of a fork, or a part of it."""
        _, history = data.draw(st.sampled_from(self.forks))
        wanted = history[: data.draw(st.integers(0, len(history)))]
        assert self.matcher.sync(wanted)
        self.history = list(wanted)

    @rule()
    def reset(self) -> None:
        """Forget."""
        self.matcher.reset()
        self.history = []

    @invariant()
    def equals_a_fresh_one(self) -> None:
        """The matcher and all forks are what reading their histories gives."""
        for matcher, history in [(self.matcher, self.history), *self.forks]:
            assert same(matcher, replay(matcher, history))


TestHistories = Histories.TestCase
TestHistories.settings = settings(deadline=None, max_examples=60, stateful_step_count=15)


@settings(deadline=None, max_examples=examples(150))
@given(matchers(), st.data())
def test_sync_says_whether_each_token_is_permitted(matcher: Matcher, data: st.DataObject) -> None:
    """Any list of ids: sync agrees with advancing one by one, up to what follows the end."""
    ids = data.draw(st.lists(st.integers(-1, matcher.rows), max_size=5))
    one_by_one = matcher.fork()
    permitted = all(one_by_one.ended or one_by_one.advance(token) for token in ids)

    assert matcher.sync(ids) == permitted
    assert matcher.ids == tuple(ids)
    assert not permitted or np.array_equal(matcher.mask(), one_by_one.mask())
    matcher.rollback(len(ids))
    one_by_one.reset()
    assert same(matcher, one_by_one)
