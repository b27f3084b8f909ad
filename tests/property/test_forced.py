"""What must come next, against asking for every single byte whether some row of tokens begins with it."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.errors import PolicyError
from langc.compiler.policy import Policy
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.examples import examples
from tests.oracle.tokens import FORBIDDEN, TokenReferee
from tests.property.languages import scope_policies, vocabularies
from tests.property.test_matcher_masks import SMALL, vocabularies_for
from tests.unit.tokens.toys import toy


class Rows:
    """What rows of tokens spell behind some bytes."""

    def __init__(self, policy: Policy, vocabulary: Vocabulary) -> None:
        self.referee = TokenReferee(policy, vocabulary)
        self.begins = cache(self._begins)
        self.spells = cache(self._spells)

    def _begins(self, text: bytes, more: bytes) -> bool:
        """Whether some row of tokens behind `text` that completes a permitted text begins with `more`."""
        if not more:
            return self.referee.can_finish(text)
        whole = (p for p in self.referee.pieces if p.startswith(more) and self.referee.can_finish(text + p))
        parts = (p for p in self.referee.pieces if more.startswith(p) and self.referee.can_finish(text + p))
        return any(True for _ in whole) or any(self.begins(text + p, more[len(p) :]) for p in parts)

    def _spells(self, text: bytes, more: bytes) -> bool:
        """Whether some allowed row of tokens behind `text` is just `more`, and the text may end there."""
        if not more:
            return self.referee.end_cost(text) != FORBIDDEN
        parts = (p for p in self.referee.pieces if more.startswith(p) and self.referee.can_finish(text + p))
        return any(self.spells(text + p, more[len(p) :]) for p in parts)

    def forced(self, text: bytes) -> bytes:
        """Byte by byte, as long as there is one way."""
        found = b""
        while not self.spells(text, found):
            ways = [b for b in range(256) if self.begins(text, found + bytes([b]))]
            if len(ways) != 1:
                break
            found += bytes(ways)
        return found


def check(matcher: Matcher, rows: Rows, text: bytes) -> None:
    """The bytes; and that the tokens are greedy, allowed, and leave all that could be written before."""
    found = matcher.forced()
    assert found.data == rows.forced(text)
    spelled = b""
    for token in found.tokens:
        fitting = {p for p in rows.referee.pieces if found.data[len(spelled) :].startswith(p)}
        allowed = [p for p in fitting if rows.referee.can_finish(text + spelled + p)]
        assert rows.referee.tokens[token] == max(allowed, key=len)
        assert matcher.advance(token)
        spelled += rows.referee.tokens[token]
    assert found.data.startswith(spelled)
    matcher.rollback(len(found.tokens))
    if found.tokens:
        pieces = rows.referee.pieces
        for first in pieces:
            for second in (b"", *pieces):
                if rows.spells(text, first + second) and (first + second).startswith(spelled):
                    assert rows.spells(text + spelled, (first + second)[len(spelled) :])


@settings(deadline=None, max_examples=examples(150))
@given(st.data())
def test_small_vocabularies(data: st.DataObject) -> None:
    """Terms and characters that have been begun, and tokens that meet."""
    policy = data.draw(scope_policies)
    vocabulary = data.draw(vocabularies(SMALL) | vocabularies_for(policy))
    try:
        matcher = Matcher(policy, vocabulary)
    except PolicyError:
        return
    rows, history = Rows(policy, vocabulary), list[int]()
    for _ in range(5):
        text = b"".join(rows.referee.tokens[i] for i in history)
        check(matcher, rows, text)
        ways = (
            [i for i in rows.referee.tokens if matcher.allows(i)] if not matcher.accepting or vocabulary.eos_ids else []
        )
        if not ways:
            return
        history.append(data.draw(st.sampled_from(ways)))
        assert matcher.advance(history[-1])


def test_a_term_that_was_begun() -> None:
    """All the way to where the text may end; and the longest tokens, `bcd` and not `bcde` of another text."""
    policy = langc.parse_policy('policy p { only [x]; allow "abcdef"; }')
    vocabulary = toy(*(bytes([i]) for i in b"abcdefx"), b"bc", b"bcd", b"bcdx", b"ef", b"bcd", "<eos>")
    matcher = Matcher(policy, vocabulary)

    assert matcher.forced() == (b"", ())
    assert matcher.advance(0)
    assert matcher.forced() == (b"bcdef", (8, 10))
    assert not vocabulary.is_special(8)


def test_tokens_that_would_leave_too_little() -> None:
    """`d` is no token: behind `bc`, which all continuations begin with, only `bcd` leads on."""
    policy = langc.parse_policy('policy p { only [x]; allow "abcd"; }')
    matcher = Matcher(policy, toy(b"a", b"b", b"c", b"bc", b"bcd", b"x", "<eos>"))
    matcher.advance(0)

    assert matcher.forced() == (b"bcd", ())


def test_a_token_that_goes_on_where_another_ends() -> None:
    """Behind `b` only `c` can begin a token, but `bd` is one too."""
    policy = langc.parse_policy('policy p { only [x]; allow "abc", "abd"; }')
    matcher = Matcher(policy, toy(b"a", b"b", b"c", b"bd", b"x", "<eos>"))
    matcher.advance(0)

    assert matcher.forced() == (b"b", ())


def test_within_a_budget() -> None:
    """No more tokens than there may be."""
    policy = langc.parse_policy('policy p { only [x]; allow "abcd"; }')
    vocabulary = toy(b"a", b"b", b"c", b"d", b"x", b"bc", "<eos>")
    matcher = Matcher(policy, vocabulary, max_tokens=3)
    matcher.advance(0)

    assert matcher.forced() == (b"bcd", (5, 3))
    assert matcher.remaining == 2


@pytest.mark.parametrize("ids", [[6], [4, 4, 6, 6], [3]])
def test_nothing_behind_an_end(ids: list[int]) -> None:
    """Nor where the history is lost, nor where the text may end."""
    policy = langc.parse_policy('policy p { only [x]; allow "abcd"; }')
    matcher = Matcher(policy, toy(b"a", b"b", b"c", b"d", b"x", b"bc", "<eos>"))
    matcher.sync(ids)

    assert matcher.forced() == (b"", ())
