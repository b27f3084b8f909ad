"""What the adapters for grammar engines share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.tokens.joined.parts import BoolArray, JoinError
from langc.compiler.tokens.logits.bitmask import Words, unpack
from langc.compiler.tokens.vocabulary import Vocabulary


def unpacked(words: Words, width: int, rows: int) -> BoolArray:
    """bool [rows], from a row of a bitmask (see `logits/bitmask.py`); False from `width` on."""
    row = np.zeros(rows, dtype=np.bool_)
    known = min(width, rows)
    row[:known] = unpack(words, known)
    return row


def schema_text(schema: str | Mapping[str, Any] | bool) -> str:
    """A schema as text. Raises JoinError (LC0663) if it is no JSON value."""
    try:
        return schema if isinstance(schema, str) else json.dumps(schema)
    except (TypeError, ValueError, RecursionError) as error:
        raise refused(f"the schema is no JSON value: {error}") from error


def schema_value(schema: str | Mapping[str, Any] | bool) -> dict[str, Any]:
    """A schema as an object. Raises JoinError (LC0663) if it is none, or permits nothing."""
    try:
        value = json.loads(schema_text(schema))
    except (ValueError, RecursionError) as error:
        raise refused(f"the schema is no JSON value: {error}") from error
    if value is True:
        return {}
    if not isinstance(value, dict):
        raise refused("a schema is an object, or `true`")
    return value


def check_rows(rows: int, vocabulary: Vocabulary) -> None:
    """Raises JoinError (LC0661) if the model has fewer rows than the tokenizer ids."""
    if rows < vocabulary.size:
        message = f"the part has {rows:,} rows and the tokenizer {vocabulary.size:,} ids"
        raise JoinError(Diagnostic("LC0661", message, help="the tokenizer is not this model's"))


def refused(message: str) -> JoinError:
    """LC0663: the engine does not take a grammar."""
    return JoinError(
        Diagnostic("LC0663", message, help="the reason is the engine's; its documentation says what it takes")
    )
