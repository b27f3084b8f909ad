"""Small worlds, complete: every language expression up to a size, every text and byte string up to a length."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from langc.compiler.ir.language import (
    EMPTY,
    FAIL,
    Language,
    alternation,
    class_,
    complement,
    concat,
    cover,
    intersection,
    repetition,
)
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

BOUNDARY = "\x00\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"
"""The first and last characters of each encoded length, and those beside the surrogates."""

TRUNCATED = (b"\xdf", b"\xe0\xa0", b"\xf0", b"\xf4\x8f\xbf")
"""Characters of each encoded length, cut short behind one, two and three bytes."""

MALFORMED = (b"\xc0", b"\xed\xa0\x80", b"\xf4\x90", b"\x80", *TRUNCATED)
"""An overlong lead, a surrogate, a value too large, a lone continuation, and the characters cut short."""

ATOMS: tuple[Language, ...] = (
    EMPTY,
    class_(IntervalSet.of("\x00")),
    class_(IntervalSet.of((0x7F, 0x800))),
    class_(IntervalSet.of("\ud7ff\ue000\U0010ffff")),
    class_(SCALARS - IntervalSet.of("\uffff")),
    cover(IntervalSet.of("\x7f\x80"), ("\x7f\u07ff\x00", "\u07ff", "\U00010000\U00010000")),
)


@cache
def languages(size: int) -> tuple[Language, ...]:
    """Every expression of exactly `size` atoms and operators, up to what the smart constructors simplify."""
    if size == 1:
        return (*ATOMS, FAIL)
    return tuple(dict.fromkeys((*_unary(size), *_binary(size))))


@cache
def languages_up_to(size: int) -> tuple[Language, ...]:
    """Every expression of at most `size` atoms and operators, the smallest first."""
    return tuple(dict.fromkeys(language for n in range(1, size + 1) for language in languages(n)))


def _unary(size: int) -> Iterator[Language]:
    for part in languages(size - 1):
        yield complement(part)
        yield repetition(part)
        yield repetition(part, 0, 1)
        yield repetition(part, 2, 3)


def _binary(size: int) -> Iterator[Language]:
    for left_size in range(1, size - 1):
        for left, right in product(languages(left_size), languages(size - 1 - left_size)):
            yield concat(left, right)
            yield alternation(left, right)
            yield intersection(left, right)


def texts(length: int) -> Iterator[str]:
    """Every text over the boundary characters of at most `length` characters."""
    for n in range(length + 1):
        yield from map("".join, product(BOUNDARY, repeat=n))


@cache
def small_strings(length: int, most_bytes: int = 12) -> tuple[bytes, ...]:
    """The different `byte_strings` of one byte and more, and of at most `most_bytes`."""
    return tuple(data for data in dict.fromkeys(byte_strings(length)) if 0 < len(data) <= most_bytes)


def byte_strings(length: int) -> Iterator[bytes]:
    """Every row of at most `length` boundary characters and malformed pieces, in bytes."""
    pieces = (*(c.encode() for c in BOUNDARY), *MALFORMED)
    for n in range(length + 1):
        yield from map(b"".join, product(pieces, repeat=n))
