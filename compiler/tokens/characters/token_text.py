"""The bytes of many tokens in one array, and the whole and broken characters in them.

Invariant: `data[starts[k]:starts[k + 1]]` are the bytes of the token `ids[k]`; ids ascend and no token is empty. Masks
over tokens are bool [n] and indexed by k, not by id.

UTF-8 synchronises itself: a lead byte is never a continuation byte, so occurrences of encodings never overlap, and
each is found by looking at the bytes behind one lead byte. Everything here looks at all lead bytes at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.characters.beginnings import Beginnings
from langc.compiler.tokens.characters.code_points import FOUR_BYTES, Flags, flags_of
from langc.compiler.unicode.intervals import SCALARS

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

_LENGTHS = np.zeros(256, dtype=np.int64)
"""How many bytes the character has that a lead byte begins; 0 for bytes that begin none."""
_LENGTHS[:0x80] = 1
_LENGTHS[0xC2:0xE0] = 2
_LENGTHS[0xE0:0xF0] = 3
_LENGTHS[0xF0:0xF5] = 4


@dataclass(frozen=True)
class Characters:
    """Whole characters in tokens, ordered by place; arrays [m]."""

    token: Ints
    """The number k of the token."""
    code_point: Ints


@dataclass(frozen=True)
class TokenText:
    """The bytes of tokens; see the module for the layout."""

    ids: Ints
    data: Bytes
    starts: Ints

    @classmethod
    def of(cls, tokens: Mapping[int, bytes]) -> TokenText:
        """From id to bytes; empty tokens are left out."""
        ids = sorted(i for i, b in tokens.items() if b)
        lengths = np.array([len(tokens[i]) for i in ids], dtype=np.int64)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        return cls(np.array(ids, dtype=np.int64), np.frombuffer(b"".join(tokens[i] for i in ids), np.uint8), starts)

    @property
    def size(self) -> int:
        """The number of tokens."""
        return len(self.ids)

    @cached_property
    def lengths(self) -> Ints:
        """int64 [n]: the bytes of each token."""
        return np.diff(self.starts)

    @cached_property
    def characters(self) -> Characters:
        """Every whole character in any token."""
        places = np.flatnonzero(_LENGTHS[self.data])
        owner = np.searchsorted(self.starts, places, side="right") - 1
        need = _LENGTHS[self.data[places]]
        inside = places + need <= self.starts[owner + 1]
        places, owner, need = places[inside], owner[inside], need[inside]
        code_point, valid = self._decode(places, need)
        return Characters(owner[valid], code_point[valid])

    def _decode(self, places: Ints, need: Ints) -> tuple[Ints, Flags]:
        """The code points of the encodings that begin at `places`, and which of them are well-formed."""
        lead = self.data[places].astype(np.int64)
        value = np.where(need == 1, lead, lead & (0x7F >> need))
        valid = np.ones(len(places), dtype=np.bool_)
        for offset in (1, 2, 3):
            more = need > offset
            byte = self.data[places[more] + offset]
            valid[more] &= (byte & 0xC0) == 0x80
            value[more] = value[more] << 6 | byte & 0x3F
        least = np.array([0, 0, 0x80, 0x800, FOUR_BYTES])[need]
        surrogate = (value >= 0xD800) & (value <= 0xDFFF)
        return value, valid & (value >= least) & (value <= 0x10FFFF) & ~surrogate

    def holding(self, members: Flags) -> Flags:
        """The tokens with a whole character of a set in them."""
        held = np.zeros(self.size, dtype=np.bool_)
        held[self.characters.token[members[self.characters.code_point]]] = True
        return held

    def ending_in(self, beginnings: Beginnings) -> Flags:
        """The tokens whose last bytes are one of these beginnings of characters."""
        return self._unfinished(beginnings) > 0

    @cached_property
    def well_formed(self) -> Flags:
        """The tokens that are texts: whole characters from the first byte to the last."""
        found: Flags = np.equal(self._in_characters, self.lengths)
        return found

    @cached_property
    def single(self) -> Flags:
        """The tokens that are one character and nothing else."""
        found: Flags = self.well_formed & np.equal(self.letters, 1)
        return found

    @cached_property
    def inside_text(self) -> Flags:
        """The tokens that stand in some text: the end of a character, whole ones, and the beginning of one."""
        opened = np.zeros(self.size, dtype=np.int64)
        for length in (1, 2, 3):
            tokens = np.flatnonzero(self.lengths >= length)
            opened[tokens[((self.first(tokens, length) & 0xC0) == 0x80).all(axis=1)]] = length
        unfinished = self._unfinished(Beginnings.of(flags_of(SCALARS)))
        found: Flags = np.equal(opened + self._in_characters + unfinished, self.lengths)
        return found

    @cached_property
    def _in_characters(self) -> Ints:
        """int64 [n]: the bytes that belong to whole characters."""
        size = 1 + np.sum(self.characters.code_point[:, None] >= np.array([0x80, 0x800, FOUR_BYTES]), axis=1)
        return np.bincount(self.characters.token, weights=size, minlength=self.size).astype(np.int64)

    def _unfinished(self, beginnings: Beginnings) -> Ints:
        """int64 [n]: the bytes at the end that are one of these beginnings."""
        found = np.zeros(self.size, dtype=np.int64)
        for length in (1, 2, 3):
            tokens = np.flatnonzero(self.lengths >= length)
            found[tokens[beginnings.look_up(self.last(tokens, length))]] = length
        return found

    @cached_property
    def letters(self) -> Ints:
        """int64 [n]: the bytes that are no continuation bytes, so the characters that a well-formed token has."""
        return np.add.reduceat((self.data & 0xC0) != 0x80, self.starts[:-1], dtype=np.int64)

    def first(self, tokens: Ints, length: int) -> Bytes:
        """uint8 [m, length]: the first bytes of tokens that have so many."""
        return self.data[self.starts[tokens][:, None] + np.arange(length)]

    def last(self, tokens: Ints, length: int) -> Bytes:
        """uint8 [m, length]: the last bytes of tokens that have so many."""
        return self.data[self.starts[tokens + 1][:, None] - length + np.arange(length)]

    def token(self, number: int) -> bytes:
        """The bytes of the k-th token."""
        return self.data[self.starts[number] : self.starts[number + 1]].tobytes()
