"""langc's matcher."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.contenders import CannotError
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary


def translate(policy: Policy, _: Vocabulary) -> Policy:
    """The policy itself, with nothing computed."""
    return policy


class Prepare:
    """Nothing: the trie of the vocabulary is built with the first policy, and is part of `compile`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def compile(self, source: Policy) -> LangcSession:
        """See `Prepared`."""
        try:
            return LangcSession(Matcher(source, self.vocabulary), lambda: self.compile(source))
        except LangcError as error:
            raise CannotError(str(error)) from error


class LangcSession:
    """A matcher and its logits."""

    def __init__(self, matcher: Matcher, fresh: Callable[[], LangcSession]) -> None:
        self.matcher, self.fresh = matcher, fresh
        self.logits = np.zeros(matcher.rows, dtype=np.float32)
        self.reset, self.advance, self.mask = matcher.reset, matcher.advance, matcher.mask
        self.prepare = matcher.prepare

    def apply(self) -> None:
        """See `Session`."""
        self.matcher.apply(self.logits)
