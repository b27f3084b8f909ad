"""Repertoires of encodings, against the codecs of the Python that runs the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from langc.compiler.unicode import encodings
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.unicode.properties import script
from langc.compiler.unicode.ranges import decode, encode

HAN = script("Han")


def by_codec(name: str, members: IntervalSet) -> IntervalSet:
    """Those of the code points that the codec encodes, each by itself."""
    return IntervalSet.of(*(c for c in members if chr(c).encode(name, "ignore")))


@pytest.mark.parametrize("name", encodings.NAMES)
def test_the_codec_agrees_in_the_first_plane(name: str) -> None:
    """On every scalar value up to U+FFFF, and on a sample of those beyond."""
    some = IntervalSet.of((0, 0xFFFF), (0x20000, 0x200FF), (0x2A600, 0x2A6DF), (0x1F100, 0x1F2FF)) & SCALARS

    assert by_codec(name, some) == encodings.encodable(name) & some


@pytest.mark.parametrize(
    ("character", "inside", "outside"),
    [
        ("发", ["gb2312", "gbk"], ["big5", "cp950", "cp932", "shift_jis_2004", "euc_jis_2004", "cp949"]),
        ("發", ["big5", "cp932", "gbk", "cp949"], ["gb2312"]),
        ("这", ["gb2312"], ["big5", "cp932", "euc_jp", "euc_jis_2004"]),
        ("東", ["cp932", "big5", "gbk"], ["gb2312"]),
        ("気", ["shift_jis", "gbk"], ["big5", "gb2312", "cp949"]),
        ("剝", ["shift_jis_2004", "big5"], ["shift_jis", "cp932", "gb2312"]),
        ("𠮟", ["shift_jis_2004"], ["shift_jis", "cp932", "euc_jp"]),
        ("뷁", ["cp949", "euc_kr"], ["big5", "shift_jis_2004"]),
        ("あ", ["big5", "gb2312", "cp949", "shift_jis"], []),
        ("é", ["shift_jis_2004", "gb2312"], ["shift_jis"]),
        ("😀", [], ["big5", "gbk", "shift_jis_2004", "cp949"]),
    ],
)
def test_well_known_characters(character: str, inside: list[str], outside: list[str]) -> None:
    """Simplified, traditional, Japanese and Korean characters are where the standards have them."""
    held = {name for name in (*inside, *outside) if ord(character) in encodings.encodable(name)}

    assert held == set(inside)


@pytest.mark.parametrize(
    ("name", "han"),
    [
        ("gb2312", 6_763 + 1),  # GB 2312-80 has 6,763; 〇 is among its symbols
        ("cp949", 4_888 - 268),  # KS X 1001 has 4,888, of which 268 are doubles that Unicode keeps apart
    ],
)
def test_how_many_characters_a_standard_has(name: str, han: int) -> None:
    """The number of Han characters that the standard itself states."""
    unified = HAN - IntervalSet.of((0xF900, 0xFAFF))

    assert han == len(encodings.encodable(name) & unified)


def test_names_are_compared_loosely() -> None:
    """Case, blanks, `_` and `-` do not count."""
    expected = encodings.encodable("shift_jis_2004")

    assert expected == encodings.encodable("Shift-JIS 2004") == encodings.encodable("SHIFTJIS2004")


@pytest.mark.parametrize(("name", "suggestions"), [("big-6", ("big5",)), ("gb2132", ("gb2312",)), ("utf-8", ())])
def test_unknown_names(name: str, suggestions: tuple[str, ...]) -> None:
    """Not every codec of Python is known, and a near name is suggested."""
    with pytest.raises(encodings.UnknownEncoding) as caught:
        encodings.encodable(name)

    assert (caught.value.name, caught.value.suggestions) == (name, suggestions)
    assert str(caught.value) == f"no encoding is called `{name}`"


def test_the_documentation_lists_the_encodings() -> None:
    """docs/unicode.md names exactly those that there are."""
    text = (Path(__file__).resolve().parents[3] / "docs" / "unicode.md").read_text(encoding="utf-8")
    rows = text.split("## Encodings")[1].split("\n## ")[0].splitlines()

    named = sorted(word.strip("` ") for row in rows if row.startswith("| `") for word in row.split("|")[1].split())

    assert named == sorted(encodings.NAMES)


def test_ranges_are_read_as_they_are_written() -> None:
    """`decode` inverts `encode`; the empty set is the empty text."""
    members = IntervalSet.of("AZ", (0x61, 0x7A), 0x10FFFF)

    assert encode(members) == "41 5A 61-7A 10FFFF"
    assert decode(encode(members)) == members
    assert decode(encode(IntervalSet())) == IntervalSet()
