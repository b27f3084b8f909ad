"""outlines-core, on the expression that langc writes for it, with its torch kernel, which torch compiles."""

from __future__ import annotations

from typing import Any

import torch
from outlines_core import Guide, Index
from outlines_core.kernels.torch import allocate_token_bitmask, apply_token_bitmask_inplace, fill_next_token_bitmask

import langc
from bench.contenders import CannotError
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.engines.outlines_core import outlines_vocabulary


def translate(policy: Policy, vocabulary: Vocabulary) -> str:
    """The expression."""
    try:
        return str(langc.compile(policy, "outlines", vocabulary, dialect="regex", allow="under").text)
    except LangcError as error:
        raise CannotError(str(error)) from error


class Prepare:
    """Its vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.rows = vocabulary.size
        outlines_vocabulary.cache_clear()
        self.vocabulary = outlines_vocabulary(vocabulary)

    def compile(self, source: str) -> OutlinesSession:
        """See `Prepared`."""
        try:
            return OutlinesSession(Index(source, self.vocabulary), self.rows)
        except ValueError as error:
            raise CannotError(str(error)) from error


class OutlinesSession:
    """A guide, its bitmask and logits."""

    def __init__(self, index: Any, rows: int) -> None:
        self.index, self.rows, self.guide = index, rows, Guide(index)
        self.bitmask = allocate_token_bitmask(rows)
        self.logits = torch.zeros((1, rows))
        self.reset = self.guide.reset

    def advance(self, token: int) -> None:
        """See `Session`."""
        self.guide.advance(token, return_tokens=False)

    def mask(self) -> None:
        """See `Session`."""
        fill_next_token_bitmask(self.guide, self.bitmask)

    def apply(self) -> None:
        """See `Session`."""
        apply_token_bitmask_inplace(self.logits, self.bitmask)

    def prepare(self) -> None:
        """See `Session`."""
        self.mask()

    def fresh(self) -> OutlinesSession:
        """See `Session`."""
        return OutlinesSession(self.index, self.rows)
