"""What a real engine looks like to langc: after these tokens, which tokens may follow?

Invariant: `look` and `mask` are pure functions of the prefix. An engine never lets one call be felt in another, so
walks may be taken in any order and resumed anywhere. Everything that an engine does in its own way is hidden in its
adapter; what it does *wrong* is not: the mask is the engine's own, special ids included.

Masks have a bit for each row of the model's logits. An engine that has no width of its own offers nothing beyond the
vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from langc.compiler.tokens.vocabulary_like import VocabularyLike as VocabularyLike

Mask = NDArray[np.bool_]
"""Shape [rows], indexed by token id: True where the engine lets the token through."""

Packed = NDArray[np.uint8]
"""A mask in bits, eight ids a byte, the lowest bit first; bits beyond the last row are 0."""


@dataclass(frozen=True)
class Look:
    """What an engine says after a prefix."""

    mask: Packed
    """Of what may follow."""
    taken: Sequence[bool]
    """Whether the engine goes on with each of the ids that it was asked about."""


class Engine(Protocol):
    """One grammar loaded into one engine over one vocabulary."""

    @property
    def name(self) -> str:
        """The engine's name in tables of known faults."""

    @property
    def rows(self) -> int:
        """The width of the masks."""

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """The whole mask after `prefix`, and for each of `ids` alone whether it is accepted there.

        Raises:
            PrefixRefusedError: the engine refuses a token of the prefix.
            RuntimeError: the engine fails.
        """

    def taken_after_end(self, prefix: Sequence[int], end: int, ids: Sequence[int]) -> Sequence[bool]:
        """Which of `ids` the engine accepts behind an end token; none if it leaves that to its caller."""

    def mask(self, prefix: Sequence[int]) -> Mask:
        """The ids that the engine lets follow `prefix`. Raises as `look` does."""


class Whole:
    """The part of an engine that follows from `look`."""

    rows: int

    def look(self, prefix: Sequence[int], ids: Sequence[int] = ()) -> Look:
        """See `Engine.look`."""
        raise NotImplementedError

    def mask(self, prefix: Sequence[int]) -> Mask:
        """See `Engine.mask`."""
        return unpack(self.look(prefix).mask, self.rows)

    def taken_after_end(self, prefix: Sequence[int], end: int, ids: Sequence[int]) -> Sequence[bool]:
        """See `Engine.taken_after_end`."""
        return ()


class GrammarRefusedError(Exception):
    """The engine does not take the grammar at all."""


class NotRunError(GrammarRefusedError):
    """The engine cannot be run, because of the vocabulary or of the cost; that says nothing of the grammar."""


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


class Judge:
    """An engine that judges whole texts only."""

    name: str

    def judge(self, text: bytes) -> Verdict:
        """ACCEPT, or anything else."""
        raise NotImplementedError


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


def pack(mask: Mask, rows: int) -> Packed:
    """A mask in bits; rows beyond it are refused."""
    packed = np.zeros(-(-rows // 8), np.uint8)
    bits = np.packbits(mask[:rows], bitorder="little")
    packed[: len(bits)] = bits
    return packed


def pack_words(words: NDArray[np.int32], rows: int) -> Packed:
    """The same from a bitmask as engines fill it: words of 32 ids, the lowest bit first."""
    packed = np.zeros(-(-rows // 8), np.uint8)
    given = words.view(np.uint8)[: len(packed)]
    packed[: len(given)] = given
    if rows % 8:
        packed[-1] &= (1 << rows % 8) - 1
    return packed


def unpack(packed: Packed, rows: int) -> Mask:
    """The mask of `pack`."""
    return np.unpackbits(packed, bitorder="little", count=rows).view(np.bool_)
