"""Which characters a set of tokens can write, decided for very many characters at once.

A character of k bytes can be written *alone* if its bytes are a row of tokens, and is *held* if some row of tokens has
its bytes anywhere: inside one token, or from the end of one over whole ones into the beginning of another. Both are
decided cut by cut: whether the first j bytes can be covered follows from whether the first i < j can, and from whether
the bytes between are a token, or the end or the beginning of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from langc.compiler.verify.readers.token_bytes import Bytes, Flags, Ints, TokenBytes

_BORDERS = (0, 0x80, 0x800, 0x10000, 0x110000)
"""The first code point of more than 0, 1, 2, 3, 4 bytes."""
_MARKS = (0, 0, 0xC0, 0xE0, 0xF0)
"""What the first byte of a character of so many bytes has set."""


def alone(tokens: TokenBytes, characters: Ints) -> Flags:
    """Which of the code points (ascending) the tokens spell by themselves."""
    whole = _Strings.of([_first(tokens.only(tokens.lengths == n), n) for n in (1, 2, 3, 4)])
    return _by_length(characters, lambda rows: _covered(rows, whole, whole, whole, whole))


def held(tokens: TokenBytes, characters: Ints) -> Flags:
    """Which of the code points (ascending) stand somewhere in a row of tokens."""
    longer = [tokens.only(tokens.lengths >= n) for n in (1, 2, 3, 4)]
    opening = _Strings.of([_last(t, n) for n, t in enumerate(longer, start=1)])
    closing = _Strings.of([_first(t, n) for n, t in enumerate(longer, start=1)])
    inside = _Strings.of([_first(tokens.only(tokens.lengths == n), n) for n in (1, 2, 3, 4)])
    within = _Strings.of([_within(tokens, n) for n in (1, 2, 3, 4)])
    return _by_length(characters, lambda rows: _covered(rows, opening, inside, closing, within))


def encoded(characters: Ints, size: int) -> Bytes:
    """uint8 [n, size]: the UTF-8 of code points that have so many bytes."""
    shifts = 6 * np.arange(size - 1, -1, -1)
    rows = characters[:, None] >> shifts & 0x3F | 0x80
    rows[:, 0] = characters >> shifts[0] | _MARKS[size]
    return rows.astype(np.uint8)


@dataclass(frozen=True)
class _Strings:
    """A set of strings of one to four bytes: flags by number for the short ones, sorted numbers for those of four."""

    short: tuple[Flags, Flags, Flags]
    long: Ints

    @classmethod
    def of(cls, rows: list[Bytes]) -> _Strings:
        """Of uint8 [m, 1], [m, 2], [m, 3] and [m, 4]."""
        tables = tuple(np.zeros(256**n, np.bool_) for n in (1, 2, 3))
        for table, strings in zip(tables, rows, strict=False):
            table[_numbers(strings)] = True
        return cls((tables[0], tables[1], tables[2]), np.unique(_numbers(rows[3])))

    def hold(self, rows: Bytes) -> Flags:
        """Which rows of uint8 [m, 1..4] are in the set."""
        size = rows.shape[1]
        found: Flags = np.isin(_numbers(rows), self.long) if size == 4 else self.short[size - 1][_numbers(rows)]
        return found


def _covered(rows: Bytes, opening: _Strings, inside: _Strings, closing: _Strings, within: _Strings) -> Flags:
    """Which rows are a string of `within`, or one of `opening`, some of `inside` and one of `closing` in a row."""
    size = rows.shape[1]
    so_far = {j: opening.hold(rows[:, :j]) for j in range(1, size)}
    for j in range(2, size):
        for i in range(1, j):
            so_far[j] |= so_far[i] & inside.hold(rows[:, i:j])
    found = within.hold(rows)
    for i in range(1, size):
        found |= so_far[i] & closing.hold(rows[:, i:])
    return found


def _by_length(characters: Ints, find: Callable[[Bytes], Flags]) -> Flags:
    """One answer after the other: the code points ascend, and so do their lengths."""
    cuts = np.searchsorted(characters, _BORDERS)
    parts = [find(encoded(characters[cuts[n - 1] : cuts[n]], n)) for n in (1, 2, 3, 4)]
    return np.concatenate(parts)


def _numbers(rows: Bytes) -> Ints:
    numbers = np.zeros(len(rows), np.int64)
    for column in rows.T:
        numbers = numbers << 8 | column
    return numbers


def _first(tokens: TokenBytes, size: int) -> Bytes:
    return tokens.data[tokens.starts[:, None] + np.arange(size)]


def _last(tokens: TokenBytes, size: int) -> Bytes:
    return tokens.data[(tokens.starts + tokens.lengths - size)[:, None] + np.arange(size)]


def _within(tokens: TokenBytes, size: int) -> Bytes:
    """Every string of so many bytes in any token."""
    counts = np.maximum(tokens.lengths - size + 1, 0)
    offsets = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    places = np.repeat(tokens.starts, counts) + offsets
    found: Bytes = tokens.data[places[:, None] + np.arange(size)]
    return found
