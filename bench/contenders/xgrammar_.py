"""xgrammar, on the EBNF that langc writes for it: right-linear, positive classes."""

from __future__ import annotations

from typing import Any

import torch
import xgrammar

import langc
from bench.contenders import CannotError
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime._xgrammar_tokens import tokenizer_info


def translate(policy: Policy, _: Vocabulary) -> str:
    """The grammar."""
    try:
        return str(langc.compile(policy, "xgrammar").text)
    except LangcError as error:
        raise CannotError(str(error)) from error


class Prepare:
    """Its tokenizer info and compiler; one thread, as everything here."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.rows = vocabulary.size
        tokenizer_info.cache_clear()
        info = tokenizer_info(vocabulary, self.rows)
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def compile(self, source: str) -> XGrammarSession:
        """See `Prepared`."""
        return XGrammarSession(self.compiler.compile_grammar(source), self.rows)


class XGrammarSession:
    """A matcher, its bitmask and logits."""

    def __init__(self, grammar: Any, rows: int) -> None:
        self.grammar, self.rows, self.matcher = grammar, rows, xgrammar.GrammarMatcher(grammar)
        self.bitmask = xgrammar.allocate_token_bitmask(1, rows)
        self.logits = torch.zeros((1, rows))
        self.reset, self.advance = self.matcher.reset, self.matcher.accept_token

    def mask(self) -> None:
        """See `Session`."""
        self.matcher.fill_next_token_bitmask(self.bitmask)

    def apply(self) -> None:
        """See `Session`."""
        xgrammar.apply_token_bitmask_inplace(self.logits, self.bitmask)

    def prepare(self) -> None:
        """See `Session`."""
        self.mask()

    def fresh(self) -> XGrammarSession:
        """See `Session`."""
        return XGrammarSession(self.grammar, self.rows)
