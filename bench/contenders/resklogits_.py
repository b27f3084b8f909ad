"""resklogits, on the phrases of a policy.

It looks for one tokenisation of each phrase, and lowers every token of any phrase at every step: the work is not the
same. Mask and apply are one call.
"""

from __future__ import annotations

from typing import Any

import torch
from resklogits import ShadowBanProcessor

from bench.contenders import CannotError
from bench.greedy import Greedy
from langc.compiler.ir.nodes import RuleKind
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary


def translate(policy: Policy, _: Vocabulary) -> list[str]:
    """The phrases."""
    scopes = policy.lowered.scopes
    phrases = [p.text for s in scopes for r in s.rules if r.kind is RuleKind.DENY for p in r.phrases]
    if not phrases:
        raise CannotError("it bans phrases, and the policy has none")
    return phrases


class Prepare:
    """A tokenizer as it asks for one."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.tokenizer = _Tokenizer(vocabulary)

    def compile(self, source: list[str]) -> ReskLogitsSession:
        """See `Prepared`."""
        return ReskLogitsSession(ShadowBanProcessor(self.tokenizer, source), self.tokenizer.vocab_size)


class _Tokenizer:
    eos_token_id = 0

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocab_size = vocabulary.size
        self._greedy = Greedy(vocabulary)

    def __call__(self, texts: list[str], **_: bool) -> dict[str, list[list[int]]]:
        return {"input_ids": [self._greedy.encode(text) for text in texts]}


class ReskLogitsSession:
    """A processor and its scores."""

    def __init__(self, processor: Any, rows: int) -> None:
        self.processor = processor
        self.logits = torch.zeros((1, rows))
        self.last = torch.zeros((1, 1), dtype=torch.int64)

    def reset(self) -> None:
        """See `Session`."""

    def advance(self, token: int) -> None:
        """See `Session`."""
        self.last = torch.tensor([[token]])

    def mask(self) -> None:
        """Part of `apply`."""

    def apply(self) -> None:
        """See `Session`."""
        self.processor(self.last, self.logits)

    def prepare(self) -> None:
        """See `Session`."""
        self.mask()

    def fresh(self) -> ReskLogitsSession:
        """See `Session`."""
        return ReskLogitsSession(self.processor, self.logits.shape[1])
