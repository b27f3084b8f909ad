"""How characters are written in the text formats.

Invariant: what is written is printable ASCII, but for the letters in `PLAIN` inside literals. So no artefact holds a
control character, a combining mark, an invisible or a right-to-left character, and none depends on the Unicode
version of the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from langc.compiler.unicode.intervals import IntervalSet

PLAIN = IntervalSet(
    (
        (0xC0, 0xD6),
        (0xD8, 0xF6),
        (0xF8, 0x17F),
        (0x391, 0x3A1),
        (0x3A3, 0x3C9),
        (0x400, 0x45F),
        (0x3041, 0x3096),
        (0x30A1, 0x30FA),
        (0x3400, 0x4DBF),
        (0x4E00, 0x9FFF),
        (0xAC00, 0xD7A3),
    )
)
"""Letters written as themselves: visible, left to right, whole by themselves, and assigned for good."""


@dataclass(frozen=True)
class Notation:
    """The escapes of one format. Every other printable ASCII character but the blank stands for itself."""

    by_number: Callable[[int], str]
    """The escape of any code point."""
    in_literal: str = ""
    """What takes a backslash in a literal."""
    in_class: str = ""
    """What takes a backslash in a class."""
    numbered_in_class: str = ""
    """What has a meaning in a class and no escape but its number."""

    def literal(self, text: str) -> str:
        """A text as it stands in a literal, without quotes."""
        return "".join(c if ord(c) in PLAIN or c == " " else self._written(c, self.in_literal) for c in text)

    def members(self, members: IntervalSet) -> str:
        """The inside of a positive class: as few ranges as there can be, two neighbours without a hyphen."""
        return "".join(self._range(low, high) for low, high in members.ranges)

    def _range(self, low: int, high: int) -> str:
        hyphen = "-" if high > low + 1 else ""
        return self._member(low) + (hyphen + self._member(high) if high > low else "")

    def _member(self, symbol: int) -> str:
        numbered = chr(symbol) in self.numbered_in_class
        return self.by_number(symbol) if numbered else self._written(chr(symbol), self.in_class)

    def _written(self, character: str, specials: str) -> str:
        if character in specials:
            return "\\" + character
        return character if "!" <= character <= "~" else self.by_number(ord(character))


def short_hex(symbol: int) -> str:
    r"""`\xXX` below U+0080, else as `long_hex`."""
    return f"\\x{symbol:02X}" if symbol < 0x80 else long_hex(symbol)


def long_hex(symbol: int) -> str:
    r"""`\uXXXX` up to U+FFFF, `\UXXXXXXXX` above."""
    return f"\\u{symbol:04X}" if symbol <= 0xFFFF else f"\\U{symbol:08X}"
