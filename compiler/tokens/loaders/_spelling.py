"""How tokenizers spell bytes as characters, and how to get the bytes back.

Three spellings exist. *Byte level* (GPT-2's `bytes_to_unicode`): each byte is one character; printable Latin-1 stands
for itself and the other 68 bytes are U+0100 to U+0143 in order, so that a space is `Ġ`. *Byte fallback* (as in
SentencePiece): a token `<0xE4>` is that byte. *Spaces as ▁* (likewise): U+2581 stands for a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

SPACE_MARK = "▁"
_PLAIN = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_FALLBACK = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_NO_BYTE = "\U0010ffff"
"""Stands for a character outside the alphabet: Latin-1 cannot encode it."""


def _alphabet() -> dict[int, str]:
    """A table for `str.translate` from the byte-level alphabet to the Latin-1 character of each byte."""
    table = {byte: chr(byte) for byte in _PLAIN}
    others = [byte for byte in range(256) if byte not in table]
    table |= {0x100 + number: chr(byte) for number, byte in enumerate(others)}
    return table | dict.fromkeys(others, _NO_BYTE)


BYTE_LEVEL = _alphabet()


def byte_level(token: str) -> bytes | None:
    """The bytes of a byte-level token; None if a character is outside the alphabet."""
    try:
        return token.translate(BYTE_LEVEL).encode("latin-1")
    except UnicodeEncodeError:
        return None


def fallback_byte(token: str) -> bytes | None:
    """The byte of a byte-fallback token `<0xNN>`; None for any other token."""
    spelling = _FALLBACK.fullmatch(token)
    return bytes.fromhex(spelling[1]) if spelling else None


def plain(token: str) -> bytes | None:
    """The UTF-8 of a token; None if it holds a surrogate."""
    try:
        return token.encode()
    except UnicodeEncodeError:
        return None


def spelled(tokens: Iterable[str]) -> str | None:
    """The first token that looks like one of the three spellings rather than like text, if there is one."""
    return next((t for t in tokens if t.startswith(("Ġ", SPACE_MARK)) or fallback_byte(t) is not None), None)
