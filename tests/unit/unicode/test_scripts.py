"""Where the characters that scripts share fall: the table of defaults, and the two `only script` rules."""

from __future__ import annotations

import pytest

from langc.compiler.unicode.intervals import IntervalSet, union
from langc.compiler.unicode.properties import UnknownProperty, lookup, script, script_extensions, script_of
from langc.compiler.unicode.scripts import only_script

EAST_ASIAN = ("Hangul", "Han", "Hiragana", "Katakana")

DEFAULTS = [
    # character, Script, which of Hangul, Han, Hiragana and Katakana its Script_Extensions list
    ("々", "Han", {"Han"}),
    ("〇", "Han", {"Han"}),
    ("〡", "Han", {"Han"}),
    ("ー", "Common", {"Hiragana", "Katakana"}),
    ("。", "Common", {"Hangul", "Han", "Hiragana", "Katakana"}),
    ("・", "Common", {"Hangul", "Han", "Hiragana", "Katakana"}),
    ("「", "Common", {"Hangul", "Han", "Hiragana", "Katakana"}),
    ("㈱", "Common", {"Han"}),
    ("㊗", "Common", {"Han"}),
    ("🉐", "Common", {"Han"}),
    ("〰", "Common", {"Hangul", "Han", "Hiragana", "Katakana"}),
    ("㌀", "Katakana", {"Katakana"}),
    ("ﾊ", "Katakana", {"Katakana"}),
    ("ｰ", "Common", {"Hiragana", "Katakana"}),
    ("🈀", "Hiragana", {"Hiragana"}),
    ("🈁", "Common", set()),
    ("·", "Common", {"Han"}),
    ("\u0301", "Inherited", set()),
    ("\u3099", "Inherited", {"Hiragana", "Katakana"}),
    ("\u200d", "Inherited", set()),
    ("\ufe0f", "Inherited", set()),
    ("7", "Common", set()),
    ("７", "Common", set()),
    ("Ａ", "Latin", set()),
    ("①", "Common", set()),
    ("㉠", "Hangul", {"Hangul"}),
    ("ㄱ", "Hangul", {"Hangul"}),
    ("😀", "Common", set()),
    ("✅", "Common", set()),
    ("㎡", "Common", set()),
    (",", "Common", set()),
]


@pytest.mark.parametrize(("character", "sc", "scx"), DEFAULTS, ids=[f"U+{ord(row[0]):04X}" for row in DEFAULTS])
def test_where_shared_characters_fall(character: str, sc: str, scx: set[str]) -> None:
    """`deny script X` goes by the first column, `only script X` also by the second."""
    actual = {name for name in EAST_ASIAN if ord(character) in script_extensions(name)}

    assert (sc, scx) == (script_of(ord(character)), actual)


def test_a_deny_list_of_scripts_leaves_what_korean_needs() -> None:
    """By Script alone, none of the punctuation that Hangul shares with Han and Kana is denied; by scx it would be."""
    shared = IntervalSet.of("·、。「」㊗㊙〰🉐ー")
    others = ("Han", "Hiragana", "Katakana")

    assert shared.isdisjoint(union(map(script, others)))
    assert shared <= union(map(script_extensions, others))


def test_only_script() -> None:
    """Permitted is what lists the script, and what is Common or Inherited."""
    members = only_script(["Hangul"])

    assert IntervalSet.of("뷁ㄱ。·,7😀\u0301\u200d\ufe0fーﾞ①㎡") <= members
    assert members.isdisjoint(IntervalSet.of("aЖ中あカﾊ々〇🈀ا"))


def test_only_script_strictly() -> None:
    """Permitted is what lists the script itself: 。 does, a comma, a digit and an emoji do not."""
    members = only_script(["Hang"], strictly=True)

    assert IntervalSet.of("뷁ㄱ。・「」〰") <= members
    assert members.isdisjoint(IntervalSet.of("·,7😀\u0301\u200d\ufe0fー①㎡a中あカ"))
    assert members == script_extensions("Hangul")


def test_several_scripts_unite() -> None:
    """A character needs one of the scripts only."""
    both = only_script(["Hangul", "Latin"], strictly=True)

    assert only_script(["Hangul"], strictly=True) | only_script(["Latin"], strictly=True) == both
    assert 0x301 in both
    assert 0x301 not in only_script(["Hangul"], strictly=True)


@pytest.mark.parametrize("strictly", [False, True])
def test_what_no_script_has_is_not_permitted(strictly: bool) -> None:
    """Unassigned and private-use code points are Unknown: lists of scripts never permit them."""
    members = only_script(["Hangul", "Latin", "Han"], strictly)

    assert members.isdisjoint(lookup(None, "Cn") | lookup(None, "Co"))


def test_an_unknown_script_is_named() -> None:
    """The error says which of the names is at fault."""
    with pytest.raises(UnknownProperty) as caught:
        only_script(["Hangul", "Latn", "Hangulian"])

    assert (caught.value.name, caught.value.suggestions) == ("Hangulian", ("Hangul",))
