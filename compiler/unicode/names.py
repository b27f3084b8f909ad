"""Code points in words, for messages: U+XXXX with the name, and the glyph if it can be seen safely.

Invariant: what `describe` returns is printable ASCII. What `show` returns holds no white space but blanks and
nothing that is invisible, that joins its neighbours, or that turns the direction of the line.
"""

from __future__ import annotations

from langc.compiler.unicode import glyphs
from langc.compiler.unicode.intervals import SURROGATES
from langc.compiler.unicode.ucd import UCD

_LABELS = {"Cc": "control", "Cn": "unassigned", "Co": "private-use"}
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_SHOWN = 4
"""Characters of a text that `show_text` spells out."""


def describe(symbol: int) -> str:
    """`U+4E2D CJK UNIFIED IDEOGRAPH-4E2D`; what has no name gets the label of section 4.8 of the Unicode Standard.

    Takes any code point, surrogates included.
    """
    return f"U+{symbol:04X} {_name(symbol)}"


def show(symbol: int) -> str:
    """`中 (U+4E2D CJK UNIFIED IDEOGRAPH-4E2D)`, or the words alone if the glyph would mislead."""
    return f"{chr(symbol)} ({describe(symbol)})" if _is_safe(symbol) else describe(symbol)


def show_text(text: str) -> str:
    """A short text for a message: its first characters as `show` has them, `the empty text` for none."""
    if not text:
        return "the empty text"
    shown = " ".join(show(ord(c)) for c in text[:_SHOWN])
    return shown if len(text) <= _SHOWN else f"{shown} and {len(text) - _SHOWN} more"


def _name(symbol: int) -> str:
    name: str = UCD.name(chr(symbol), "")
    return name or f"<{_label(symbol)}-{symbol:04X}>"


def _label(symbol: int) -> str:
    if symbol in SURROGATES:
        return "surrogate"
    if symbol & 0xFFFE == 0xFFFE or 0xFDD0 <= symbol <= 0xFDEF:
        return "noncharacter"
    return _LABELS[UCD.category(chr(symbol))]


def _is_safe(symbol: int) -> bool:
    return glyphs.is_plain(symbol) and UCD.bidirectional(chr(symbol)) not in _RIGHT_TO_LEFT
