"""xgrammar, from EBNF or from a regular expression, over the raw bytes of any vocabulary.

Special ids are handed over as empty strings: given by their names xgrammar takes them for text and lets them through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langc.compiler.verify.engines.protocol import GrammarRefusedError, Mask, PrefixRefusedError, VocabularyLike, unpack


class XGrammar:
    """One grammar, compiled once; a fresh matcher for each prefix."""

    name = "xgrammar"

    def __init__(self, grammar: str, vocabulary: VocabularyLike, kind: str = "ebnf") -> None:
        """`kind` is `ebnf` or `regex`. Raises `GrammarRefusedError`."""
        import xgrammar

        self._size = vocabulary.size
        compiler = xgrammar.GrammarCompiler(_tokenizer(vocabulary), max_threads=1, cache_enabled=False)
        compile_ = {"ebnf": compiler.compile_grammar, "regex": compiler.compile_regex}[kind]
        try:
            self._compiled = compile_(grammar)
        except RuntimeError as error:
            raise GrammarRefusedError(str(error)) from error

    def mask(self, prefix: Sequence[int]) -> Mask:
        """See `Engine.mask`. A mask that the engine calls unrestricted is all True."""
        import xgrammar

        matcher = xgrammar.GrammarMatcher(self._compiled)
        for position, token in enumerate(prefix):
            if not matcher.accept_token(token):
                raise PrefixRefusedError(position)
        bitmask = xgrammar.allocate_token_bitmask(1, self._size)
        matcher.fill_next_token_bitmask(bitmask)
        return unpack(bitmask[0].numpy(), self._size)


def _tokenizer(vocabulary: VocabularyLike) -> Any:
    import xgrammar

    return xgrammar.TokenizerInfo(
        [vocabulary.token_bytes(token) for token in range(vocabulary.size)],
        xgrammar.VocabType.RAW,
        stop_token_ids=sorted(vocabulary.eos_ids),
    )
