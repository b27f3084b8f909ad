"""The ready policies: their own examples, their stated defaults, and what each must and must not permit.

The referee is the regex package with a pattern for a denied character, written here a second time. It shares no code
with the compiler; its scripts are data of its own, its Emoji the compiler's table was made from.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import regex

import langc
from langc.compiler.policy import Policy
from langc.compiler.syntax.parse import parse
from langc.compiler.syntax.print import format_file
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

FOLDER = Path(__file__).resolve().parents[2] / "grammars"
SHARED = r"\p{scx=Zyyy}\p{scx=Zinh}\p{Emoji}"
DENIED = {
    "ko": r"[\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}]",
    "ko-strict": rf"[^\p{{scx=Hang}}\p{{scx=Latn}}{SHARED}]",
    "en": rf"[^\p{{scx=Latn}}{SHARED}]",
    "ru": rf"[^\p{{scx=Cyrl}}\p{{scx=Latn}}{SHARED}]",
}
LISTS = [name for name in DENIED if name != "ko"]
EVERY = "".join(map(chr, SCALARS))

DEFAULTS = [
    # what, ko, ko-strict, en, ru
    ("々", "no", "no", "no", "no"),
    ("〇", "no", "no", "no", "no"),
    ("〡", "no", "no", "no", "no"),
    ("ー", "yes", "no", "no", "no"),
    ("。", "yes", "yes", "no", "no"),
    ("・", "yes", "yes", "no", "no"),
    ("「", "yes", "yes", "no", "no"),
    ("㈱", "yes", "no", "no", "no"),
    ("㈜", "yes", "yes", "no", "no"),
    ("㌀", "no", "no", "no", "no"),
    ("ﾊ", "no", "no", "no", "no"),
    ("ﾞ", "yes", "no", "no", "no"),
    ("🈀", "no", "no", "no", "no"),
    ("🈁", "yes", "yes", "yes", "yes"),
    ("㊗", "yes", "yes", "yes", "yes"),
    ("·", "yes", "yes", "yes", "yes"),
    ("e\u0301", "yes", "yes", "yes", "yes"),
    ("\u064b", "yes", "no", "no", "no"),
    ("👨\u200d👩\u200d👧", "yes", "yes", "yes", "yes"),
    ("❤\ufe0f 👍🏽 🇰🇷 🏴\U000e0067\U000e007f", "yes", "yes", "yes", "yes"),
    ("7", "yes", "yes", "yes", "yes"),
    ("７", "yes", "yes", "yes", "yes"),
    ("①", "yes", "yes", "yes", "yes"),
    ("७", "yes", "no", "no", "no"),
    ("Ａ！", "yes", "yes", "yes", "yes"),
    ("뷁ㄱㅋ", "yes", "yes", "no", "no"),
    ("Ж", "yes", "no", "no", "yes"),
    ("π", "yes", "no", "no", "no"),
    ("µ℃㎡∑≤", "yes", "yes", "yes", "yes"),
    ("ﷲ", "yes", "no", "no", "no"),
    ("ไ", "yes", "no", "no", "no"),
    ("\ue000", "yes", "no", "no", "no"),
    ("\u0378", "yes", "no", "no", "no"),
    ("\n\t ", "yes", "yes", "yes", "yes"),
]


@pytest.fixture(scope="module")
def policies() -> dict[str, Policy]:
    """Every policy file of the folder, by name."""
    found = {path.stem: langc.load_policy(path) for path in sorted(FOLDER.glob("*.policy"))}

    assert set(DENIED) <= set(found)
    return found


def permitted(policy: Policy) -> IntervalSet:
    """The code points that may be a text of their own."""
    dfa = policy.dfa
    return IntervalSet(tuple(r for label, to in dfa.edges(dfa.start) if to in dfa.accepting for r in label.ranges))


def denied_by_referee(name: str) -> IntervalSet:
    """The code points that the referee's pattern finds."""
    return IntervalSet(tuple((ord(m), ord(m)) for m in regex.findall(DENIED[name], EVERY)))


@pytest.mark.parametrize("name", DENIED)
def test_a_bare_name_is_the_file_of_that_name(name: str, policies: dict[str, Policy]) -> None:
    """`ko` loads `grammars/ko.policy`, and the policy in it has the name of its file."""
    assert name == policies[name].name
    assert policies[name].hash == langc.load_policy(name).hash


@pytest.mark.parametrize("name", DENIED)
def test_the_examples_hold(name: str, policies: dict[str, Policy]) -> None:
    """Each `accept` and `reject` line says what the policy says, and what the referee says, at the same place."""
    examples = policies[name].ir.examples

    stated = [(e.text, None if e.accept else e.at) for e in examples]
    actual = [(e.text, policies[name].first_violation(e.text)) for e in examples]
    referee = [(e.text, m.start() if (m := regex.search(DENIED[name], e.text)) else None) for e in examples]

    assert sum(e.accept for e in examples) >= 12
    assert sum(not e.accept and e.at is not None for e in examples) >= 12
    assert stated == actual
    assert stated == referee


@pytest.mark.parametrize("name", DENIED)
def test_the_denied_code_points_are_those_of_the_referee(name: str, policies: dict[str, Policy]) -> None:
    """Over all 1,112,064 scalar values."""
    assert denied_by_referee(name) == permitted(policies[name]).complement()


def test_ko_denies_exactly_han_and_kana(policies: dict[str, Policy]) -> None:
    """104,061 code points; among them are 々 〇 and Extension J, which older lists miss."""
    denied = permitted(policies["ko"]).complement()

    assert len(denied) == 104_061
    assert IntervalSet.of("々〇〡", (0x323B0, 0x33479)) <= denied


@pytest.mark.parametrize("name", DENIED)
def test_no_emoji_is_lost(name: str, policies: dict[str, Policy]) -> None:
    """All 1,435 emoji code points beyond ASCII pass, and the twelve keycap bases."""
    emoji = regex.findall(r"\p{Emoji}", EVERY)

    refused = [e for e in emoji if ord(e) not in permitted(policies[name])]

    assert len(emoji) == 1_435 + 12
    assert refused == []


@pytest.mark.parametrize("name", ["ko", "ko-strict"])
def test_no_hangul_is_lost(name: str, policies: dict[str, Policy]) -> None:
    """All 11,172 syllables, and every other code point of script Hangul."""
    hangul = regex.findall(r"\p{sc=Hang}", EVERY)

    refused = [h for h in hangul if ord(h) not in permitted(policies[name])]

    assert len(hangul) > 11_172
    assert refused == []


@pytest.mark.parametrize("name", LISTS)
def test_allow_lists_permit_nothing_that_no_script_has(name: str, policies: dict[str, Policy]) -> None:
    """Unassigned and private-use code points are refused."""
    open_ = permitted(policies[name])

    assert [c for c in regex.findall(r"[\p{Cn}\p{Co}]", EVERY) if ord(c) in open_] == []


@pytest.mark.parametrize(("text", "ko", "ko_strict", "en", "ru"), DEFAULTS, ids=[ascii(row[0]) for row in DEFAULTS])
def test_the_stated_defaults(text: str, ko: str, ko_strict: str, en: str, ru: str, policies: dict[str, Policy]) -> None:
    """Where the characters fall that scripts share, or that look like another script's."""
    expected = {"ko": ko, "ko-strict": ko_strict, "en": en, "ru": ru}

    assert expected == {name: "yes" if policies[name].accepts(text) else "no" for name in expected}


@pytest.mark.parametrize("name", DENIED)
def test_the_file_is_in_canonical_form(name: str) -> None:
    """`langc fmt` would leave it as it is."""
    text = (FOLDER / f"{name}.policy").read_text(encoding="utf-8")

    assert text == format_file(parse(text, name))
