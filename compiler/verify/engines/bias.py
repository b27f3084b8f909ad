"""A list of token biases, applied as a server applies it: the same at every step, whatever was written.

A server adds each entry to the logit of its token and samples from all rows. So what is not listed is offered: end
tokens in the middle of a character, special tokens, and rows that the tokenizer has no token for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from langc.compiler.verify.engines.protocol import GrammarRefusedError, Look, PrefixRefusedError, Whole, pack

BANS_FROM = -100
"""OpenAI and vLLM, which take an object, ban a token with this value; llama.cpp takes pairs, and bans with `false`."""


class Bias(Whole):
    """One list; the mask is that of the tokens that cost nothing, or, under a hard policy, that are not banned."""

    name = "logit-bias"

    def __init__(self, text: str, rows: int, soft: bool = False) -> None:
        """Raises `GrammarRefusedError` if the text is no such list."""
        self.rows = rows
        allowed = np.ones(rows, np.bool_)
        listed = _listed(text)
        for token, value in _entries(listed):
            if soft or value is False or (isinstance(listed, dict) and value <= BANS_FROM):
                allowed[token : token + 1] = False  # servers pass over ids out of range
        self._allowed = allowed
        self._mask = pack(allowed, rows)

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """See `Engine.look`."""
        for position, token in enumerate(prefix):
            if not self._allowed[token]:
                raise PrefixRefusedError(position)
        return Look(self._mask, [bool(self._allowed[token]) for token in ids])


def _listed(text: str) -> object:
    try:
        return json.loads(text)["logit_bias"]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise _no_list(error) from error


def _entries(listed: Any) -> list[tuple[int, Any]]:
    try:
        pairs = listed.items() if isinstance(listed, dict) else listed
        entries = [(int(token), value) for token, value in pairs]
    except (TypeError, ValueError) as error:
        raise _no_list(error) from error
    wrong = next((token for token, value in entries if token < 0 or not _is_value(value)), None)
    if wrong is not None:
        raise GrammarRefusedError(f"the entry of token {wrong} is no bias")
    return entries


def _no_list(error: Exception) -> GrammarRefusedError:
    return GrammarRefusedError(f"no list of token biases: {error}")


def _is_value(value: object) -> bool:
    return value is False or (isinstance(value, int | float) and not isinstance(value, bool))
