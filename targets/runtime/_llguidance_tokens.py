"""A vocabulary as llguidance takes it: the raw bytes of every id, special ids by their spelling."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from langc.compiler.tokens.vocabulary_like import VocabularyLike


class _Tokens:
    """What llguidance reads of a tokenizer. It tokenizes only what its grammar forces; the longest match will do."""

    bos_token_id = None

    def __init__(self, vocabulary: VocabularyLike) -> None:
        ids = range(vocabulary.size)
        self.eos_token_id = min(vocabulary.eos_ids)
        self.special_token_ids = [token for token in ids if vocabulary.is_special(token)]
        self.tokens = [_spelling(vocabulary, token) for token in ids]
        self._spelled = Spelled(vocabulary)

    def __call__(self, text: bytes) -> list[int]:
        """See `Spelled`."""
        return self._spelled(text)


class Spelled:
    """Texts by the longest token first."""

    def __init__(self, vocabulary: VocabularyLike) -> None:
        ids = range(vocabulary.size)
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
def ll_tokenizer(vocabulary: VocabularyLike) -> Any:
    """An `llguidance.LLTokenizer`. Raises ValueError if the vocabulary has no end-of-sequence or no text."""
    import llguidance

    wrapper = llguidance.TokenizerWrapper(_Tokens(vocabulary))
    return llguidance.LLTokenizer(wrapper, eos_token=sorted(vocabulary.eos_ids))
