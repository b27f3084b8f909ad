r"""Code points in policy text: reading the escapes of strings and brackets, and writing them.

Invariant: reading what `escape`, `quote` or `member` wrote gives the same code points back.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable

from langc.compiler.source import Span
from langc.compiler.unicode import glyphs
from langc.compiler.unicode.intervals import MAX_SYMBOL, SURROGATES
from langc.compiler.unicode.ucd import UCD

LEGAL_IN_STRINGS = r"escapes in a string: `\"` `\\` `\n` `\t` `\r` `\u{…}` `\uXXXX`"
LEGAL_IN_BRACKETS = (
    r"escapes in brackets: `\n` `\t` `\r` `\u{…}` `\uXXXX` `\x{…}` `\p{…}` `\P{…}`,"
    " and a backslash before a blank or ASCII punctuation"
)

_CONTROLS = {"n": 0x0A, "r": 0x0D, "t": 0x09}
_NAMES = {value: letter for letter, value in _CONTROLS.items()}
_HEX = re.compile(r"[0-9A-Fa-f]{1,6}")
_STRING_ESCAPE = re.compile(r"\\(?:u\{[^{}\"\n]*\}|u[0-9A-Fa-f]{4}|.)", re.DOTALL)


class BadEscape(Exception):
    """Text that denotes no code point. `span` is its place within the text that was read."""

    def __init__(self, code: str, message: str, span: Span, help: str | None = None):
        super().__init__(message)
        self.code, self.message, self.span, self.help = code, message, span, help


def read_digits(digits: str, span: Span) -> int:
    """The scalar value of one to six hexadecimal digits. Raises BadEscape."""
    if not _HEX.fullmatch(digits):
        raise BadEscape("LC0204", "a code point is one to six hexadecimal digits", span)
    value = int(digits, 16)
    if value > MAX_SYMBOL:
        raise BadEscape("LC0201", f"U+{value:X} is beyond the last code point", span, "the last one is U+10FFFF")
    if value in SURROGATES:
        raise BadEscape(
            "LC0202",
            f"U+{value:04X} is a surrogate, half of a UTF-16 pair, and no character",
            span,
            "write the character itself, or its own code point",
        )
    return value


def read_code_point(text: str) -> int:
    """The value of `U+XXXX`, with four to six digits. Raises BadEscape."""
    span = Span(0, len(text))
    if not 4 <= len(text) - 2 <= 6 or text[0] != "U":
        raise BadEscape("LC0204", "a code point is `U+` and four to six hexadecimal digits", span)
    return read_digits(text[2:], span)


def read_member(text: str) -> int:
    r"""The value of an escape inside brackets. Raises BadEscape."""
    letter, span = text[1], Span(0, len(text))
    if letter in "ux" and len(text) > 2:
        return read_digits(text[2:].strip("{}"), span)
    if letter in _CONTROLS:
        return _CONTROLS[letter]
    if letter == " " or letter in string.punctuation:
        return ord(letter)
    raise BadEscape("LC0108", f"`{text}` is no escape", span, LEGAL_IN_BRACKETS)


def read_string(quoted: str, report: Callable[[BadEscape], None]) -> str:
    """The text of a string literal, quotes and all. Bad escapes are reported and left out."""

    def value(match: re.Match[str]) -> str:
        try:
            return _read_in_string(match.group(), Span(*match.span()), quoted[0])
        except BadEscape as error:
            report(error)
            return ""

    return _STRING_ESCAPE.sub(value, quoted[:-1])[1:]


def _read_in_string(text: str, span: Span, mark: str) -> str:
    letter = text[1]
    if letter == "u" and len(text) > 2:
        return chr(read_digits(text[2:].strip("{}"), span))
    if letter in _CONTROLS:
        return chr(_CONTROLS[letter])
    if letter in ('"', "\\", mark):
        return letter
    raise BadEscape("LC0108", f"`{text}` is no escape", span, LEGAL_IN_STRINGS)


def escape(symbol: int) -> str:
    r"""`\n`, or `\u{AC00}`."""
    return "\\" + _NAMES[symbol] if symbol in _NAMES else f"\\u{{{symbol:04X}}}"


def quote(text: str) -> str:
    """A string literal on one line in which everything can be seen; plain blanks stay as they are."""
    return '"' + "".join(map(_quoted_cluster, _clusters(text))) + '"'


def _clusters(text: str) -> list[str]:
    """The text cut before everything that does not join what precedes it."""
    out: list[str] = []
    for character in text:
        if out and glyphs.joins(ord(character)):
            out[-1] += character
        else:
            out.append(character)
    return out


def _quoted_cluster(cluster: str) -> str:
    """A letter keeps its marks if no composed form could hide behind the same looks."""
    first = cluster[0]
    keeps = glyphs.is_letter(ord(first)) and UCD.normalize("NFC", cluster) == cluster
    return _quoted(first) + (cluster[1:] if keeps else "".join(escape(ord(c)) for c in cluster[1:]))


def _quoted(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character == " " or glyphs.is_plain(ord(character)) else escape(ord(character))


def member(symbol: int, before: str) -> str:
    """A code point inside brackets, where `before` is the last character written: `[` or part of a member."""
    if not glyphs.is_plain(symbol):
        return escape(symbol)
    character = chr(symbol)
    ambiguous = (
        character in "[]\\-^&{}" or (character in ".|~" and before == character) or before + character in ("U+", "[:")
    )
    return "\\" + character if ambiguous else character
