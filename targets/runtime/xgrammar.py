"""Grammars of xgrammar 0.2, to be joined with policies: `langc.xgrammar`.

A grammar is compiled once and makes any number of parts:

    grammar = langc.xgrammar.json_schema(schema, vocabulary)
    matcher = langc.JoinedMatcher(langc.Matcher(policy, vocabulary, rows), grammar(rows))

xgrammar is given the raw bytes of langc's vocabulary, so that both judge the same tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from langc.compiler.tokens.joined.parts import BoolArray
from langc.compiler.tokens.loaders import load_vocabulary
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime._grammars import check_rows, refused, schema_text, unpacked
from langc.targets.runtime._needs import needs
from langc.targets.runtime._xgrammar_tokens import tokenizer_info

with needs("xgrammar"):
    import xgrammar


@dataclass(frozen=True)
class Grammar:
    """A compiled grammar; called with a model's number of rows, it makes a part."""

    compiled: Any
    """An `xgrammar.CompiledGrammar`."""
    vocabulary: Vocabulary
    writes_json: bool = False
    """Whether its texts are JSON, so that a policy beside it must read what is escaped in strings."""

    def __call__(self, rows: int | None = None) -> XGrammarPart:
        """A part with no history; without `rows` it is as wide as the vocabulary. Raises JoinError (LC0661)."""
        return XGrammarPart(
            xgrammar.GrammarMatcher(self.compiled),
            self.vocabulary,
            self.vocabulary.size if rows is None else rows,
            self.compiled.tokenizer_info.vocab_size,
            self.writes_json,
        )


def json_schema(schema: str | Mapping[str, Any] | bool, vocabulary: Vocabulary | Any, **options: Any) -> Grammar:
    """JSON texts that obey a schema.

    Args:
        schema: a JSON Schema, as a value or as its text.
        vocabulary: what `load_vocabulary` takes.
        options: those of `xgrammar.GrammarCompiler.compile_json_schema`, `any_whitespace=False` for one.

    Raises:
        JoinError: xgrammar refuses the schema (LC0663).
    """
    text = schema_text(schema)
    return _compiled(vocabulary, lambda compiler: compiler.compile_json_schema(text, **options), writes_json=True)


def ebnf(grammar: str, vocabulary: Vocabulary | Any, root: str = "root") -> Grammar:
    """Texts of an EBNF grammar in xgrammar's notation, which is near to GBNF. Raises JoinError (LC0663)."""
    return _compiled(vocabulary, lambda compiler: compiler.compile_grammar(grammar, root_rule_name=root))


def regex(expression: str, vocabulary: Vocabulary | Any) -> Grammar:
    """Texts that match a regular expression as a whole. Raises JoinError (LC0663)."""
    return _compiled(vocabulary, lambda compiler: compiler.compile_regex(expression))


def of(compiled: Any, vocabulary: Vocabulary | Any, writes_json: bool = False) -> Grammar:
    """A grammar that the caller compiled.

    Args:
        compiled: an `xgrammar.CompiledGrammar`.
        vocabulary: the tokens that it was compiled for, as `load_vocabulary` takes them.
        writes_json: whether its texts are JSON; a policy joined with it then has to read what is escaped.

    Raises:
        JoinError: it was compiled for other tokens (LC0663).
    """
    tokens = load_vocabulary(vocabulary)
    given = compiled.tokenizer_info.decoded_vocab
    pairs = enumerate(tokens.tokens)
    wrong = next((i for i, spelled in pairs if spelled and (i >= len(given) or given[i] != spelled)), None)
    if wrong is not None:
        raise refused(f"the grammar was compiled for other tokens than those of {tokens.name}: {wrong} differs")
    return Grammar(compiled, tokens, writes_json)


class XGrammarPart:
    """An `xgrammar.GrammarMatcher` as a part of a joined matcher.

    Args:
        matcher: without history.
        vocabulary: the tokens.
        rows: the width of `mask()`; rows beyond xgrammar's are never allowed.
        width: that of the tokenizer that the grammar was compiled for.
        writes_json: see `Grammar`.

    Raises:
        JoinError: `rows` is smaller than the vocabulary (LC0661).
    """

    def __init__(
        self, matcher: Any, vocabulary: Vocabulary, rows: int, width: int | None = None, writes_json: bool = False
    ) -> None:
        check_rows(rows, vocabulary)
        self.vocabulary = vocabulary
        self.rows = rows
        self.writes_json = writes_json
        self._matcher = matcher
        self._width = vocabulary.size if width is None else width
        self._words = np.empty((1, -(-self._width // 32)), dtype=np.int32)

    @property
    def accepting(self) -> bool:
        """Whether the text so far is a whole one."""
        return bool(self._matcher.is_completed())

    def mask(self) -> BoolArray:
        """bool [rows]: xgrammar's bitmask."""
        self._words.fill(-1)
        self._matcher.fill_next_token_bitmask(self._words)
        return unpacked(self._words[0], self._width, self.rows)

    def advance(self, token: int) -> bool:
        """Take a token."""
        return bool(self._matcher.accept_token(token))

    def rollback(self, count: int) -> None:
        """Take back tokens; xgrammar keeps all that it needs for as many as there are."""
        if count:
            self._matcher.rollback(count)

    def fork(self) -> XGrammarPart:
        """An independent part with the same history."""
        return XGrammarPart(self._matcher.fork(), self.vocabulary, self.rows, self._width, self.writes_json)


def _compiled(vocabulary: Vocabulary | Any, compile_: Callable[[Any], Any], writes_json: bool = False) -> Grammar:
    tokens = load_vocabulary(vocabulary)
    compiler = xgrammar.GrammarCompiler(tokenizer_info(tokens, tokens.size), max_threads=1, cache_enabled=False)
    try:
        return Grammar(compile_(compiler), tokens, writes_json)
    except RuntimeError as error:
        raise refused(f"xgrammar does not take the grammar: {_reason(error)}") from error


def _reason(error: RuntimeError) -> str:
    """xgrammar's message without the time and the place in its sources, on one line."""
    text = str(error).strip()
    head, _, rest = text.partition(".cc:")
    return " ".join((rest.partition(": ")[2] if head != text else text).split())
