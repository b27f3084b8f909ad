"""Grammars of llguidance 1.9, to be joined with policies: `langc.llguidance`.

A grammar is read once and makes any number of parts:

    grammar = langc.llguidance.json_schema(schema, vocabulary)
    matcher = langc.JoinedMatcher(langc.Matcher(policy, vocabulary, rows), grammar(rows))

llguidance is given the raw bytes of langc's vocabulary, so that both judge the same tokens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from langc.compiler.tokens.joined.parts import BoolArray
from langc.compiler.tokens.loaders import load_vocabulary
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime._grammars import check_rows, refused, schema_value, unpacked
from langc.targets.runtime._llguidance_tokens import ll_tokenizer
from langc.targets.runtime._needs import needs

with needs("llguidance"):
    import llguidance
    from llguidance.numpy import fill_next_token_bitmask


@dataclass(frozen=True)
class Grammar:
    """A grammar that llguidance has read; called with a model's number of rows, it makes a part."""

    start: Any
    """An `llguidance.LLMatcher` that has taken no token; it is copied, never used."""
    vocabulary: Vocabulary
    writes_json: bool = False
    """Whether its texts are JSON, so that a policy beside it must read what is escaped in strings."""

    def __call__(self, rows: int | None = None) -> LLGuidancePart:
        """A part with no history; without `rows` it is as wide as the vocabulary. Raises JoinError (LC0661)."""
        width = self.vocabulary.size if rows is None else rows
        return LLGuidancePart(self.start, self.vocabulary, width, self.writes_json)


def json_schema(schema: str | Mapping[str, Any] | bool, vocabulary: Vocabulary | Any, **options: Any) -> Grammar:
    """JSON texts that obey a schema.

    Args:
        schema: a JSON Schema, as a value or as its text.
        vocabulary: what `load_vocabulary` takes.
        options: `llguidance.JsonCompileOptions`, `whitespace_flexible=False` for one.

    Raises:
        JoinError: llguidance refuses the schema (LC0663).
    """
    value = schema_value(schema)
    if options:
        value = {**value, "x-guidance": {**value.get("x-guidance", {}), **options}}
    return _read(f"start: %json {json.dumps(value)}", vocabulary, writes_json=True)


def lark(grammar: str, vocabulary: Vocabulary | Any) -> Grammar:
    """Texts of a grammar in llguidance's dialect of Lark; one with a line `%llguidance` keeps its own options.

    Raises JoinError (LC0663).
    """
    return _read(grammar, vocabulary)


def regex(expression: str, vocabulary: Vocabulary | Any) -> Grammar:
    """Texts that match a regular expression as a whole. Raises JoinError (LC0663)."""
    return _read("start: /" + llguidance.regex_to_lark(expression, use_ascii="") + "/", vocabulary)


class LLGuidancePart:
    """An `llguidance.LLMatcher` as a part of a joined matcher.

    llguidance gives up for good where it finds no token to go on with, and then offers end-of-sequence, half a
    character or not. Here such a place has no tokens, and can be left by `rollback` as any other.

    Args:
        start: an `LLMatcher` that has taken no token; it is copied.
        vocabulary: the tokens.
        rows: the width of `mask()`; rows beyond the vocabulary's are never allowed.
        writes_json: see `Grammar`.

    Raises:
        JoinError: `rows` is smaller than the vocabulary (LC0661).
    """

    def __init__(self, start: Any, vocabulary: Vocabulary, rows: int, writes_json: bool = False) -> None:
        check_rows(rows, vocabulary)
        self.vocabulary = vocabulary
        self.rows = rows
        self.writes_json = writes_json
        self._width = vocabulary.size
        self._start = start
        self._matcher = start.deep_copy()
        self._ids: list[int] = []
        self._words = np.empty((1, -(-self._width // 32)), dtype=np.int32)

    @property
    def accepting(self) -> bool:
        """Whether the text so far is a whole one."""
        return bool(self._matcher.is_accepting())

    def mask(self) -> BoolArray:
        """bool [rows]: llguidance's bitmask; False everywhere where it fails."""
        fill_next_token_bitmask(self._matcher, self._words)
        if self._matcher.is_error():
            self._replay()
            return np.zeros(self.rows, dtype=np.bool_)
        return unpacked(self._words[0], self._width, self.rows)

    def advance(self, token: int) -> bool:
        """Take a token."""
        if self._matcher.is_stopped() or not self._matcher.validate_tokens([token]):
            return False
        if not self._matcher.consume_token(token):
            self._replay()
            return False
        self._ids.append(token)
        return True

    def rollback(self, count: int) -> None:
        """Take back tokens."""
        if count:
            del self._ids[-count:]
            if not self._matcher.rollback(count):
                self._replay()

    def fork(self) -> LLGuidancePart:
        """An independent part with the same history."""
        new = LLGuidancePart(self._start, self.vocabulary, self.rows, self.writes_json)
        new._matcher = self._matcher.deep_copy()
        new._ids = list(self._ids)
        return new

    def _replay(self) -> None:
        """A matcher that has failed never recovers: take another one to the same place."""
        self._matcher = self._start.deep_copy()
        self._matcher.consume_tokens(self._ids)


_EXACT = '%llguidance {"no_forcing": true}\n'
"""Where one text alone can follow, llguidance would offer a token of its own choice, though others spell it as well;
and where the vocabulary cannot spell that text, tokens that it then refuses."""


def _read(grammar: str, vocabulary: Vocabulary | Any, writes_json: bool = False) -> Grammar:
    tokens = load_vocabulary(vocabulary)
    if not tokens.eos_ids:
        raise refused(f"llguidance needs an end-of-sequence token, and {tokens.name} names none")
    text = grammar if "%llguidance" in grammar else _EXACT + grammar
    read = llguidance.LLMatcher.grammar_from_lark(text)
    start = llguidance.LLMatcher(ll_tokenizer(tokens), read, log_level=0)
    if start.is_error():
        raise refused(f"llguidance does not take the grammar: {' '.join(start.get_error().split())}")
    return Grammar(start, tokens, writes_json)
