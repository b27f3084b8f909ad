"""llguidance, from its Lark dialect or from a regular expression, over the raw bytes of any vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from langc.compiler.verify.engines.protocol import (
    GrammarRefusedError,
    Look,
    PrefixRefusedError,
    VocabularyLike,
    Whole,
    pack_words,
)


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
        self._start = llguidance.LLMatcher(_tokenizer(vocabulary), convert(grammar), log_level=0)
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


class _Tokens:
    """What llguidance reads of a tokenizer. It tokenizes only what its grammar forces; the longest match will do."""

    bos_token_id = None

    def __init__(self, vocabulary: VocabularyLike) -> None:
        ids = range(vocabulary.size)
        self.eos_token_id = min(vocabulary.eos_ids)
        self.special_token_ids = [token for token in ids if vocabulary.is_special(token)]
        self.tokens = [_spelling(vocabulary, token) for token in ids]
        self._ids = {vocabulary.token_bytes(token): token for token in ids if not vocabulary.is_special(token)}
        self._longest = max(map(len, self._ids))

    def __call__(self, text: bytes) -> list[int]:
        """The ids of as much of the text as the vocabulary can spell."""
        ids: list[int] = []
        while text:
            lengths = range(min(len(text), self._longest), 0, -1)
            length = next((n for n in lengths if text[:n] in self._ids), None)
            if length is None:
                break
            ids.append(self._ids[text[:length]])
            text = text[length:]
        return ids


def _spelling(vocabulary: VocabularyLike, token: int) -> bytes:
    if vocabulary.is_special(token):
        return (vocabulary.special_text(token) or f"<special {token}>").encode()
    return vocabulary.token_bytes(token)


@lru_cache(maxsize=4)
def _tokenizer(vocabulary: VocabularyLike) -> Any:
    import llguidance

    wrapper = llguidance.TokenizerWrapper(_Tokens(vocabulary))
    return llguidance.LLTokenizer(wrapper, eos_token=sorted(vocabulary.eos_ids))
