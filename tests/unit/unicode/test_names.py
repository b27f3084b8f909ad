"""Code points in words."""

from __future__ import annotations

import subprocess
import sys

import pytest
import regex

from langc.compiler.unicode.names import describe, show, show_text


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        (0x4E2D, "U+4E2D CJK UNIFIED IDEOGRAPH-4E2D"),
        (0x323B0, "U+323B0 CJK UNIFIED IDEOGRAPH-323B0"),
        (0xBDC1, "U+BDC1 HANGUL SYLLABLE BWELG"),
        (0x7, "U+0007 <control-0007>"),
        (0x378, "U+0378 <unassigned-0378>"),
        (0xE000, "U+E000 <private-use-E000>"),
        (0xFFFF, "U+FFFF <noncharacter-FFFF>"),
        (0xFDD0, "U+FDD0 <noncharacter-FDD0>"),
        (0x10FFFE, "U+10FFFE <noncharacter-10FFFE>"),
        (0xD800, "U+D800 <surrogate-D800>"),
        (0x200D, "U+200D ZERO WIDTH JOINER"),
    ],
)
def test_description(symbol: int, text: str) -> None:
    """The number with at least four digits, then the name, or the label of what has none."""
    assert text == describe(symbol)


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        (0x4E2D, "中 (U+4E2D CJK UNIFIED IDEOGRAPH-4E2D)"),
        (0x1F600, "😀 (U+1F600 GRINNING FACE)"),
        (0x30FC, "ー (U+30FC KATAKANA-HIRAGANA PROLONGED SOUND MARK)"),
        (0x41, "A (U+0041 LATIN CAPITAL LETTER A)"),
    ],
)
def test_what_can_be_seen_is_shown(symbol: int, text: str) -> None:
    """The glyph comes first."""
    assert text == show(symbol)


@pytest.mark.parametrize(
    "character",
    "\0\n\x1b \x7f\x85\xa0\xad\u0301\u034f\u0378\u05d0\u0627\u06dd\u1161\u115f\u200b\u200d\u200e\u202e\u2028\u2066"
    "\u2800\u3000\u3164\ud7b0\ue000\ufe0f\ufeff\uffa0\ufffe\ufff9\U00010a00\U000e0067\U000e0100\U0010ffff",
    ids=lambda c: f"U+{ord(c):04X}",
)
def test_what_would_mislead_is_not_shown(character: str) -> None:
    """White space, controls, marks, joining jamo, right-to-left letters and the unassigned are named only."""
    assert describe(ord(character)) == show(ord(character))


def test_nothing_dangerous_is_ever_shown() -> None:
    """Over all code points: a description is printable ASCII, and no glyph is invisible, joining or right-to-left."""
    unsafe = regex.compile(
        r"[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\p{Bidi_Class=R}\p{Bidi_Class=AL}\p{Bidi_Class=AN}"
        r"\p{Hangul_Syllable_Type=V}\p{Hangul_Syllable_Type=T}]"
    )
    symbols = [*range(0x3400), *range(0xA000, 0xAC80), *range(0xD780, 0x11000), *range(0x1D000, 0x20000, 3)]
    symbols += range(0xE0000, 0xE0200)

    loud = [s for s in symbols if not (describe(s).isascii() and describe(s).isprintable())]
    unsafely_shown = [s for s in symbols if show(s) != describe(s) and unsafe.match(chr(s))]

    assert loud == []
    assert unsafely_shown == []


def test_a_database_of_another_version_is_refused() -> None:
    """The interpreter's own table, say, is an error with the version in it, not another meaning."""
    program = (
        "from langc.compiler.errors import LangcError\n"
        "from langc.compiler.unicode import ucd\n"
        "for module in ('unicodedata', 'no_such_module'):\n"
        "    try: ucd.load(module)\n"
        "    except LangcError as error: print(error)\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()

    assert first.startswith("[LC0215] langc needs the character data of Unicode 18.0.0, but unicodedata has Unicode ")
    assert second == ("[LC0215] langc needs the character data of Unicode 18.0.0, but no_such_module is not installed")


def test_a_text_is_shown_by_its_first_characters() -> None:
    """What a message shows of a witness: glyph, code point and name, and how much is left out."""
    assert show_text("") == "the empty text"
    assert show_text("中") == "中 (U+4E2D CJK UNIFIED IDEOGRAPH-4E2D)"
    assert show_text("\u200b") == "U+200B ZERO WIDTH SPACE"
    assert show_text("a" * 9).endswith("a (U+0061 LATIN SMALL LETTER A) and 5 more")
