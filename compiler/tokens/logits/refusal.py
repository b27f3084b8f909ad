"""How the refused tokens of one state are taken out of rows of logits, by how many there are.

Invariant: whatever stood there, a refused token's logit becomes −∞, and an allowed one keeps its value: −0 and
infinities too, and NaN stays NaN. Rows are read from `source` and written to `out`, of one shape [..., rows]; the two
may be the same array, and otherwise share no memory.

Filling a row and putting back what is allowed costs a fill, and setting what is refused next to nothing; both only pay
for few tokens. All else takes one pass beside a row that is kept ready, as fast as an addition: fmin(x, NaN) is x, and
fmin(x, −∞) is −∞ even where x is NaN. Seen as an unsigned integer −∞ is larger than every other number but a NaN of
negative sign: there the larger of the two is taken, and only where anything is larger than −∞ a second pass is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.logits.bitmask import bars
from langc.compiler.tokens.logits.layout import Array, Layout

Flags = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.intp]
FEW = 2_048
"""Tokens that are put back, or set, one by one: from about twice as many on a pass over the row is faster."""

_LARGEST = np.uint16(0xFFFF)
_EIGHT_SET = np.uint64(0x0101010101010101)


class Refusal(Protocol):
    """What is done in one state, for logits of one layout."""

    @property
    def nbytes(self) -> int:
        """The memory that it holds."""

    def __call__(self, source: Array, out: Array) -> None:
        """Write the logits without the refused tokens."""


def refusal(allowed: Flags, layout: Layout) -> Refusal:
    """What to do where these tokens are allowed, bool [rows]."""
    allowed = np.ascontiguousarray(allowed)
    count = int(np.count_nonzero(allowed))
    if count <= FEW:
        return PutBack(_places(allowed, True), layout.lowest)
    if len(allowed) - count <= FEW:
        return _Set(_places(allowed, False), layout.lowest)
    packed = np.packbits(allowed, bitorder="little")  # eight tokens at a time is faster than one by one
    row = bars(layout).take(packed, axis=0).ravel()[: len(allowed)]
    return _Least(row) if layout.bits is None else _Largest(~row & layout.lowest, layout.lowest)


def _places(flags: Flags, value: bool) -> Ids:
    """Where a flag has a value that is rare: eight are looked at together first."""
    whole = len(flags) // 8 * 8
    eights = np.flatnonzero(flags[:whole].view(np.uint64) != (0 if value else _EIGHT_SET))
    near = np.repeat(eights * 8, 8) + np.tile(np.arange(8), len(eights))
    return np.concatenate([near[flags[near] == value], whole + np.flatnonzero(flags[whole:] == value)])


@dataclass(frozen=True)
class PutBack:
    """Few are allowed."""

    allowed: Ids
    lowest: Any

    @property
    def nbytes(self) -> int:
        """The memory of the ids."""
        return self.allowed.nbytes

    def __call__(self, source: Array, out: Array) -> None:
        """See `Refusal`."""
        kept = self.taken(source)
        out.fill(self.lowest)
        self.put(out, kept)

    def taken(self, source: Array) -> Array:
        """A copy of the logits of the allowed tokens."""
        return source[self.allowed] if source.ndim == 1 else source[..., self.allowed]

    def put(self, out: Array, kept: Array) -> None:
        """Write them where nothing is allowed yet."""
        if out.ndim == 1:
            out[self.allowed] = kept
        else:
            out[..., self.allowed] = kept


@dataclass(frozen=True)
class _Set:
    """Few are refused."""

    refused: Ids
    lowest: Any

    @property
    def nbytes(self) -> int:
        return self.refused.nbytes

    def __call__(self, source: Array, out: Array) -> None:
        if source is not out:
            np.copyto(out, source)
        if source.ndim == 1:
            out[self.refused] = self.lowest
        else:
            out[..., self.refused] = self.lowest


@dataclass(frozen=True)
class _Least:
    row: Array
    """NaN, and −∞ for refused tokens."""

    @property
    def nbytes(self) -> int:
        return self.row.nbytes

    def __call__(self, source: Array, out: Array) -> None:
        np.fmin(source, self.row, out)


@dataclass(frozen=True)
class _Largest:
    row: Array
    """0, and −∞ for refused tokens."""
    lowest: Any

    @property
    def nbytes(self) -> int:
        return self.row.nbytes

    def __call__(self, source: Array, out: Array) -> None:
        np.maximum(source, self.row, out)
        if out.size and np.maximum.reduce(out, axis=None) > self.lowest:  # a NaN, and perhaps a refused one
            np.minimum(out, np.where(self.row == 0, _LARGEST, self.lowest), out)
