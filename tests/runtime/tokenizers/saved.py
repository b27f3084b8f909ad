"""The tokenizers of the two GGUF models as transformers reads them, saved once as tokenizer.json (Gemma takes 15 s)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.assets import gemma_gguf, make_once, smollm2_gguf

TEXTS = (
    "The quick brown fox jumps over the lazy dog.\n\n\tdef f(x):\n        return x  # done\n",
    "뷁은 드문 글자다. 안녕하세요, 세계! 똠방각하 펲시콜라 ㅋㅋㅋ ㅠㅠ",
    "大韓民國 漢江 日本語のテキスト、ｶﾞ ㈱ 𠮷野家",
    "😀👩‍👩‍👧‍👦🏴‍☠️🇰🇷❤️ 1️⃣ ☃",
    "naïve café Größe ŻÓŁĆ мир שלום مرحبا नमस्ते สวัสดี",
    "  leading,   runs   of    spaces and trailing  ",
    "\u200b\u00ad\ufeff\u202e\u0000\x7f\x80 a\u0301",
)
"""Mixed text: rare Hangul, Han, emoji sequences, combining marks, invisible characters, white space."""


def gemma_folder() -> Path:
    """A folder with Gemma's tokenizer.json and tokenizer_config.json."""
    return _saved("gemma-tokenizer", gemma_gguf)


def smollm2_folder() -> Path:
    """A folder with SmolLM2's tokenizer.json and tokenizer_config.json."""
    return _saved("smollm2-tokenizer", smollm2_gguf)


@cache
def _saved(name: str, gguf: Callable[[], Path]) -> Path:
    return make_once(name, lambda folder: _convert(gguf(), folder))


def _convert(gguf: Path, folder: Path) -> None:
    from transformers import AutoTokenizer

    AutoTokenizer.from_pretrained(str(gguf.parent), gguf_file=gguf.name).save_pretrained(str(folder))
