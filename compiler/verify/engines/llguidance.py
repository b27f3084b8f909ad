"""llguidance, from its Lark dialect or from a regular expression, over the raw bytes of any vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

from langc.compiler.verify.engines.protocol import (
    GrammarRefusedError,
    Look,
    PrefixRefusedError,
    VocabularyLike,
    Whole,
    pack_words,
)
from langc.targets.runtime._llguidance_tokens import ll_tokenizer


class LlGuidance(Whole):
    """One grammar and one matcher, set back before each prefix; another one after it failed."""

    name = "llguidance"

    def __init__(self, grammar: str, vocabulary: VocabularyLike, kind: str = "regex", rows: int | None = None) -> None:
        """`kind` is `regex` or `lark`. Raises `GrammarRefusedError`."""
        import llguidance
        from llguidance.numpy import allocate_token_bitmask

        self._size = vocabulary.size
        self._ends = frozenset(vocabulary.eos_ids)
        self.rows = vocabulary.size if rows is None else rows
        convert = {
            "regex": llguidance.LLMatcher.grammar_from_regex,
            "lark": llguidance.LLMatcher.grammar_from_lark,
        }[kind]
        self._start = llguidance.LLMatcher(ll_tokenizer(vocabulary), convert(grammar), log_level=0)
        if self._start.is_error():
            raise GrammarRefusedError(self._start.get_error())
        self._matcher = self._start.deep_copy()
        self._bitmask = allocate_token_bitmask(1, vocabulary.size)

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """See `Engine.look`. Raises `RuntimeError` on an internal error, which would leave only the end token."""
        from llguidance.numpy import fill_next_token_bitmask

        self._follow(prefix)
        fill_next_token_bitmask(self._matcher, self._bitmask)
        if self._matcher.is_error():
            raise RuntimeError(f"llguidance failed: {self._matcher.get_error().partition(chr(10))[0]}")
        return Look(pack_words(self._bitmask[0], self.rows), [self._takes(token) for token in ids])

    def taken_after_end(self, prefix: Sequence[int], end: int, ids: Sequence[int]) -> Sequence[bool]:
        """See `Engine.taken_after_end`."""
        self._follow((*prefix, end))
        return [self._takes(token) for token in ids]

    def _follow(self, prefix: Sequence[int]) -> None:
        if self._matcher.is_error() or not self._matcher.reset():
            self._matcher = self._start.deep_copy()
        for position, token in enumerate(prefix):
            if not self._takes(token):
                raise PrefixRefusedError(position)
            self._matcher.consume_token(token)

    def _takes(self, token: int) -> bool:
        """Where nothing but the end is left the engine stops of itself, and validates no token any more."""
        if self._matcher.is_stopped():
            return token in self._ends
        return token < self._size and bool(self._matcher.validate_tokens([token]))
