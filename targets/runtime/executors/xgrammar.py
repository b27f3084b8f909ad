"""A surface in xgrammar, the grammar compiled anew at each event of Γ: the way of arXiv 2607.18357."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.snapshot.grammar import Grammar
from langc.compiler.tokens.vocabulary_like import VocabularyLike
from langc.targets._surface_bnf import write_snapshot
from langc.targets.runtime._xgrammar_tokens import tokenizer_info
from langc.targets.runtime.executors.rebuilt import Rebuilt
from langc.targets.xgrammar import STYLE


class _Matcher:
    def __init__(self, matcher: Any, size: int) -> None:
        self._matcher, self._size = matcher, size

    def mask(self) -> NDArray[np.bool_]:
        import xgrammar

        words = xgrammar.allocate_token_bitmask(1, self._size)
        self._matcher.fill_next_token_bitmask(words)
        return np.unpackbits(words[0].numpy().view(np.uint8), bitorder="little", count=self._size).view(np.bool_)

    def advance(self, token: int) -> bool:
        return bool(self._matcher.accept_token(token))

    def read(self, text: bytes) -> bool:
        return bool(self._matcher.accept_string(text)) if text else True

    def fork(self) -> _Matcher:
        return _Matcher(self._matcher.fork(), self._size)


class XGrammar(Rebuilt):
    """See the module. `beyond` as in `rebuilt.py`."""

    def __init__(self, engine: Engine, vocabulary: VocabularyLike, beyond: bool = False) -> None:
        import xgrammar

        info = tokenizer_info(vocabulary, vocabulary.size)
        compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=True)
        style = replace(STYLE, inline_ranges=1 << 30)

        def build(grammar: Grammar) -> _Matcher:
            compiled = compiler.compile_grammar(write_snapshot(grammar, style))
            return _Matcher(xgrammar.GrammarMatcher(compiled), vocabulary.size)

        super().__init__("xgrammar", engine, vocabulary, build, beyond)
