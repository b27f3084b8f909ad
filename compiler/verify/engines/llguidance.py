"""llguidance, from its Lark dialect or from a regular expression, over the raw bytes of any vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langc.compiler.verify.engines.protocol import GrammarRefusedError, Mask, PrefixRefusedError, VocabularyLike, unpack


class LlGuidance:
    """One grammar; a copy of the fresh matcher for each prefix."""

    name = "llguidance"

    def __init__(self, grammar: str, vocabulary: VocabularyLike, kind: str = "regex") -> None:
        """`kind` is `regex` or `lark`. Raises `GrammarRefusedError`."""
        import llguidance

        self._size = vocabulary.size
        convert = {
            "regex": llguidance.LLMatcher.grammar_from_regex,
            "lark": llguidance.LLMatcher.grammar_from_lark,
        }[kind]
        self._start = llguidance.LLMatcher(_tokenizer(vocabulary), convert(grammar), log_level=0)
        if self._start.is_error():
            raise GrammarRefusedError(self._start.get_error())

    def mask(self, prefix: Sequence[int]) -> Mask:
        """See `Engine.mask`. Raises `RuntimeError` on an internal error, which would leave only the end token."""
        from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

        matcher = self._start.deep_copy()
        for position, token in enumerate(prefix):
            if not matcher.validate_tokens([token]):
                raise PrefixRefusedError(position)
            matcher.consume_token(token)
        bitmask = allocate_token_bitmask(1, self._size)
        fill_next_token_bitmask(matcher, bitmask)
        if matcher.is_error():
            raise RuntimeError(f"llguidance failed: {matcher.get_error().partition(chr(10))[0]}")
        return unpack(bitmask[0], self._size)


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


def _tokenizer(vocabulary: VocabularyLike) -> Any:
    import llguidance

    wrapper = llguidance.TokenizerWrapper(_Tokens(vocabulary))
    return llguidance.LLTokenizer(wrapper, eos_token=sorted(vocabulary.eos_ids))
