"""Ranges of scalar values as sequences of byte ranges in UTF-8.

One range is easy when both ends have the same lead bytes: U+0041..U+005A is [41-5A], and Hangul's
U+AC00..U+AC3F is [EA][B0][80-BF]. Pairing the bytes of the two ends is wrong as soon as a byte differs
before one that is not at its limit. U+00E0..U+0145 goes from C3 A0 to C5 85; the pair [C3-C5][A0-85] is
empty in its second byte, and the wider [C3-C5][80-BF] takes in U+00C0. The range has to be cut where a carry
runs through the continuation bytes, as one cuts 17..42 into 17..19, 20..39 and 40..42 to write it in digits:

    U+00E0..U+00FF   C3     A0-BF
    U+0100..U+013F   C4     80-BF
    U+0140..U+0145   C5     80-85

A continuation byte holds six bits, so the cuts lie at multiples of 64, of 64² and of 64³. Two more kinds of cut come
first: where the length of the encoding changes (after U+007F, U+07FF and U+FFFF), and around the surrogates, which
have no encoding. All scalar values together make nine sequences, those of table 3-7 of the Unicode Standard:

    U+0000..U+007F       00-7F
    U+0080..U+07FF       C2-DF  80-BF
    U+0800..U+0FFF       E0     A0-BF  80-BF
    U+1000..U+CFFF       E1-EC  80-BF  80-BF
    U+D000..U+D7FF       ED     80-9F  80-BF
    U+E000..U+FFFF       EE-EF  80-BF  80-BF
    U+10000..U+3FFFF     F0     90-BF  80-BF  80-BF
    U+40000..U+FFFFF     F1-F3  80-BF  80-BF  80-BF
    U+100000..U+10FFFF   F4     80-8F  80-BF  80-BF

So overlong forms (C0, C1, E0 80..9F, F0 80..8F), surrogates (ED A0..BF) and what lies past U+10FFFF (F4 90..FF) are
never matched, and nothing has to be done to refuse them.

The cutting goes back to Ken Thompson's grep; Russ Cox describes it for RE2 in "Regular Expression Matching in the Wild"
(2010), and the `utf8` module of Rust's regex-syntax has it as an iterator. RFC 3629 defines the encoding.
"""

from __future__ import annotations

from collections.abc import Iterator

from langc.compiler.unicode.intervals import SCALARS, IntervalSet, Range

ByteRanges = tuple[Range, ...]
"""One to four byte ranges; it matches what has a byte of each, in order."""

_LAST_OF_LENGTH = (0x7F, 0x7FF, 0xFFFF)
"""The last code points that take one, two and three bytes."""
_CARRIES = (0x3F, 0xFFF, 0x3FFFF)
"""The bits of the last one, two and three continuation bytes."""


def sequences(members: IntervalSet) -> Iterator[ByteRanges]:
    """The byte sequences of a set of code points, in lexicographic order.

    The encoding of every scalar value in `members` matches exactly one sequence, nothing else matches any, and no two
    sequences overlap. Surrogates in `members` are left out.
    """
    work = list(reversed((members & SCALARS).ranges))
    while work:
        low, high = work.pop()
        last = _cut(low, high)
        if last is None:
            yield tuple(zip(chr(low).encode(), chr(high).encode(), strict=True))
        else:
            work += [(last + 1, high), (low, last)]


def _cut(low: int, high: int) -> int | None:
    """The last code point of the first part, or None if the range is one sequence."""
    for last in _LAST_OF_LENGTH:
        if low <= last < high:
            return last
    if high <= _LAST_OF_LENGTH[0]:
        return None
    for carry in _CARRIES:
        if low | carry == high | carry:
            return None  # all earlier bytes are equal
        if low & carry:
            return low | carry
        if high & carry != carry:
            return (high | carry) - carry - 1
    return None
