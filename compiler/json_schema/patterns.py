r"""`pattern`: ECMAScript regular expressions (ECMA-262, with the flag `u`) as languages.

A pattern is found anywhere in a string unless it is anchored. Anchors are read at the beginning and at the end of an
alternative of the whole pattern, where they mean what they say in every engine. Lazy quantifiers change what a group
captures and not which texts match, so they are read as greedy ones. Lookaround, back references, `\b`, flags inside of
the pattern, empty classes and everything that engines disagree on is refused at its place.

Characters are code points. `.` leaves out the four line ends of ECMAScript; `\d` and `\w` are ASCII, `\s` is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from langc.compiler.ir.language import (
    ANY_TEXT,
    Language,
    alternation,
    class_,
    concat,
    repetition,
)
from langc.compiler.limits import MAX_NESTING
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.unicode.properties import UnknownProperty, lookup

LONGEST_REPEAT = 10_000
"""The largest number that a quantifier may have; the size of what it makes is held to a budget elsewhere."""

_DIGITS = IntervalSet.of((0x30, 0x39))
_WORD = _DIGITS | IntervalSet.of((0x41, 0x5A), (0x61, 0x7A), "_")
_SPACE = IntervalSet.of("\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff", (0x2000, 0x200A))
_LINE_ENDS = IntervalSet.of("\n\r\u2028\u2029")
_SETS = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CONTROLS = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "0": "\0"}


class PatternError(ValueError):
    """What a pattern has that cannot be read, and the offset in it."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset


def pattern_language(pattern: str) -> Language:
    """The texts in which a pattern is found. Raises PatternError."""
    reader = _Reader(pattern)
    found = reader.whole()
    if reader.at < len(pattern):
        raise reader.error("a closing parenthesis without an opening one")
    return found


@dataclass
class _Reader:
    text: str
    at: int = 0
    depth: int = 0

    def whole(self) -> Language:
        """The alternatives of the whole pattern, those that are anchored alike with one "any text" around all of them.

        Around each of them it would be there hundreds of times at once in the subset construction.
        """
        alike: dict[tuple[bool, bool], list[Language]] = {}
        self._anchored_row(alike)
        while self._skip("|"):
            self._anchored_row(alike)
        return alternation(*(_around(alternation(*rows), *ends) for ends, rows in alike.items()))

    def error(self, message: str, at: int | None = None) -> PatternError:
        return PatternError(message, self.at if at is None else at)

    def _anchored_row(self, alike: dict[tuple[bool, bool], list[Language]]) -> None:
        """One alternative, put to those that begin and end as it does."""
        begins = self._skip("^")
        row = self._row()
        ends = self._skip("$")
        if self._peek() not in ("", "|", ")"):
            raise self.error("an anchor that is not at the end")
        alike.setdefault((begins, ends), []).append(row)

    def _choice(self) -> Language:
        ways = [self._row()]
        while self._skip("|"):
            ways.append(self._row())
        return alternation(*ways)

    def _row(self) -> Language:
        parts: list[Language] = []
        while self._peek() not in ("", "|", ")", "$"):
            parts.append(self._repeated(self._atom()))
        return concat(*parts)

    def _repeated(self, atom: Language) -> Language:
        start = self.at
        found = self._match(r"[*+?]|\{(\d+)(,?)(\d*)\}")
        if found is None:
            if self._peek() == "{":
                raise self.error("a brace that opens no `{m}`, `{m,}` or `{m,n}`")
            return atom
        least, most = _bounds(found)
        if max(least, most or 0) > LONGEST_REPEAT:
            raise self.error(f"a repetition of more than {LONGEST_REPEAT:,}", start)
        if most is not None and most < least:
            raise self.error("a repetition that ends before it starts", start)
        self._skip("?")
        if self._peek() in ("*", "+", "?", "{"):
            raise self.error("a repetition of a repetition")
        return repetition(atom, least, most)

    def _atom(self) -> Language:
        sign = self._peek()
        if sign == "(":
            return self._group()
        if sign == "[":
            return class_(self._class())
        if sign == ".":
            self.at += 1
            return class_(SCALARS - _LINE_ENDS)
        if sign == "\\":
            return class_(self._escape())
        if sign == "^":
            raise self.error("an anchor that is not at the beginning of an alternative of the whole pattern")
        if sign in "*+?{}]":
            raise self.error("a sign that repeats nothing or closes nothing; put a backslash before it")
        self.at += 1
        return class_(IntervalSet.of(sign))

    def _group(self) -> Language:
        start = self.at
        if self._match(r"\(\?:|\(\?<[A-Za-z_$][A-Za-z0-9_$]*>|\((?!\?)") is None:
            raise self.error("lookaround, or a group of another kind")
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.error(f"more than {MAX_NESTING} groups inside one another")
        inner = self._choice()
        self.depth -= 1
        if self._peek() == "$":
            raise self.error("an anchor inside of a group")
        if not self._skip(")"):
            raise self.error("a group that is not closed", start)
        return inner

    # --- classes ------------------------------------------------------------------------------------------------------

    def _class(self) -> IntervalSet:
        start = self.at
        self.at += 1
        negated = self._skip("^")
        found = IntervalSet()
        while not self._skip("]"):
            if self._peek() == "":
                raise self.error("a class that is not closed", start)
            found |= self._range()
        if not found:
            raise self.error("an empty class, which engines read in several ways", start)
        return SCALARS - found if negated else found & SCALARS

    def _range(self) -> IntervalSet:
        start = self.at
        low = self._member()
        if not (self._peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", "")):
            return low
        self.at += 1
        high = self._member()
        if len(low) != 1 or len(high) != 1:
            raise self.error("a range between sets", start)
        if low.first() > high.first():
            raise self.error("a range that ends before it starts", start)
        return IntervalSet.of((low.first(), high.first()))

    def _member(self) -> IntervalSet:
        sign = self._peek()
        if sign == "\\":
            return IntervalSet.of("\b") if self._skip("\\b") else self._escape()
        if sign == "[":
            raise self.error("a bracket inside of a class; put a backslash before it")
        self.at += 1
        return IntervalSet.of(sign)

    def _escape(self) -> IntervalSet:
        start = self.at
        self.at += 1
        letter = self._peek()
        self.at += 1
        if letter.lower() in _SETS and letter:
            members = _SETS[letter.lower()]
            return SCALARS - members if letter.isupper() else members
        if letter in ("p", "P"):
            return self._property(start, letter == "P")
        if letter in _CONTROLS and not (letter == "0" and self._peek().isdigit()):
            return IntervalSet.of(_CONTROLS[letter])
        if letter in ("x", "u"):
            return IntervalSet.of(self._code_point(start, letter))
        if letter and letter.isascii() and not letter.isalnum() and letter != "_":
            return IntervalSet.of(letter)
        raise self.error(f"the escape `\\{letter}`", start)

    def _code_point(self, start: int, letter: str) -> int:
        r"""The number behind `\x` or `\u`; two halves of a surrogate pair are one character."""
        found = self._match(r"[0-9A-Fa-f]{2}" if letter == "x" else r"\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{4})")
        if found is None:
            raise self.error(f"`\\{letter}` without its hexadecimal digits", start)
        symbol = int(next(g for g in (*found.groups(), found[0]) if g), 16)
        if 0xD800 <= symbol < 0xDC00 and (low := self._match(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")):
            symbol = 0x10000 + ((symbol & 0x3FF) << 10) + (int(low[1], 16) & 0x3FF)
        if symbol not in SCALARS:
            raise self.error("a number that is no character", start)
        return symbol

    def _property(self, start: int, negated: bool) -> IntervalSet:
        found = self._match(r"\{(?:([A-Za-z_]+)=)?([A-Za-z0-9_]+)\}")
        if found is None:
            raise self.error("`\\p` without a property in braces", start)
        try:
            members = lookup(found[1], found[2])
        except UnknownProperty as error:
            raise self.error(str(error), start) from None
        return SCALARS - members if negated else members

    # --- the cursor ---------------------------------------------------------------------------------------------------

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self, word: str) -> bool:
        found = self.text.startswith(word, self.at)
        self.at += len(word) * found
        return found

    def _match(self, pattern: str) -> re.Match[str] | None:
        found = re.compile(pattern, re.ASCII).match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found


def _around(row: Language, begins: bool, ends: bool) -> Language:
    """With any text where there is no anchor."""
    return concat(*([] if begins else [ANY_TEXT]), row, *([] if ends else [ANY_TEXT]))


def _bounds(found: re.Match[str]) -> tuple[int, int | None]:
    if found[1] is None:
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[found[0]]
    least = _count(found[1])
    return least, (_count(found[3]) if found[3] else None) if found[2] else least


def _count(digits: str) -> int:
    """A number, or one too large to be allowed: nine digits tell as much, but for zeros in front."""
    return int(digits.lstrip("0")[:9] or "0")
