"""A surface in llguidance: the second implementation, which langc's masks are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.snapshot.grammar import Grammar
from langc.compiler.tokens.vocabulary_like import VocabularyLike
from langc.targets._surface_lark import write_lark
from langc.targets.llguidance import OPTIONS
from langc.targets.runtime._llguidance_tokens import Spelled, ll_tokenizer
from langc.targets.runtime.executors.rebuilt import Rebuilt


class _Matcher:
    def __init__(self, matcher: Any, vocabulary: VocabularyLike, spelled: Spelled) -> None:
        self._matcher, self._vocabulary, self._spelled = matcher, vocabulary, spelled

    def mask(self) -> NDArray[np.bool_]:
        from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

        size = self._vocabulary.size
        words = allocate_token_bitmask(1, size)
        if self._matcher.is_stopped():
            row = np.zeros(size, np.bool_)
            row[sorted(self._vocabulary.eos_ids)] = not self._matcher.is_error()
            return row
        fill_next_token_bitmask(self._matcher, words)
        if self._matcher.is_error():
            raise RuntimeError(f"llguidance failed: {self._matcher.get_error()}")
        return np.unpackbits(words[0].view(np.uint8), bitorder="little", count=size).view(np.bool_)

    def advance(self, token: int) -> bool:
        if self._matcher.is_stopped() or not self._matcher.validate_tokens([token]):
            return False
        return bool(self._matcher.consume_token(token))

    def read(self, text: bytes) -> bool:
        ids = self._spelled(text)
        return self._vocabulary_bytes(ids) == text and all(map(self.advance, ids))

    def _vocabulary_bytes(self, ids: list[int]) -> bytes:
        return b"".join(map(self._vocabulary.token_bytes, ids))

    def fork(self) -> _Matcher:
        return _Matcher(self._matcher.deep_copy(), self._vocabulary, self._spelled)


class LlGuidance(Rebuilt):
    """See the module. `beyond` as in `rebuilt.py`."""

    def __init__(self, engine: Engine, vocabulary: VocabularyLike, beyond: bool = False) -> None:
        import llguidance

        tokenizer, spelled = ll_tokenizer(vocabulary), Spelled(vocabulary)

        def build(grammar: Grammar) -> _Matcher:
            text = llguidance.LLMatcher.grammar_from_lark(OPTIONS + write_lark(grammar))
            matcher = llguidance.LLMatcher(tokenizer, text, log_level=0)
            if matcher.is_error():
                raise RuntimeError(f"llguidance refuses a grammar: {matcher.get_error()}")
            return _Matcher(matcher, vocabulary, spelled)

        super().__init__("llguidance", engine, vocabulary, build, beyond)
