"""What may be shown as itself, and how wide it is."""

from __future__ import annotations

import pytest

from langc.compiler.unicode import glyphs, properties
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.unicode.ucd import UCD

ASSIGNED_INK = [s for s in range(0x110000) if UCD.category(chr(s))[0] in "LNPS"]


def test_ignorable_characters_are_never_plain() -> None:
    """No Default_Ignorable_Code_Point is shown as itself, alone or on a letter."""
    ignorable = properties.lookup(None, "Default_Ignorable_Code_Point")

    assert len(ignorable) > 4000
    assert [s for s in ignorable if glyphs.is_plain(s) or glyphs.joins(s)] == []


def test_only_the_listed_characters_of_an_inked_category_are_not_plain() -> None:
    """Letters, numbers, punctuation and symbols are plain but for the lists at the top of the module."""
    assert len(ASSIGNED_INK) > 150_000
    hidden = IntervalSet.of(*(s for s in ASSIGNED_INK if not glyphs.is_plain(s)))

    assert hidden == glyphs.BLANK_LETTERS | (glyphs.JOINING_JAMO & IntervalSet.of(*ASSIGNED_INK))


def test_joining_jamo_are_those_that_follow_in_a_syllable() -> None:
    """They are the jamo of Hangul_Syllable_Type V and T, which normalisation joins to a syllable, and the old ones."""
    modern = [s for s in range(0x1161, 0x1176) if len(UCD.normalize("NFC", f"\u1100{chr(s)}")) == 1]
    finals = [s for s in range(0x11A8, 0x11C3) if len(UCD.normalize("NFC", f"\uac00{chr(s)}")) == 1]
    named = [
        s for s in range(0x1100, 0xD800) if UCD.name(chr(s), "").startswith(("HANGUL JUNGSEONG", "HANGUL JONGSEONG"))
    ]

    assert len(modern) == 21
    assert len(finals) == 27
    assert IntervalSet.of(*named) - IntervalSet.of(0x1160) == glyphs.JOINING_JAMO
    assert IntervalSet.of(*modern, *finals) <= glyphs.JOINING_JAMO


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("漢字", 4), ("확", 2), ("e\u0301", 1), ("ﾊ", 1), ("Ａ", 2), ("😀", 2), ("", 0)]
)
def test_width(text: str, columns: int) -> None:
    """Wide and full-width characters take two columns, marks none."""
    assert glyphs.width(text) == columns
