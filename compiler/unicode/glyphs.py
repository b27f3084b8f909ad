"""Which code points may be shown as themselves, and how many columns they take.

A policy is about characters that look alike or like nothing at all. What a reader cannot see, or cannot
tell from its neighbours, is shown as an escape. Categories and widths are those of Unicode 18.0.
"""

from __future__ import annotations

from functools import lru_cache

from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.unicode.ucd import UCD

BLANK_LETTERS = IntervalSet.of(0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0)
"""Letters and symbols without ink: the Hangul fillers, and the Braille pattern without dots."""

IGNORABLE_MARKS = IntervalSet.of(
    0x034F, (0x17B4, 0x17B5), (0x180B, 0x180D), 0x180F, (0xFE00, 0xFE0F), (0xE0100, 0xE01EF)
)
"""The marks that are Default_Ignorable_Code_Point: variation selectors and the like."""

JOINING_JAMO = IntervalSet.of((0x1161, 0x11FF), (0xD7B0, 0xD7C6), (0xD7CB, 0xD7FB))
"""Vowels and final consonants, which merge with the jamo before them into one syllable block."""

_INKED = frozenset("LNPS")


@lru_cache(maxsize=4096)
def is_plain(symbol: int) -> bool:
    """Whether the code point has ink of its own and stands apart from its neighbours.

    Not so are white space, controls, format characters, marks, joining jamo, the unassigned and private use.
    """
    if symbol < 0x7F:
        return symbol > 0x20
    return UCD.category(chr(symbol))[0] in _INKED and symbol not in BLANK_LETTERS and symbol not in JOINING_JAMO


def is_letter(symbol: int) -> bool:
    """Whether the code point is a letter with ink of its own, so that a mark can sit on it."""
    return is_plain(symbol) and UCD.category(chr(symbol))[0] == "L"


@lru_cache(maxsize=4096)
def joins(symbol: int) -> bool:
    """Whether the code point is drawn into the character before it: a visible mark or a joining jamo."""
    if symbol in JOINING_JAMO:
        return True
    return UCD.category(chr(symbol))[0] == "M" and symbol not in IGNORABLE_MARKS


@lru_cache(maxsize=4096)
def columns(symbol: int) -> int:
    """How many terminal columns a shown code point takes: 0, 1 or 2, by East_Asian_Width (UAX #11)."""
    character = chr(symbol)
    if UCD.category(character) in ("Mn", "Me") or symbol in JOINING_JAMO:
        return 0
    return 2 if UCD.east_asian_width(character) in "WF" else 1


def width(text: str) -> int:
    """How many terminal columns a shown text takes."""
    return sum(columns(ord(c)) for c in text)


def visible(text: str) -> str:
    """The text with `<U+XXXX>` for whatever a terminal would not show, or would obey; a tab becomes a space."""
    return "".join(map(_cell, text))


def _cell(character: str) -> str:
    if character in " \t":
        return " "
    symbol = ord(character)
    return character if is_plain(symbol) or joins(symbol) else f"<U+{symbol:04X}>"
