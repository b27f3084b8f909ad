"""Toy vocabularies for the tests."""

from __future__ import annotations

from langc.compiler.tokens.vocabulary import Vocabulary


def toy(*tokens: bytes | str, eos: str | None = "<eos>") -> Vocabulary:
    """Bytes are text, `<…>` strings are special, the empty string is a hole; `eos` names the end if it is there."""
    specials = {i: t for i, t in enumerate(tokens) if isinstance(t, str) and t}
    ends = frozenset(i for i, t in specials.items() if t == eos)
    return Vocabulary("toy", tuple(t if isinstance(t, bytes) else b"" for t in tokens), specials, ends)


def split_bytes(*pieces: str) -> list[bytes]:
    """Each piece is hexadecimal."""
    return [bytes.fromhex(p) for p in pieces]


BYTES_AND_EOS = toy(*(bytes([i]) for i in range(256)), "<eos>")
"""Every byte by itself under its own number, and end-of-sequence as 256."""
