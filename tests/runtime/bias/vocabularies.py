"""The real vocabularies that the static bias is measured on."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from functools import cache

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets

_TEKKEN_ENTRIES, _TEKKEN_SPECIAL = 130_072, 1_000
"""What the model uses of the file's 150,000 entries, and by how much their ids are offset."""


def _tekken() -> Vocabulary:
    entries = json.loads(assets.tekken().read_text())["vocab"][:_TEKKEN_ENTRIES]
    return Vocabulary("tekken", (b"",) * _TEKKEN_SPECIAL + tuple(b64decode(e["token_bytes"]) for e in entries))


VOCABULARIES: dict[str, Callable[[], Vocabulary]] = {
    "qwen151k": lambda: langc.load_vocabulary(assets.qwen151k()),
    "qwen248k": lambda: langc.load_vocabulary(assets.qwen248k()),
    "tekken": _tekken,
    "smollm2": lambda: langc.load_vocabulary(assets.smollm2_gguf()),
    "gemma": lambda: langc.load_vocabulary(assets.gemma_gguf()),
}


@cache
def vocabulary(name: str) -> Vocabulary:
    """One of them, loaded once."""
    return VOCABULARIES[name]()
