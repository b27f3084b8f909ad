"""The vocabularies of the agreement run: toys that split characters badly, and four real ones.

Invariant: toys are made by a seeded generator over the characters that the policies are written with, so that their
tokens meet the terms and the borders of sets.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import langc
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets
from tests.agreement.policies import BORDERS, CHARACTERS, PLAIN

_POOL = "".join(CHARACTERS.values()) + PLAIN + "".join(map(chr, BORDERS))
_SINGLE = [bytes([b]) for b in range(256)]
_KNOWN = [b" \xe8", b"\xa5\xbf", b"\xe8\xa5", b"\xbf", b" \xe8", b"\xa5\xbf", b"\xf0\x9f", b"\x98\x80 ", "西".encode()]
"""The splits of one measured tokenizer, in which 西 ends in a token of its own; some ids have the same bytes."""


def _single_bytes() -> Vocabulary:
    """The 256 bytes and one end: every text has one spelling."""
    return _toy("bytes", _SINGLE, ends=1)


def _split() -> Vocabulary:
    """All bytes and some bad splits; duplicates, two ends, special tokens and holes between them."""
    halves = [half for c in _POOL for half in _halves(c.encode())]
    return _toy("split", [*_KNOWN, b"", *_SINGLE, *halves, *halves[::3], b"", *_SINGLE[0xC0:]], ends=2)


def _halves(data: bytes) -> list[bytes]:
    return [part for cut in range(1, len(data)) for part in (data[:cut], data[cut:])]


def _crossing() -> Vocabulary:
    """All bytes, and tokens that begin and end inside characters and reach over up to three whole ones."""
    random = Random("crossing")
    return _toy("crossing", [*_SINGLE, *(_across(random) for _ in range(1500))], ends=1)


def _across(random: Random) -> bytes:
    whole = [random.choice(_POOL).encode() for _ in range(random.randint(2, 5))]
    first, last = whole[0], whole[-1]
    return first[random.randrange(len(first)) :] + b"".join(whole[1:-1]) + last[: random.randint(1, len(last))]


def _lacking() -> Vocabulary:
    """A third of the single bytes is missing: some characters have one spelling left, some cannot be finished."""
    random = Random("lacking")
    missing = {*random.sample(range(0x80, 0xC0), 24), *random.sample(range(0xC2, 0xF5), 9), *range(0x20), *b"$=Q["}
    single = [data for data in _SINGLE if data[0] not in missing]
    whole = [c.encode() for c in _POOL]
    fragments = [half for data in random.sample(whole, 24) for half in _halves(data)[:: random.choice((1, 3))]]
    return _toy("lacking", [*single, *whole, *fragments, b"\xf0\x9f\x98", b"a\xe6", b" \xc3"], ends=1)


def _toy(name: str, tokens: list[bytes], ends: int) -> Vocabulary:
    """Empty tokens are special: the first of them by name, the others holes; the ends come last."""
    specials = {i: "<|note|>" for i, t in enumerate(tokens) if not t and i < len(_SINGLE)}
    eos = range(len(tokens), len(tokens) + ends)
    named = {i: f"<|end {i - len(tokens)}|>" for i in eos}
    return Vocabulary(name, (*tokens, *[b""] * ends), {**specials, **named}, frozenset(eos))


_MAKERS: dict[str, Callable[[], Vocabulary]] = {
    "bytes": _single_bytes,
    "split": _split,
    "crossing": _crossing,
    "lacking": _lacking,
    "smollm2": lambda: langc.load_vocabulary(assets.smollm2_gguf()),
    "qwen151k": lambda: langc.load_vocabulary(assets.qwen151k()),
    "gemma262k": lambda: langc.load_vocabulary(assets.gemma_gguf()),
    "tekken131k": lambda: langc.load_vocabulary(assets.tekken()),
}
TOYS = ("bytes", "split", "crossing", "lacking")
REAL = ("smollm2", "qwen151k", "gemma262k", "tekken131k")


@cache
def vocabulary(name: str) -> Vocabulary:
    """One of `TOYS` or `REAL`. Raises `AssetMissingError` if its package is not installed."""
    return _MAKERS[name]()


_FILES: dict[str, Callable[[], Path]] = {"smollm2": assets.smollm2_gguf, "gemma262k": assets.gemma_gguf}


def gguf(name: str) -> Path | None:
    """The file that llama.cpp reads by itself; None where it is given the vocabulary in a file made for it."""
    return _FILES[name]() if name in _FILES else None
