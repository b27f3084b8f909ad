"""The tokens of a vocabulary as texts: what phrases are looked for in.

Invariant: tokens are sorted by their bytes, so those that begin alike lie side by side. `text` is what stands between
the bytes of a character that began before the token and those of one that ends behind it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

IdArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class TokenTexts:
    """`spelled[n]` are the bytes of `ids[n]`."""

    ids: IdArray
    spelled: list[bytes]

    @classmethod
    def of(cls, tokens: Mapping[int, bytes]) -> TokenTexts:
        """From ids to bytes; ids without bytes are left out."""
        order = sorted((b, i) for i, b in tokens.items() if b)
        return cls(np.array([i for _, i in order], dtype=np.int32), [b for b, _ in order])

    def beginning(self, prefix: bytes) -> range:
        """The places of the tokens that begin with a prefix."""
        low = bisect_left(self.spelled, prefix)
        return range(low, bisect_left(self.spelled, prefix + b"\xff\xff\xff\xff", low))

    @cached_property
    def texts(self) -> list[str]:
        """The whole characters of each token that begins at the border of one, `""` for all others."""
        return [split(b)[0] if b[0] & 0xC0 != 0x80 else "" for b in self.spelled]


def split(data: bytes) -> tuple[str, bytes]:
    """Whole characters, and the bytes of an unfinished one at the end. Malformed bytes are passed over."""
    cut = max(len(data) - 3, 0)
    for at in range(len(data) - 1, cut - 1, -1):
        if data[at] >= 0xC0:
            size = 2 if data[at] < 0xE0 else 3 if data[at] < 0xF0 else 4
            if at + size > len(data):
                return data[:at].decode("utf-8", "ignore"), data[at:]
            break
    return data.decode("utf-8", "ignore"), b""
