"""Real models write under a policy and without it, and the texts are counted.

Each arm lets one model continue the same prompts with the same seeds. The arm `none` shows what the model would write
by itself; the others must show none of it. Nothing here trusts langc to judge: bytes come from llama.cpp's own table of
pieces, and what is denied is looked up in the Script property.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fontTools.unicodedata import script

from langc.compiler.verify.engines.llamacpp import LlamaVocabulary
from tests.engines.llama_server import LlamaServer

DENIED = frozenset({"Hani", "Hira", "Kana"})
NEW_TOKENS = 24
TEMPERATURE = 1.0
BATCH = 25

PROMPTS = (
    "漢字 어휘: 학교(學校), 대학(大學), 선생(先生), 학생(",
    "한국어 단어와 한자: 국가(國家), 사회(社會), 경제(經濟), 문화(",
    "日本語の例文: 私は学生です。彼は先生です。今日は",
    "中国的首都是北京。日本的首都是东京。韩国的首都是",
)
"""After each of them both models go on in Han or Kana more often than not."""


@dataclass(frozen=True)
class Text:
    """One generation: its bytes, as the vocabulary has them, and what the server or the decoder shows."""

    data: bytes
    shown: str
    ended: bool | None = None
    """Whether the model ended it, where that is known; otherwise it may have been cut off."""


@dataclass(frozen=True)
class Arm:
    """What one arm wrote."""

    model: str
    name: str
    texts: tuple[Text, ...]
    tokens: int
    seconds: float

    @property
    def violating(self) -> int:
        """The number of texts with a denied character, shown or spelled by the bytes."""
        return sum(bool(denied(text.shown)) or bool(denied_in_bytes(text.data)) for text in self.texts)

    @property
    def characters(self) -> int:
        """The number of denied characters in the bytes of all texts."""
        return sum(len(denied_in_bytes(text.data)) for text in self.texts)

    @property
    def empty(self) -> int:
        """The number of texts in which nothing was written."""
        return sum(not text.data for text in self.texts)


def denied(text: str) -> list[str]:
    """The Han, Hiragana and Katakana characters of a text."""
    return [character for character in text if script(character) in DENIED]


def denied_in_bytes(data: bytes) -> list[str]:
    """The denied characters whose encoding stands anywhere in the bytes, broken neighbours or not."""
    found = []
    for start in range(len(data)):
        for length in (2, 3, 4):
            try:
                found += denied(data[start : start + length].decode("utf-8")) if _is_lead(data[start], length) else []
            except UnicodeDecodeError:
                continue
    return found


def _is_lead(byte: int, length: int) -> bool:
    return {2: 0xC2 <= byte <= 0xDF, 3: 0xE0 <= byte <= 0xEF, 4: 0xF0 <= byte <= 0xF4}[length]


def serve(model: str, path: Path, server: LlamaServer, name: str, count: int, **options: Any) -> Arm:
    """`count` generations of the real llama.cpp server; `options` are `grammar` or `logit_bias`."""
    pieces = LlamaVocabulary(path)
    common = {"n_predict": NEW_TOKENS, "temperature": TEMPERATURE, **options}
    start = time.perf_counter()
    answers = server.complete_all({**common, "prompt": prompt(seed), "seed": seed} for seed in range(count))
    seconds = time.perf_counter() - start
    texts = tuple(Text(b"".join(map(pieces.piece, answer.tokens)), answer.text) for answer in answers)
    return Arm(model, name, texts, sum(len(answer.tokens) for answer in answers), seconds)


def prompt(seed: int) -> str:
    """The prompt of a seed."""
    return PROMPTS[seed % len(PROMPTS)]


def write(model: str, path: Path, llama: Any, name: str, count: int, processor: Callable[[Any, Any], Any]) -> Arm:
    """`count` generations of a `Llama` of llama-cpp-python, under a logits processor."""
    pieces = LlamaVocabulary(path)
    start = time.perf_counter()
    written = [_written(llama, pieces, seed, processor) for seed in range(count)]
    seconds = time.perf_counter() - start
    texts = []
    for tokens in written:
        data = b"".join(map(pieces.piece, tokens))
        texts.append(Text(data, data.decode("utf-8", "replace"), len(tokens) < NEW_TOKENS))
    return Arm(model, name, tuple(texts), sum(map(len, written)), seconds)


def _written(llama: Any, pieces: LlamaVocabulary, seed: int, processor: Callable[[Any, Any], Any]) -> list[int]:
    """The tokens of one generation, without an end token."""
    llama.set_seed(seed)
    sampled = llama.generate(
        pieces.tokenize(prompt(seed)), temp=TEMPERATURE, top_k=40, top_p=1.0, min_p=0.0, logits_processor=[processor]
    )
    return list(itertools.takewhile(lambda token: not pieces.is_end(token), itertools.islice(sampled, NEW_TOKENS)))


Processors = Callable[[int], Sequence[Any]]
"""The logits processors for a prompt of so many tokens."""


def generate(
    model: str,
    path: Path,
    loaded: Any,
    name: str,
    count: int,
    processors: Processors,
    prompts: Sequence[str] = PROMPTS,
    new_tokens: int = NEW_TOKENS,
) -> Arm:
    """`count` generations of a transformers model, those after one prompt in batches of up to `BATCH` rows."""
    pieces = LlamaVocabulary(path)
    start = time.perf_counter()
    rows = [
        row
        for text, size in _batches(count, prompts)
        for row in _batch(loaded, pieces, text, size, processors, new_tokens)
    ]
    seconds = time.perf_counter() - start
    written = [_until_end(row, pieces) for row in rows]
    texts = []
    for row, tokens in zip(rows, written, strict=True):
        data = b"".join(map(pieces.piece, tokens))
        texts.append(Text(data, data.decode("utf-8", "replace"), len(tokens) < len(row)))
    return Arm(model, name, tuple(texts), sum(map(len, written)), seconds)


def _batches(count: int, prompts: Sequence[str]) -> Iterable[tuple[str, int]]:
    """The prompts with the sizes of their batches, `count` rows in all."""
    sizes = Counter(prompts[seed % len(prompts)] for seed in range(count))
    return [(text, min(BATCH, size - done)) for text, size in sizes.items() for done in range(0, size, BATCH)]


def _batch(
    loaded: Any, pieces: LlamaVocabulary, text: str, size: int, processors: Processors, new_tokens: int
) -> list[list[int]]:
    """The new tokens of each row, ends and padding included."""
    import torch

    ids = pieces.tokenize(text)
    inputs = torch.tensor([ids] * size)
    torch.manual_seed(len(ids))
    output = loaded.generate(
        inputs,
        attention_mask=torch.ones_like(inputs),
        do_sample=True,
        temperature=TEMPERATURE,
        top_k=40,
        max_new_tokens=new_tokens,
        pad_token_id=next(token for token in range(pieces.size) if pieces.is_end(token)),
        logits_processor=list(processors(len(ids))),
    )
    rows: list[list[int]] = output[:, len(ids) :].tolist()
    return rows


def _until_end(row: Sequence[int], pieces: LlamaVocabulary) -> list[int]:
    """The tokens before the first end token; a finished row of a batch is padded."""
    end = next((position for position, token in enumerate(row) if pieces.is_end(token)), len(row))
    return list(row[:end])


ROW = "{:<8} {:<24} {:>5} {:>9} {:>10} {:>5} {:>7} {:>8}"
HEAD = ROW.format("model", "arm", "texts", "violating", "characters", "empty", "tokens", "tokens/s")


def row(arm: Arm) -> str:
    """The figures of an arm, as a line under `HEAD`."""
    rate = f"{arm.tokens / arm.seconds:.0f}"
    counts = (len(arm.texts), arm.violating, arm.characters, arm.empty, arm.tokens)
    return ROW.format(arm.model, arm.name, *map(str, counts), rate)
