"""Masks as packed bits, in the layout of xgrammar and llguidance.

Invariant: a bitmask is int32 [B, ceil(V / 32)], and token 32 w + i is allowed iff bit i of word w is set. Bits beyond
the vocabulary are 0 in what is filled here.

Arrays of numpy and tensors of torch on the CPU are both taken; `torch.from_numpy(allocate_token_bitmask(…))` is what
xgrammar's functions expect.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.logits.layout import Array, Layout, is_tensor, layout_of, view_of

Words = npt.NDArray[np.int32]
WORD = 32
_BITS = (np.arange(256)[:, None] >> np.arange(8)) & 1 == 1
"""bool [256, 8]: the bits of a byte, the lowest first."""


def allocate_token_bitmask(batch: int, rows: int) -> Words:
    """A bitmask in which every token is allowed."""
    return np.full((batch, -(-rows // WORD)), -1, dtype=np.int32)


def pack(allowed: npt.NDArray[np.bool_]) -> Words:
    """int32 [ceil(V / 32)] from bool [V]."""
    words = np.zeros(-(-len(allowed) // WORD), dtype="<i4")
    packed = np.packbits(allowed, bitorder="little")
    words.view(np.uint8)[: len(packed)] = packed
    return words.astype(np.int32, copy=False)


def unpack(words: Words, rows: int) -> npt.NDArray[np.bool_]:
    """bool [rows] from int32 [ceil(rows / 32)]."""
    return np.unpackbits(_bytes(words), count=rows, bitorder="little").view(np.bool_)


def words_of(bitmask: Any) -> Words:
    """A bitmask as an array over the same memory. Raises TypeError if it is none."""
    array = bitmask.detach().numpy() if is_tensor(bitmask) and bitmask.device.type == "cpu" else bitmask
    if not isinstance(array, np.ndarray) or array.dtype != np.int32 or array.ndim != 2:
        raise TypeError("a bitmask is an int32 array [B, words], or such a tensor on the CPU")
    return array


def fill(bitmask: Any, index: int, words: Words) -> None:
    """Write one row. Raises ValueError if the row is too narrow, IndexError if there is no such row."""
    row = words_of(bitmask)[index]
    if len(row) < len(words):
        raise ValueError(f"a bitmask row of {len(row)} words is too narrow for {len(words)}")
    row[: len(words)] = words
    row[len(words) :] = 0


def apply_token_bitmask(logits: Any, bitmask: Any, indices: Sequence[int] | None = None) -> None:
    """Give −∞ to every token whose bit is not set, in place; the others keep their values.

    Args:
        logits: [V] or [B, V] of a floating-point format, of numpy or of torch on the CPU. Columns beyond the bitmask
            are refused.
        bitmask: with a row for each row of the logits.
        indices: the only rows to be changed, in both.

    Raises:
        TypeError: other arrays.
        ValueError: not as many rows.
    """
    layout = layout_of(logits)
    view, words = np.atleast_2d(view_of(logits, layout)), words_of(bitmask)
    if len(words) != len(view):
        raise ValueError(f"a bitmask of {len(words)} rows does not fit {len(view)} rows of logits")
    columns = min(view.shape[1], words.shape[1] * WORD)
    table = bars(layout)
    for index in range(len(view)) if indices is None else indices:
        row = view[index, :columns]
        kept = table.take(_bytes(words[index]), axis=0).ravel()[:columns]
        if layout.bits is None:
            np.fmin(row, kept, out=row)
        else:
            row &= kept
            row |= ~kept & layout.lowest
        view[index, columns:] = layout.lowest


@cache
def bars(layout: Layout) -> Array:
    """[256, 8]: for each byte of a bitmask what lets its eight logits pass, or bars them: NaN or −∞; all ones or 0."""
    kept, barred = (np.nan, -np.inf) if layout.bits is None else (0xFFFF, 0)
    return np.where(_BITS, layout.dtype.type(kept), layout.dtype.type(barred))


def _bytes(words: Words) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(words, dtype="<i4").view(np.uint8)
