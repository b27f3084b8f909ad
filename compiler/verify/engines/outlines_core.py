"""outlines-core: an index of a regular expression over the raw bytes of any vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from langc.compiler.verify.engines.protocol import GrammarRefusedError, Mask, PrefixRefusedError, VocabularyLike


class OutlinesCore:
    """One index; the state is looked up afresh for each prefix."""

    name = "outlines-core"

    def __init__(self, regex: str, vocabulary: VocabularyLike) -> None:
        """Raises `GrammarRefusedError`. The engine knows one end token: the least of the vocabulary's."""
        from outlines_core import Index, Vocabulary

        self._size = vocabulary.size
        tokens: dict[bytes, list[int]] = {}
        for token in range(vocabulary.size):
            if not vocabulary.is_special(token):
                tokens.setdefault(vocabulary.token_bytes(token), []).append(token)
        try:
            self._index = Index(regex, Vocabulary(min(vocabulary.eos_ids), tokens))
        except ValueError as error:
            raise GrammarRefusedError(str(error)) from error

    def mask(self, prefix: Sequence[int]) -> Mask:
        """See `Engine.mask`."""
        state = self._index.get_initial_state()
        for position, token in enumerate(prefix):
            following = self._index.get_next_state(state, token)
            if following is None:
                raise PrefixRefusedError(position)
            state = following
        mask = np.zeros(self._size, np.bool_)
        mask[list(self._index.get_allowed_tokens(state) or ())] = True
        return mask
