"""A small writer of SentencePiece models, so that tests can make sound and broken ones."""

from __future__ import annotations

import struct
from collections.abc import Iterable

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

PLAIN = b"\x0a\x08identity\x18\x00\x20\x00"
"""A normaliser's settings: no dummy prefix (field 3), no removal of spaces (field 4)."""


def varint(number: int) -> bytes:
    """A number, the lowest seven bits first."""
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.append(number & 0x7F)
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


def field(number: int, value: bytes | int) -> bytes:
    """A field: a number, or a length and so many bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def piece(text: str | bytes, kind: int | None = None, score: float = 0) -> bytes:
    """A piece, with its type unless it is left to the default."""
    content = field(1, text.encode() if isinstance(text, str) else text) + b"\x15" + struct.pack("<f", score)
    return field(1, content if kind is None else content + field(3, kind))


def sentencepiece(
    pieces: Iterable[tuple[str | bytes, int]],
    trainer: bytes = b"",
    normalizer: bytes = PLAIN,
    denormalizer: bytes | None = None,
) -> bytes:
    """A whole model."""
    body = b"".join(piece(text, kind) for text, kind in pieces)
    return body + field(2, trainer) + field(3, normalizer) + (b"" if denormalizer is None else field(5, denormalizer))
