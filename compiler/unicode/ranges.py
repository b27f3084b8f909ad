"""How the committed tables write sets: `41-5A AA B5`, in hexadecimal.

Invariant: `decode` inverts `encode`.
"""

from __future__ import annotations

from langc.compiler.unicode.intervals import IntervalSet


def encode(members: IntervalSet) -> str:
    """The text of a set."""
    return " ".join(f"{low:X}" if low == high else f"{low:X}-{high:X}" for low, high in members.ranges)


def decode(text: str) -> IntervalSet:
    """The set of a text."""
    return IntervalSet(tuple(map(_range, text.split())))


def _range(word: str) -> tuple[int, int]:
    low, _, high = word.partition("-")
    return int(low, 16), int(high or low, 16)
