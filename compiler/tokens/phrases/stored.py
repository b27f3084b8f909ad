"""Phrases as JSON values: a list of objects, each with options and the `texts` that share them.

Invariant: `from_json(to_json(phrases))` are the same phrases, perhaps in another order. The value may come from a
stranger: it is checked whole, against the budgets of a policy, before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from langc.compiler.ir.phrases import Phrase, Side
from langc.compiler.limits import MAX_PHRASE_LENGTH, MAX_POLICY_BYTES, MAX_PROTOTYPE_LENGTH
from langc.compiler.unicode.confusables import Confusables
from langc.compiler.unicode.folding import Decomposition, Folding, Space

_FLAGS = ("case", "width", "invisible", "early")
_CHOICES = ("space", "decomposition", "left", "right")
_TABLE = "confusables"
"""There only if the phrases look through it."""


def to_json(phrases: Iterable[Phrase]) -> list[dict[str, Any]]:
    """The JSON value."""
    groups: dict[Phrase, list[str]] = {}
    for phrase in dict.fromkeys(phrases):
        groups.setdefault(replace(phrase, text=""), []).append(phrase.text)
    return [{**_options(kind), "texts": texts} for kind, texts in groups.items()]


def from_json(value: object) -> tuple[Phrase, ...]:
    """The phrases of a JSON value. Raises ValueError if it is unsound or over a budget."""
    if not isinstance(value, list):
        raise ValueError("no list")
    found, size = [], 0
    for group in value:
        kind = _kind(group)
        for text in _texts(group["texts"]):
            size += len(text)
            found.append(replace(kind, text=text))
    if size > MAX_POLICY_BYTES or len(set(found)) < len(found) or not all(p.atoms for p in found):
        raise ValueError("too many, twice the same, or empty")
    return tuple(found)


def _options(phrase: Phrase) -> dict[str, Any]:
    folding = phrase.folding
    flags = {name: getattr(folding, name) for name in _FLAGS[:-1]} | {"early": phrase.early}
    kinds = (folding.space, folding.decomposition, phrase.left, phrase.right)
    table = {} if folding.confusables is None else {_TABLE: _table_to_json(folding.confusables)}
    return {**flags, **{name: kind.value for name, kind in zip(_CHOICES, kinds, strict=True)}, **table}


def _table_to_json(table: Confusables) -> dict[str, str]:
    """Each character with its prototype."""
    return {chr(source): "".join(map(chr, table.prototypes[source])) for source in sorted(table.prototypes)}


def _table(value: object) -> Confusables:
    if not isinstance(value, dict) or not value:
        raise ValueError("no table of confusable characters")
    for source, prototype in value.items():
        if len(source) != 1 or type(prototype) is not str or not 0 < len(prototype) <= MAX_PROTOTYPE_LENGTH:
            raise ValueError("no prototype")
        (source + prototype).encode()  # a surrogate is a ValueError
    return Confusables.of({ord(source): tuple(map(ord, prototype)) for source, prototype in value.items()})


def _kind(group: object) -> Phrase:
    """A phrase without text, of the options of a group."""
    if not isinstance(group, dict) or group.keys() - {_TABLE} != {*_FLAGS, *_CHOICES, "texts"}:
        raise ValueError("no group of phrases")
    flags = [group[name] for name in _FLAGS]
    if not all(type(flag) is bool for flag in flags) or not all(type(group[name]) is str for name in _CHOICES):
        raise ValueError("no options of phrases")
    case, width, invisible, early = flags
    table = _table(group[_TABLE]) if _TABLE in group else None
    folding = Folding(case, width, invisible, Space(group["space"]), Decomposition(group["decomposition"]), table)
    if folding.endless is not None:
        raise ValueError("prototypes without an end")
    return Phrase("", folding, Side(group["left"]), Side(group["right"]), early)


def _texts(value: object) -> Iterator[str]:
    if not isinstance(value, list):
        raise ValueError("no list of texts")
    for text in value:
        if not isinstance(text, str) or len(text) > MAX_PHRASE_LENGTH:
            raise ValueError("no phrase")
        text.encode()  # a surrogate is a ValueError
        yield text
