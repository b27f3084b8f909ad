"""The tokens of a vocabulary as texts: what phrases are looked for in.

Invariant: `texts` and `rests` tell the bytes of a token that begins between two characters: the whole characters, and
the bytes of an unfinished one behind them. Tokens that begin inside a character have neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.trie import TokenTrie
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

IdArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class TokenTexts:
    """`spelled[n]` are the bytes of `ids[n]`."""

    ids: IdArray
    spelled: tuple[bytes, ...]

    @classmethod
    def of(cls, trie: TokenTrie) -> TokenTexts:
        """The tokens of a trie."""
        nodes = trie.spellings()
        spelled = [b for b, count in zip(nodes, np.diff(trie.first_id).tolist(), strict=True) for _ in range(count)]
        return cls(trie.ids, tuple(spelled))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The whole characters of each token, `""` where there are none."""
        return self._split[0]

    @cached_property
    def rests(self) -> dict[int, bytes]:
        """The unfinished characters at the ends of tokens, by id."""
        return {i: rest for i, rest in zip(self.ids.tolist(), self._split[1], strict=True) if rest}

    @cached_property
    def fragments(self) -> IdArray:
        """The tokens that are the beginning of one character and no more."""
        return np.array([i for i, rest in self.rests.items() if rest == self.bytes_of[i]], dtype=np.int32)

    @cached_property
    def bytes_of(self) -> dict[int, bytes]:
        """The bytes of each id."""
        return dict(zip(self.ids.tolist(), self.spelled, strict=True))

    @cached_property
    def _split(self) -> tuple[tuple[str, ...], tuple[bytes, ...]]:
        """Tuples, not lists: collections of garbage pass over those of plain values."""
        parts = [split(b) if b[0] & 0xC0 != 0x80 else ("", b"") for b in self.spelled]
        return tuple(text for text, _ in parts), tuple(rest for _, rest in parts)


def split(data: bytes) -> tuple[str, bytes]:
    """Whole characters, and the bytes of an unfinished one at the end. Malformed bytes are passed over."""
    if data.isascii():
        return data.decode("ascii"), b""
    for at in range(len(data) - 1, max(len(data) - 3, 0) - 1, -1):
        if data[at] >= 0xC0:
            size = 2 if data[at] < 0xE0 else 3 if data[at] < 0xF0 else 4
            if at + size > len(data):
                return data[:at].decode("utf-8", "ignore"), data[at:]
            break
    return data.decode("utf-8", "ignore"), b""


def characters_from(rest: bytes) -> IntervalSet:
    """The characters whose bytes begin with those of an unfinished one; perhaps a few more."""
    missing = (2 if rest[0] < 0xE0 else 3 if rest[0] < 0xF0 else 4) - len(rest)
    value = rest[0] & (0x3F >> (missing + len(rest) - 1))
    for byte in rest[1:]:
        value = value << 6 | byte & 0x3F
    return IntervalSet.of((value << 6 * missing, (value + 1 << 6 * missing) - 1)) & SCALARS
