"""What a real engine looks like to the tests: after these tokens, which tokens may follow?

Invariant: `mask` is a pure function of the prefix. An engine never shares state between calls, so walks may
be taken in any order and resumed anywhere. Everything that an engine does in its own way is hidden in its adapter;
what it does *wrong* is not: the mask is the engine's own, special ids included.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
"""Shape [V], indexed by token id: True where the engine lets the token through."""


class VocabularyLike(Protocol):
    """The part of `langc.compiler.tokens.vocabulary.Vocabulary` that an engine needs."""

    @property
    def size(self) -> int:
        """The number of ids."""

    @property
    def eos_ids(self) -> Collection[int]:
        """The ids that end a text."""

    def token_bytes(self, token: int) -> bytes:
        """The raw bytes of an id, empty for special ones."""

    def is_special(self, token: int) -> bool:
        """Whether an id is not text."""

    def special_text(self, token: int) -> str | None:
        """The spelling of a special token."""


class Engine(Protocol):
    """One grammar loaded into one engine over one vocabulary."""

    @property
    def name(self) -> str:
        """The engine's name in tables of pinned differences."""

    def mask(self, prefix: Sequence[int]) -> Mask:
        """The ids that the engine lets follow `prefix`. Raises `PrefixRefusedError`."""


class GrammarRefusedError(Exception):
    """The engine does not take the grammar at all."""


class PrefixRefusedError(Exception):
    """The engine does not let the prefix through; `position` is that of the first refused token."""

    def __init__(self, position: int) -> None:
        super().__init__(f"token {position} of the prefix is refused")
        self.position = position


class Verdict(Enum):
    """What an engine says to a whole text."""

    ACCEPT = "accept"
    PREFIX = "valid so far, but not a whole text"
    REJECT = "reject"


@dataclass(frozen=True)
class ByteVocabulary:
    """The 256 single bytes, each with its own value as id, and one end token: every text has one spelling."""

    size: int = 257
    eos_ids: frozenset[int] = frozenset({256})
    name: str = "bytes"

    def token_bytes(self, token: int) -> bytes:
        """The byte itself, or nothing for the end token."""
        return bytes([token]) if token < 256 else b""

    def is_special(self, token: int) -> bool:
        """True for the end token."""
        return token == 256

    def special_text(self, token: int) -> str | None:
        """A spelling that no policy will hold by accident."""
        return "<|end|>" if token == 256 else None


BYTES = ByteVocabulary()


def judge(engine: Engine, text: bytes) -> Verdict:
    """The verdict of an engine that was built over `BYTES`."""
    try:
        return Verdict.ACCEPT if engine.mask(list(text))[256] else Verdict.PREFIX
    except PrefixRefusedError:
        return Verdict.REJECT


def unpack(words: NDArray[np.int32], size: int) -> Mask:
    """A packed bitmask (int32 words, 32 ids each, lowest bit first) as a mask."""
    return np.unpackbits(words.view(np.uint8), bitorder="little")[:size].astype(np.bool_)
