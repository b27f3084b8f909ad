"""Sets of code points as arrays of flags, and as cells: one axis for each byte of the encoding.

Invariant: flags are bool [0x110000], false at surrogates. In the cells of an n-byte encoding the flag at
`[lead, b2, … bn]` is that of the code point whose encoding is these bytes, each counted from the least of its kind
(C0, E0 or F0 for leads, 80 for continuation bytes). Cells that encode nothing (overlong forms, surrogates, what lies
past U+10FFFF) are false. So "every code point that begins with these bytes" is `any` over the last axes, and bytes
that are joined to make an encoding are joined by broadcasting, a million at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from langc.compiler.unicode.intervals import SCALARS, IntervalSet

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

CODE_POINTS = 0x110000
TWO_BYTES, THREE_BYTES, FOUR_BYTES = 0x80, 0x800, 0x10000
"""The first code points whose encodings have two, three and four bytes."""
_SHAPES = ((32, 64), (16, 64, 64), (5, 64, 64, 64))


@dataclass(frozen=True)
class Cells:
    """The flags of the code points with two, three and four bytes: bool [32, 64], [16, 64, 64], [5, 64, 64, 64]."""

    two: Flags
    three: Flags
    four: Flags

    @classmethod
    def of(cls, flags: Flags) -> Cells:
        """The cells of a set; the arrays are copies."""
        padded = np.zeros(5 * 64**3, dtype=np.bool_)
        padded[FOUR_BYTES:CODE_POINTS] = flags[FOUR_BYTES:]
        two, three = flags[:THREE_BYTES].copy(), flags[:FOUR_BYTES].copy()
        two[:TWO_BYTES] = False
        three[:THREE_BYTES] = False
        return cls(*(part.reshape(shape) for part, shape in zip((two, three, padded), _SHAPES, strict=True)))

    def flags(self) -> Flags:
        """The set again; cells that encode nothing are left out, and so is what has one byte."""
        flags = np.zeros(CODE_POINTS, dtype=np.bool_)
        flags[TWO_BYTES:THREE_BYTES] = self.two.reshape(-1)[TWO_BYTES:]
        flags[THREE_BYTES:FOUR_BYTES] = self.three.reshape(-1)[THREE_BYTES:]
        flags[FOUR_BYTES:] = self.four.reshape(-1)[FOUR_BYTES:CODE_POINTS]
        flags[0xD800:0xE000] = False
        return flags


def any_of_last(cells: Flags, axes: int) -> Flags:
    """Whether anything is set behind each beginning: `cells` without its last axes."""
    found: Flags = np.logical_or.reduce(cells.reshape(*cells.shape[:-axes], -1), axis=-1)
    return found


def count_of_last(cells: Flags, axes: int) -> Ints:
    """How many are set behind each beginning: int64, `cells` without its last axes."""
    found: Ints = cells.reshape(*cells.shape[:-axes], -1).sum(axis=-1, dtype=np.int64)
    return found


def flags_of(members: IntervalSet) -> Flags:
    """The flags of an interval set."""
    flags = np.zeros(CODE_POINTS, dtype=np.bool_)
    for low, high in (members & SCALARS).ranges:
        flags[low : high + 1] = True
    return flags


def set_of(flags: Flags) -> IntervalSet:
    """The interval set of flags."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0))
    return IntervalSet(tuple((int(low), int(end) - 1) for low, end in zip(edges[::2], edges[1::2], strict=True)))


def count(flags: Flags) -> int:
    """How many code points are in the set."""
    return int(np.count_nonzero(flags))
