"""Byte strings in order, as arrays: sorting, and how much neighbours share.

The strings lie one behind the other in `text`, uint8 [T]; string r has `lengths[r]` bytes from `starts[r]` on. They are
sorted by seven bytes at a time, most significant first (MSD radix sort, McIlroy, Bostic and McIlroy 1993), with the
number of bytes that there were behind them in the key, so that a string stands before what it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
FIRST, LATER = 7, 5
"""Bytes of one key. Later ones also hold the number of a group of equal beginnings, below 2 ** 21."""
WORD = 8


@dataclass(frozen=True)
class Strings:
    """Byte strings in one array."""

    text: npt.NDArray[np.uint8]
    starts: Ints
    lengths: Ints

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> Strings:
        """The strings in their order; empty ones too."""
        lengths = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))
        text = np.frombuffer(b"".join(strings) + bytes(WORD), dtype=np.uint8)
        return cls(text, np.cumsum(lengths) - lengths, lengths)

    def in_order(self) -> tuple[Ints, Ints]:
        """Their numbers in the order of their bytes, and how many bytes each begins like the one before it.

        Equal ones stand in the order in which they are given.
        """
        order = self._by_bytes()
        rows = Strings(self.text, self.starts[order], self.lengths[order])
        shared = rows._shared_with_last()
        return _settle_equals(order, (shared == rows.lengths) & (shared == _before(rows.lengths))), shared

    def _by_bytes(self) -> Ints:
        keys = self._keys(np.arange(len(self.starts)), 0, FIRST)
        order = np.argsort(keys)
        keys = keys[order]
        at, depth = _tied(keys, FIRST), FIRST
        groups = _groups(keys[at])
        while at.size:
            keys = groups << np.uint64(8 * LATER + 3) | self._keys(order[at], depth, LATER)
            by_key = np.argsort(keys)
            order[at], keys = order[at][by_key], keys[by_key]
            tied = _tied(keys, LATER)
            at, groups, depth = at[tied], _groups(keys[tied]), depth + LATER
        return order

    def _shared_with_last(self) -> Ints:
        shared = np.zeros(len(self.starts), dtype=np.int64)
        at, depth = np.arange(1, len(self.starts)), 0
        while at.size:
            differ = self._words(at, depth, WORD) ^ self._words(at - 1, depth, WORD)
            shared[at] += _leading_zero_bytes(differ)
            at = at[(differ == 0) & (np.minimum(self.lengths[at], self.lengths[at - 1]) > depth + WORD)]
            depth += WORD
        here: Ints = np.minimum(self.lengths, np.maximum(_before(self.lengths), 0))
        return np.minimum(shared, here)

    def _keys(self, rows: Ints, depth: int, size: int) -> Words:
        """`size` bytes from `depth` on, and how many of them there were, in the bits that this takes."""
        there = np.clip(self.lengths[rows] - depth, 0, size).astype(np.uint64)
        bits = np.uint64(8 if size == FIRST else 3)
        return self._words(rows, depth, size) << bits | there

    def _words(self, rows: Ints, depth: int, size: int) -> Words:
        """`size` bytes from `depth` on as a number, the first most significant; zeros behind the end."""
        overlapping = np.ndarray((len(self.text) - WORD + 1,), dtype=">u8", buffer=self.text, strides=(1,))
        left = np.clip(self.lengths[rows] - depth, 0, size)
        words = overlapping[np.minimum(self.starts[rows] + depth, len(overlapping) - 1)].astype(np.uint64)
        kept: Words = np.where(left > 0, words >> (8 * (WORD - np.maximum(left, 1))).astype(np.uint64), np.uint64(0))
        return kept << (8 * (size - left)).astype(np.uint64) % np.uint64(64)


def _settle_equals(order: Ints, same: Bools) -> Ints:
    """Equal strings (`same` as the one before) stand side by side: sort the numbers within each row of them."""
    at = _with_neighbours(same[1:])
    group = np.cumsum(~same[at])
    order[at] = np.sort(group << 32 | order[at]) & 0xFFFFFFFF
    return order


def _before(lengths: Ints) -> Ints:
    """The length of the string before each; -1 for the first, which is like none."""
    return np.concatenate([[-1], lengths[:-1]])[: len(lengths)]


def _with_neighbours(same: Bools) -> Ints:
    """The places that are the same as the next one, or as the one before (bool [N - 1] of N)."""
    found = np.zeros(len(same) + 1, dtype=bool)
    found[1:] |= same
    found[:-1] |= same
    return np.flatnonzero(found)


def _tied(keys: Words, size: int) -> Ints:
    """The places of keys that are there more than once, of strings that may go on."""
    at = _with_neighbours(keys[1:] == keys[:-1])
    bits = 8 if size == FIRST else 3
    tied: Ints = at[keys[at] & np.uint64((1 << bits) - 1) == size]
    return tied


def _groups(keys: Words) -> Words:
    """Numbers for runs of equal keys."""
    return np.cumsum(np.concatenate([[False], keys[1:] != keys[:-1]])).astype(np.uint64)


def _leading_zero_bytes(words: Words) -> Ints:
    found = np.zeros(len(words), dtype=np.int64)
    for size in range(1, WORD + 1):
        found += words >> np.uint64(8 * (WORD - size)) == 0
    return found
