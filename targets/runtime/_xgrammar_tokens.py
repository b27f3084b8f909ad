"""A vocabulary as xgrammar takes it: the raw bytes of every id.

Special ids are handed over as empty strings: given by their names xgrammar takes them for text and lets them through.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from langc.compiler.tokens.vocabulary_like import VocabularyLike


@lru_cache(maxsize=4)
def tokenizer_info(vocabulary: VocabularyLike, rows: int) -> Any:
    """An `xgrammar.TokenizerInfo`; rows beyond the vocabulary's are special ids without text to it."""
    import xgrammar

    return xgrammar.TokenizerInfo(
        [vocabulary.token_bytes(token) for token in range(vocabulary.size)],
        xgrammar.VocabType.RAW,
        vocab_size=rows,
        stop_token_ids=sorted(vocabulary.eos_ids),
    )
