"""UTF-8 by Python's own codec: which scalar values a beginning of a character can still become."""

from __future__ import annotations

from functools import cache

Candidates = tuple[int, int]
"""The least and the greatest scalar value; all between them but surrogates are possible too."""


def split(data: bytes) -> tuple[str, bytes] | None:
    """The whole characters of `data`, and the beginning of one behind them; None if it is malformed already."""
    for cut in range(len(data), max(len(data) - 4, -1), -1):
        try:
            text = data[:cut].decode("utf-8", "strict")
        except UnicodeDecodeError:
            continue
        rest = data[cut:]
        return (text, rest) if not rest or candidates(rest) else None
    return None


def candidates(rest: bytes) -> Candidates | None:
    """The scalar values whose encoding begins with `rest` and is longer; None if there is none."""
    return _beginnings().get(rest)


@cache
def _beginnings() -> dict[bytes, Candidates]:
    """By encoding scalar values: the least and the greatest one behind a beginning end in 80 or BF."""
    found: dict[bytes, Candidates] = {}
    for value in range(0x80, 0x110000):
        if value & 0x3F in (0, 0x3F) and not 0xD800 <= value <= 0xDFFF:
            encoded = chr(value).encode()
            for length in range(1, len(encoded)):
                low, _ = found.get(encoded[:length], (value, value))
                found[encoded[:length]] = (low, value)
    return found
