"""Properties of strings, against what the character properties say about their members."""

from __future__ import annotations

import pytest
import regex

from langc.compiler.unicode import properties, strings

EVERY = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


def test_basic_emoji_are_those_of_the_definition() -> None:
    """UTS #51, definition 20: shown as emoji by themselves, or by U+FE0F; no regional indicators."""
    alone = regex.findall(r"[\p{Emoji_Presentation}--\p{RI}]", EVERY, regex.V1)
    selected = regex.findall(r"[\p{Emoji}--\p{Emoji_Presentation}--\p{Emoji_Component}]", EVERY, regex.V1)

    assert sorted([*alone, *(c + "\ufe0f" for c in selected)]) == sorted(strings.members("Basic_Emoji"))


def test_how_many_there_are() -> None:
    """The number in emoji-test.txt of Emoji 18.0: 3,953 of Emoji 17.0 and 19 new ones. None is in two parts."""
    everything = strings.members("RGI_Emoji")

    assert len(everything) == 3_953 + 19
    assert len(set(everything)) == len(everything)


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("Emoji_Keycap_Sequence", r"[0-9#*]\ufe0f\u20e3"),
        ("RGI_Emoji_Flag_Sequence", r"\p{RI}{2}"),
        ("RGI_Emoji_Modifier_Sequence", r"\p{Emoji_Modifier_Base}\p{Emoji_Modifier}"),
        ("RGI_Emoji_Tag_Sequence", r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]+\U000e007f"),
        ("RGI_Emoji_ZWJ_Sequence", r"\p{Emoji}\p{EMod}?\ufe0f?(\u200d\p{Emoji}\p{EMod}?\ufe0f?)+"),
    ],
)
def test_sequences_have_the_form_of_their_kind(name: str, pattern: str) -> None:
    """The grammar of each kind in UTS #51, section 1.4."""
    members = strings.members(name)

    assert len(members) >= 3
    assert [text for text in members if not regex.fullmatch(pattern, text)] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Basic_Emoji", "😀"),
        ("Basic_Emoji", "❤\ufe0f"),
        ("Emoji_Keycap_Sequence", "#\ufe0f\u20e3"),
        ("RGI_Emoji_Flag_Sequence", "🇰🇷"),
        ("RGI_Emoji_Modifier_Sequence", "👍🏽"),
        ("RGI_Emoji_Tag_Sequence", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"),
        ("RGI_Emoji_ZWJ_Sequence", "👨\u200d👩\u200d👧\u200d👦"),
    ],
)
def test_examples(name: str, text: str) -> None:
    """One well-known member of each; it is a member of the whole, too."""
    assert text in strings.members(name)
    assert text in strings.members(strings.ALL)


def test_every_modifier_base_has_five_tones() -> None:
    """All combinations of base and tone are recommended, but for the family, which has none."""
    bases, tones = (properties.lookup(None, n) for n in ("Emoji_Modifier_Base", "Emoji_Modifier"))

    assert len(tones) == 5
    assert {chr(b) + chr(t) for b in bases for t in tones if b != ord("👪")} == set(
        strings.members("RGI_Emoji_Modifier_Sequence")
    )


@pytest.mark.parametrize(
    ("written", "found"),
    [("RGI_Emoji", "RGI_Emoji"), ("rgi emoji", "RGI_Emoji"), ("Basic-Emoji", "Basic_Emoji"), ("Emoji", None)],
)
def test_names_are_compared_loosely(written: str, found: str | None) -> None:
    """As the names of other properties are; `Emoji` is a property of characters."""
    assert found == strings.find(written)


@pytest.mark.parametrize(("name", "value"), [(None, "rgi emoji"), ("RGI_Emoji", "Yes"), (None, "Basic_Emoji")])
def test_they_are_no_sets_of_characters(name: str | None, value: str) -> None:
    """Looked up as a set, such a property is an error of its own."""
    with pytest.raises(properties.UnknownProperty) as caught:
        properties.lookup(name, value)

    assert caught.value.code == "LC0216"
    assert "property of strings" in str(caught.value)
