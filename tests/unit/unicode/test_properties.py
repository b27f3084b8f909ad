"""Properties by name, and the errors for names that are none."""

from __future__ import annotations

import subprocess
import sys

import pytest

from langc.compiler.unicode import properties
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union
from langc.compiler.unicode.properties import UnknownProperty, lookup


@pytest.mark.parametrize(
    ("name", "value", "count"),
    [
        ("Block", "Hangul_Syllables", 11_184),
        ("Emoji", "Yes", 1_447),
        (None, "White_Space", 25),
        (None, "Noncharacter_Code_Point", 66),
        (None, "Co", 6_400 + 2 * 65_534),
        (None, "ASCII", 128),
        (None, "Any", 0x110000 - 2_048),
        (None, "Regional_Indicator", 26),
        (None, "Emoji_Modifier", 5),
        (None, "Variation_Selector", 3 + 1 + 16 + 240),
        ("WB", "Regional_Indicator", 26),
        ("sc", "Katakana_Or_Hiragana", 0),
    ],
)
def test_known_sizes(name: str | None, value: str, count: int) -> None:
    """Sizes that the Unicode Standard states."""
    actual = len(lookup(name, value))

    assert count == actual


def test_the_scripts_of_the_ready_policy_are_complete() -> None:
    """Han, Hiragana and Katakana have 104,061 code points in Unicode 18.0; 々, 〇 and Extension J are among them."""
    members = union(map(properties.script, ("Han", "Hiragana", "Katakana")))

    assert len(members) == 104_061
    assert IntervalSet.of("々〇〡", (0x323B0, 0x33479), 0x1F200) <= members


def test_hangul_syllables() -> None:
    """All 11,172 syllables are Hangul."""
    syllables = IntervalSet.of((0xAC00, 0xD7A3))

    assert len(syllables) == 11_172
    assert syllables <= properties.script("Hangul")
    assert syllables & lookup(None, "Lo") == syllables


def test_what_1435_emoji_code_points_are() -> None:
    """The figure of the design is Emoji without ASCII: 0..9, # and * are Emoji too, as bases of keycaps."""
    emoji = lookup(None, "Emoji")

    assert IntervalSet.of("0123456789#*") == emoji & lookup(None, "ASCII")
    assert len(emoji - lookup(None, "ASCII")) == 1_435


@pytest.mark.parametrize(
    ("spellings", "sample"),
    [
        (["Script=Han", "script = han", "sc=Hani", "SC=HANI", "Han", "hani", "isHan", "Is_Han"], "中"),
        (["scx=Hira", "Script_Extensions=Hiragana", "scriptextensions=HIRAGANA"], "ー"),
        (["Lu", "gc=Lu", "General_Category=Uppercase_Letter", "uppercase letter", "IsLu", "gc=isLu"], "A"),
        (["Nd", "gc=Decimal_Number", "General_Category=digit", "Decimal Number"], "7"),
        (["LC", "Cased_Letter", "gc=LC"], "a"),
        (["Emoji", "Emoji=Yes", "emoji=t", "EMOJI=Y", "Emoji=True"], "😀"),
        (["Block=CJK Unified Ideographs", "blk=CJK", "Block=cjk_unified-ideographs", "InCJKUnifiedIdeographs"], "中"),
        (["blk=Latin-1 Supplement", "blk=Latin1", "InLatin_1_Sup", "block=IsLatin1"], "é"),
        (["sc=Qaai", "sc=Zinh", "Inherited"], "\u0301"),
        (["sc=Old_Hungarian", "sc=Hung", "oldhungarian"], "\U00010c80"),
        (["WB=ALetter", "Word_Break=LE"], "a"),
        (["White_Space", "WSpace", "space", "White_Space=yes"], " "),
    ],
)
def test_spellings_of_one_property(spellings: list[str], sample: str) -> None:
    """Case, blanks, `_` and `-`, a leading `is`, and the short names make no difference (UAX #44, LM3)."""
    pairs = [s.split("=") if "=" in s else [None, s] for s in spellings]

    first, *others = [lookup(*pair) for pair in pairs]

    assert ord(sample) in first
    assert [first] * len(others) == others


@pytest.mark.parametrize("group", ["L", "M", "N", "P", "S", "Z", "C"])
def test_a_group_is_the_union_of_its_categories(group: str) -> None:
    r"""`\p{L}` holds what the two-letter categories beginning with L hold; surrogates are in none."""
    parts = [v for v in properties._values("General_Category").values() if len(v) == 2 and v[0] == group]

    expected = union(lookup("gc", part) for part in parts if part not in ("LC", "Cs"))

    assert expected
    assert expected == lookup(None, group)


@pytest.mark.parametrize("value", ["No", "N", "False", "f"])
def test_binary_properties_can_be_negated_by_value(value: str) -> None:
    r"""`\p{Emoji=No}` is everything else."""
    assert lookup(None, "Emoji").complement() == lookup("Emoji", value)


def test_assigned_and_unassigned() -> None:
    """Assigned is the complement of Cn; noncharacters are not assigned, private use is."""
    assigned = lookup(None, "Assigned")

    assert lookup(None, "Cn").complement() == assigned
    assert 0xFFFF not in assigned
    assert 0xE000 in assigned


def test_blocks_and_the_rest() -> None:
    """No_Block is what no block holds."""
    assert 0x2FE0 in lookup("blk", "NB")
    assert 0x4E00 not in lookup("blk", "No_Block")
    assert lookup("blk", "NB") <= SCALARS


@pytest.mark.parametrize(
    ("name", "value", "code", "message", "suggestions"),
    [
        ("Scipt", "Han", "LC0210", "no Unicode property is called `Scipt`", ("Script",)),
        ("", "Han", "LC0210", "no Unicode property is called ``", ()),
        ("sc", "Cyrilic", "LC0211", "no script is called `Cyrilic`", ("Cyrillic",)),
        ("Script", "Korean", "LC0211", "no script is called `Korean`", ("Hangul",)),
        ("scx", "Hn", "LC0211", "no script is called `Hn`", ("Han",)),
        ("gc", "Letters", "LC0211", "`Letters` is no value of General_Category", ("L",)),
        ("Emoji", "Perhaps", "LC0211", "`Perhaps` is no value of Emoji", ("Yes", "No")),
        ("blk", "Hangul Sylables", "LC0211", "`Hangul Sylables` is no value of Block", ("Hangul Syllables",)),
        (None, "Hangull", "LC0211", "`Hangull` is no General_Category, no Script and no binary property", ("Hangul",)),
        (None, "Kanji", "LC0211", "`Kanji` is no General_Category, no Script and no binary property", ("Han",)),
        (
            None,
            "CJK Unified Ideographs",
            "LC0211",
            "`CJK Unified Ideographs` is no General_Category, no Script and no binary property",
            ("Block=CJK Unified Ideographs",),
        ),
        (
            None,
            "Cs",
            "LC0212",
            "`Cs` holds surrogates only, and they are no scalar values: no text can hold one",
            (),
        ),
        (
            "blk",
            "Low_Surrogates",
            "LC0212",
            "`Low_Surrogates` holds surrogates only, and they are no scalar values: no text can hold one",
            (),
        ),
        ("Age", "5.0", "LC0213", "the Unicode property `Age` is not supported", ()),
        ("bc", "R", "LC0213", "the Unicode property `Bidi_Class` is not supported", ()),
        (None, "Sentence_Break", "LC0213", "the Unicode property `Sentence_Break` is not supported", ()),
        (None, "Script", "LC0214", "`Script` needs a value, as in `Script=…`", ()),
    ],
)
def test_errors(name: str | None, value: str, code: str, message: str, suggestions: tuple[str, ...]) -> None:
    """Each kind of fault has its code, its message, and what may have been meant."""
    with pytest.raises(UnknownProperty) as caught:
        lookup(name, value)

    assert (code, message, suggestions) == (caught.value.code, str(caught.value), caught.value.suggestions)


def test_an_endless_name_gives_a_short_message() -> None:
    """A message never repeats more of the input than a line holds."""
    with pytest.raises(UnknownProperty) as caught:
        lookup(None, "x" * 100_000)

    assert len(str(caught.value)) < 150


@pytest.mark.parametrize(
    ("symbol", "name"), [(0x4E2D, "Han"), (0x1F200, "Hiragana"), (0x2C, "Common"), (0x378, "Unknown")]
)
def test_the_script_of_a_code_point(symbol: int, name: str) -> None:
    """`script_of` gives the long name."""
    assert name == properties.script_of(symbol)


def test_script_of_agrees_with_the_sets() -> None:
    """At both ends of every run of a script, its name is the one of the set."""
    ends = [(end, s) for s in properties.SCRIPTS for r in properties.script(s).ranges for end in r]

    wrong = [(end, s) for end, s in ends if properties.script_of(end) != s]

    assert len(ends) > 3_000
    assert wrong == []


@pytest.mark.parametrize("symbol", [0xD800, 0xDFFF, 0x110000, -1])
def test_what_is_no_scalar_value_has_no_script(symbol: int) -> None:
    """Surrogates and numbers beyond the code space are refused."""
    with pytest.raises(ValueError, match="no scalar value"):
        properties.script_of(symbol)


def test_a_look_up_imports_nothing_heavy() -> None:
    """The tables are langc's own: neither fontTools nor regex nor numpy is loaded for a script."""
    program = (
        "import sys; from langc.compiler.unicode import properties; properties.lookup('Script', 'Han');"
        "print([m for m in ('fontTools', 'regex', 'numpy', 'rich', 'torch') if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
