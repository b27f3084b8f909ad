"""The kinds of characters that reports count."""

from __future__ import annotations

from langc.compiler.tokens.characters.code_points import count, flags_of
from langc.compiler.tokens.characters.kinds import EMOJI, EMOJI_JOINERS, KOREAN_PUNCTUATION, assigned, by_script, kinds
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.unicode.properties import script_of
from langc.compiler.unicode.ucd import UCD


def test_emoji() -> None:
    """1,435 code points: Emoji=Yes but for the twelve of ASCII, which every vocabulary has."""
    assert len(EMOJI) == 1435
    assert EMOJI.isdisjoint(IntervalSet.of("#*0123456789"))
    assert IntervalSet.of("😀™㊙🈁") <= EMOJI


def test_what_joins_emoji_is_no_emoji() -> None:
    """The joiner, the keycap and the variation selector are counted apart."""
    assert EMOJI.isdisjoint(EMOJI_JOINERS)
    assert len(EMOJI_JOINERS) == 3


def test_korean_punctuation_is_that_of_the_standard() -> None:
    """Python's codec has KS X 1001 too: row 1 (A1), cells 1 to 29."""
    standard = bytes(byte for cell in range(1, 30) for byte in (0xA1, 0xA0 + cell)).decode("euc_kr")

    assert IntervalSet.of(standard) == KOREAN_PUNCTUATION


def test_assigned() -> None:
    """Neither unassigned nor private: the categories Cn, Co and Cs are out."""
    expected = [c for c in SCALARS if UCD.category(chr(c)) not in ("Cn", "Co")]

    assert assigned().nonzero()[0].tolist() == expected


def test_sizes_of_the_kinds() -> None:
    """Counted by the Unicode block charts."""
    assert {name: count(flags) for name, flags in kinds().items()} == {
        "hangul_syllables": 11172,
        "compatibility_jamo": 94,
        "korean_punctuation": 29,
        "emoji": 1435,
        "emoji_joiners": 3,
    }


def test_by_script() -> None:
    """Most first, then by name; scripts without a member are left out."""
    assert by_script(flags_of(IntervalSet.of("가나다中あいa"))) == {"Hangul": 3, "Hiragana": 2, "Han": 1, "Latin": 1}
    assert [script_of(ord(c)) for c in "가中あa"] == ["Hangul", "Han", "Hiragana", "Latin"]
