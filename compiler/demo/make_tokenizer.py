"""Makes `bpe500.json`, a byte-level BPE of 500 tokens in the format tokenizer.json, from `corpus.txt`.

    python -m langc.compiler.demo.make_tokenizer

Invariant: the file is a function of the corpus alone. Of pairs that are equally frequent the one with the smaller
bytes is merged first, so neither hash seeds nor dictionary order matter.

The algorithm is byte pair encoding (Gage 1994; Sennrich, Haddow and Birch 2016) over bytes, as in GPT-2: words keep the
space before them, and each byte is spelled as one printable character. The ids 0 to 255 are the bytes, then come the
merges in their order, and last the end of the text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from langc.compiler.demo import TOKENIZER

CORPUS = Path(__file__).parent / "corpus.txt"

SIZE = 500
END = "<|endoftext|>"
WORD = r" ?[^\s]+|\s+"
"""What is never merged across; the same pattern stands in the file, for libraries that encode."""

Pair = tuple[bytes, bytes]
Words = dict[tuple[bytes, ...], int]
"""How often each word occurs, cut into its tokens so far."""


def train(text: str, size: int) -> tuple[list[bytes], list[Pair]]:
    """The tokens by id (`size` of them) and the merges. Raises ValueError if the text is too short for so many."""
    words: Words = Counter(tuple(bytes([b]) for b in word.encode()) for word in re.findall(WORD, text))
    merges: list[Pair] = []
    for _ in range(size - 256):
        merges.append(_most_frequent(words))
        words = _merged(words, merges[-1])
    return [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges], merges


def _most_frequent(words: Words) -> Pair:
    counts: Counter[Pair] = Counter()
    for word, times in words.items():
        for pair in pairwise(word):
            counts[pair] += times
    if not counts:
        raise ValueError("the corpus has nothing more to merge")
    return min(counts, key=lambda pair: (-counts[pair], pair))


def _merged(words: Words, pair: Pair) -> Words:
    found: Counter[tuple[bytes, ...]] = Counter()
    for word, times in words.items():
        found[tuple(_join(word, pair))] += times
    return found


def _join(word: tuple[bytes, ...], pair: Pair) -> Iterator[bytes]:
    """The word with every occurrence of the pair, from the left, as one token."""
    place = 0
    while place < len(word):
        width = 2 if word[place : place + 2] == pair else 1
        yield b"".join(word[place : place + width])
        place += width


def document(text: str) -> dict[str, object]:
    """The tokenizer.json of a corpus."""
    tokens, merges = train(text, SIZE - 1)
    split = {"type": "Split", "pattern": {"Regex": WORD}, "behavior": "Isolated", "invert": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    end = {"id": SIZE - 1, "content": END, "special": True}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [end | flags],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {_spelled(token): number for number, token in enumerate(tokens)},
            "merges": [[_spelled(left), _spelled(right)] for left, right in merges],
        },
    }


def _letters() -> tuple[str, ...]:
    """GPT-2's letter for each byte: printable Latin-1 is itself, the 68 others are U+0100 to U+0143 in order."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x144))
    return tuple(chr(byte if byte in printable else next(others)) for byte in range(256))


_LETTERS = _letters()


def _spelled(token: bytes) -> str:
    return "".join(_LETTERS[byte] for byte in token)


def content() -> str:
    """What `bpe500.json` has to hold."""
    return json.dumps(document(CORPUS.read_text("utf-8")), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    TOKENIZER.write_text(content(), "utf-8")
