"""outlines-core: an index of a regular expression over the raw bytes of any vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from langc.compiler.verify.engines.protocol import (
    GrammarRefusedError,
    Look,
    NotRunError,
    PrefixRefusedError,
    VocabularyLike,
    Whole,
    pack_words,
)


class OutlinesCore(Whole):
    """One index, and one guide, set back before each prefix."""

    name = "outlines-core"

    def __init__(self, regex: str, vocabulary: VocabularyLike, rows: int | None = None) -> None:
        """Raises `GrammarRefusedError`. The engine knows one end token: the least of the vocabulary's."""
        from outlines_core import Guide, Index

        self.rows = vocabulary.size if rows is None else rows
        try:
            self._index = Index(regex, outlines_vocabulary(vocabulary))
        except ValueError as error:
            if "vocabulary provided is incompatible" in str(error):
                raise NotRunError("it wants a token for every byte that the expression can need") from error
            raise GrammarRefusedError(str(error)) from error
        self._end = min(vocabulary.eos_ids)
        self._guide = Guide(self._index)
        self._words = np.zeros(-(-self.rows // 32), np.int32)

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """See `Engine.look`."""
        self._follow(prefix)
        self._guide.write_mask_into(self._words.ctypes.data, self._words.size, self._words.itemsize)
        return Look(pack_words(self._words, self.rows), [self._takes(token) for token in ids])

    def _follow(self, prefix: Sequence[int]) -> None:
        self._guide.reset()
        for position, token in enumerate(prefix):
            if not self._takes(token):
                raise PrefixRefusedError(position)
            self._guide.advance(token, return_tokens=False)

    def _takes(self, token: int) -> bool:
        """An end token is no step: the engine offers it in final states, and its caller stops there."""
        if token == self._end:
            return bool(self._index.is_final_state(self._guide.get_state()))
        return bool(self._guide.accepts_tokens([token]))


@lru_cache(maxsize=4)
def outlines_vocabulary(vocabulary: VocabularyLike) -> Any:
    """The vocabulary as outlines-core takes it."""
    from outlines_core import Vocabulary

    tokens: dict[bytes, list[int]] = {}
    for token in range(vocabulary.size):
        if not vocabulary.is_special(token):
            tokens.setdefault(vocabulary.token_bytes(token), []).append(token)
    return Vocabulary(min(vocabulary.eos_ids), tokens)
