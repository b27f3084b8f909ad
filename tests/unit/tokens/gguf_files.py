"""A small writer of GGUF files, so that tests can make sound and broken ones."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

type_codes = {"u8": (0, "B"), "u32": (4, "I"), "i32": (5, "i"), "f32": (6, "f"), "bool": (7, "?"), "u64": (10, "Q")}


def string(text: bytes) -> bytes:
    """A string as keys and values hold it."""
    return struct.pack("<Q", len(text)) + text


def text(value: bytes) -> bytes:
    """A value: a string."""
    return struct.pack("<I", 8) + string(value)


def scalar(kind: str, value: float) -> bytes:
    """A value: a number."""
    code, form = type_codes[kind]
    return struct.pack(f"<I{form}", code, value)


def texts(values: list[bytes]) -> bytes:
    """A value: an array of strings."""
    return struct.pack("<IIQ", 9, 8, len(values)) + b"".join(map(string, values))


def scalars(kind: str, values: list[int]) -> bytes:
    """A value: an array of numbers."""
    code, form = type_codes[kind]
    return struct.pack(f"<IIQ{len(values)}{form}", 9, code, len(values), *values)


def gguf(entries: Mapping[str, bytes], version: int = 3, count: int | None = None) -> bytes:
    """A whole file without tensors."""
    head = b"GGUF" + struct.pack("<IQQ", version, 0, len(entries) if count is None else count)
    return head + b"".join(string(key.encode()) + value for key, value in entries.items())


def tokenizer(model: bytes, vocabulary: list[tuple[bytes, int]], **more: bytes) -> dict[str, bytes]:
    """The entries of a vocabulary: tokens with their types, amid entries that have nothing to do with it."""
    return {
        "general.name": text(b"toy"),
        "toy.rope.freq": scalar("f32", 1e4),
        "tokenizer.ggml.model": text(model),
        "tokenizer.ggml.tokens": texts([token for token, _ in vocabulary]),
        "tokenizer.ggml.scores": scalars("f32", [0] * len(vocabulary)),
        "tokenizer.ggml.token_type": scalars("i32", [kind for _, kind in vocabulary]),
        "tokenizer.ggml.merges": texts([b"a b", b"ab c"]),
        **{f"tokenizer.ggml.{key}": value for key, value in more.items()},
    }


def write(path: Path, entries: Mapping[str, bytes]) -> Path:
    """Write a whole file without tensors."""
    path.write_bytes(gguf(entries))
    return path
