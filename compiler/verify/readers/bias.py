"""A reader for `logit_bias` as the servers take it: JSON in, the ids and what is added to their logits out.

* llama.cpp: `[[id, false], [id, -5.0], …]`, where `false` bans. Of an id given twice the values add up there;
* openai, vllm: `{"id": -100, …}`, from -100, which bans, to 100.

The value may stand alone, as in a request, or under the key `logit_bias`, as in an artefact of langc.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from langc.compiler.limits import MAX_TOKEN_IDS
from langc.compiler.verify.readers.json_text import listed, read_json, whole
from langc.compiler.verify.readers.nodes import DataError

BANNED = -math.inf
_LOWEST = -100


def read_bias(text: str, dialect: str) -> Mapping[int, float]:
    """What is added to the logit of each id; `BANNED` for those that can never be written. Raises ReadError."""
    value = read_json(text)
    if isinstance(value, dict) and "logit_bias" in value:
        value = value["logit_bias"]
    found: dict[int, float] = {}
    for token, bias in _pairs(value) if dialect == "llama.cpp" else _table(value):
        found[token] = found.get(token, 0.0) + bias
    return found


def _pairs(value: object) -> Iterator[tuple[int, float]]:
    for entry in listed(value, "`logit_bias`"):
        pair = listed(entry, "an entry")
        if len(pair) != 2:
            raise DataError("an entry is no pair of an id and a value")
        yield whole(pair[0], "an id", 0, MAX_TOKEN_IDS - 1), BANNED if pair[1] is False else _number(pair[1])


def _table(value: object) -> Iterator[tuple[int, float]]:
    if not isinstance(value, dict):
        raise DataError("`logit_bias` is no object")
    for key, bias in value.items():
        number = int(key) if key.isascii() and key.isdigit() and len(key) < 10 else key
        token, added = whole(number, "an id", 0, MAX_TOKEN_IDS - 1), _number(bias)
        if str(token) != key or abs(added) > -_LOWEST:
            raise DataError(f"an entry is no id with a value from {_LOWEST} to {-_LOWEST}")
        yield token, BANNED if added == _LOWEST else added


def _number(value: object) -> float:
    if type(value) not in (int, float) or not isinstance(value, int | float):
        raise DataError("a value is no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise DataError("a value is too large")
    return number
