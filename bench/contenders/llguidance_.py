"""llguidance, on the Lark grammar that langc writes for it, with its torch kernel, which torch compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llguidance
import llguidance.torch
import torch

import langc
from bench.contenders import CannotError
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime._llguidance_tokens import ll_tokenizer


def translate(policy: Policy, _: Vocabulary) -> str:
    """The grammar."""
    try:
        return str(langc.compile(policy, "llguidance").text)
    except LangcError as error:
        raise CannotError(str(error)) from error


class Prepare:
    """Its tokenizer."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.rows = vocabulary.size
        ll_tokenizer.cache_clear()
        self.tokenizer = ll_tokenizer(vocabulary)

    def compile(self, source: str) -> LlGuidanceSession:
        """See `Prepared`."""
        made = llguidance.LLMatcher.grammar_from_lark(source)
        matcher = llguidance.LLMatcher(self.tokenizer, made, log_level=0)
        if matcher.is_error():
            raise CannotError(matcher.get_error().partition("\n")[0])
        return LlGuidanceSession(matcher, self.rows, lambda: self.compile(source))


class LlGuidanceSession:
    """A matcher, its bitmask and logits."""

    def __init__(self, matcher: Any, rows: int, fresh: Callable[[], LlGuidanceSession]) -> None:
        self.matcher, self.fresh = matcher, fresh
        self.bitmask = llguidance.torch.allocate_token_bitmask(1, rows)
        self.logits = torch.zeros((1, rows))
        self.reset, self.advance = matcher.reset, matcher.consume_token

    def mask(self) -> None:
        """See `Session`."""
        llguidance.torch.fill_next_token_bitmask(self.matcher, self.bitmask)

    def apply(self) -> None:
        """See `Session`."""
        llguidance.torch.apply_token_bitmask_inplace(self.logits, self.bitmask)

    def prepare(self) -> None:
        """See `Session`."""
        self.mask()
