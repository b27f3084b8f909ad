"""xgrammar, from EBNF or from a regular expression, over the raw bytes of any vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from langc.compiler.verify.engines.overhear import overhear
from langc.compiler.verify.engines.protocol import (
    GrammarRefusedError,
    Look,
    PrefixRefusedError,
    VocabularyLike,
    Whole,
    pack_words,
)
from langc.targets.runtime._xgrammar_tokens import tokenizer_info


class XGrammar(Whole):
    """One grammar, compiled once; one matcher, set back before each prefix."""

    name = "xgrammar"

    def __init__(self, grammar: str, vocabulary: VocabularyLike, kind: str = "ebnf", rows: int | None = None) -> None:
        """`kind` is `ebnf` or `regex`. Raises `GrammarRefusedError`."""
        import xgrammar

        self.rows = vocabulary.size if rows is None else rows
        compiler = xgrammar.GrammarCompiler(tokenizer_info(vocabulary, self.rows), max_threads=1, cache_enabled=False)
        compile_ = {"ebnf": compiler.compile_grammar, "regex": compiler.compile_regex}[kind]
        try:
            self._matcher = xgrammar.GrammarMatcher(compile_(grammar))
        except RuntimeError as error:
            raise GrammarRefusedError(str(error)) from error
        self._special: dict[int, bool | None] = dict.fromkeys(_no_text(vocabulary, self.rows))
        self._bitmask = xgrammar.allocate_token_bitmask(1, self.rows)
        self._words = self._bitmask[0].numpy()

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """See `Engine.look`. A mask that the engine calls unrestricted is all True."""
        self._follow(prefix)
        self._matcher.fill_next_token_bitmask(self._bitmask)
        return Look(pack_words(self._words, self.rows), [self._takes(token) for token in ids])

    def taken_after_end(self, prefix: Sequence[int], end: int, ids: Sequence[int]) -> Sequence[bool]:
        """See `Engine.taken_after_end`."""
        self._follow((*prefix, end))
        with overhear():  # it warns about each
            return [bool(self._matcher.accept_token(token)) for token in ids]

    def _follow(self, prefix: Sequence[int]) -> None:
        self._matcher.reset()
        for position, token in enumerate(prefix):
            if not self._matcher.accept_token(token):
                raise PrefixRefusedError(position)

    def _takes(self, token: int) -> bool:
        """Special ids are refused anywhere, with a warning: one a time is enough."""
        if token not in self._special:
            return self._tries(token)
        if self._special[token] is None:
            with overhear():
                self._special[token] = self._tries(token)
        return bool(self._special[token])

    def _tries(self, token: int) -> bool:
        taken = bool(self._matcher.accept_token(token))
        if taken:
            self._matcher.rollback(1)
        return taken


@lru_cache(maxsize=4)
def _no_text(vocabulary: VocabularyLike, rows: int) -> tuple[int, ...]:
    """Special ids and padding."""
    special = (t for t in range(vocabulary.size) if vocabulary.is_special(t) and t not in vocabulary.eos_ids)
    return (*special, *range(vocabulary.size, rows))
