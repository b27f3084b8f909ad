"""The real vocabularies that the static bias is measured on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets

FILES: dict[str, Callable[[], Path]] = {
    "qwen151k": assets.qwen151k,
    "qwen248k": assets.qwen248k,
    "tekken": assets.tekken,
    "smollm2": assets.smollm2_gguf,
    "gemma": assets.gemma_gguf,
}


@cache
def vocabulary(name: str) -> Vocabulary:
    """One of them, loaded once."""
    return langc.load_vocabulary(FILES[name]())
