"""The ready policies: their own examples, their stated defaults, and what each must and must not permit.

`ready.py` defines each of them a second time; here the files are held to it, automaton by automaton.
"""

from __future__ import annotations

import pytest
import regex

import langc
from langc.compiler.automata.build import build_dfa
from langc.compiler.policy import Policy
from langc.compiler.syntax.parse import parse
from langc.compiler.syntax.print import format_file
from langc.compiler.unicode.intervals import IntervalSet
from tests.conformance import ready
from tests.oracle.scope import first_violation

pytestmark = pytest.mark.slow

NAMES = sorted(ready.DENIED)
SURFACES = {"ffmpeg", "git", "sql"}
"""Their files hold no policies."""
ALLOW_LISTS = [n for n in NAMES if n.endswith("-strict") or n in ("el", "en", "latin", "ru", "uk")]

ALL = set(NAMES)
OPEN = {"no-invisible"}
JA, KO, AR, HI, TH, HE = ({n, f"{n}-strict"} for n in ("ja", "ko", "ar", "hi", "th", "he"))
FA = {"fa", "fa-strict"}
HANS, HANT = {"zh-Hans", "zh-Hans-strict"}, {"zh-Hant", "zh-Hant-strict"}
ZH = HANS | HANT
EAST = {"ja", "ko", "zh-Hans", "zh-Hant"}
"""The deny lists that name only scripts of East Asia."""
SOUTH = {"ar", "fa", "he", "hi", "th", "vi"}
"""The deny lists that name scripts of both."""

DEFAULTS = [
    ("々", JA | ZH | OPEN),
    ("〇", JA | ZH | OPEN),
    ("〡", HANT | OPEN),
    ("国", JA | HANS | OPEN),
    ("發", JA | HANT | OPEN),
    ("发", HANS | OPEN),
    ("気", JA | OPEN),
    ("𲎰", {"zh-Hans", "zh-Hant"} | OPEN),
    ("ㄅ", {"ko"} | ZH | OPEN),
    ("ー", EAST | SOUTH | {"ja-strict", "latin"} | OPEN),
    ("。", EAST | SOUTH | JA | KO | ZH | {"latin"} | OPEN),
    ("・", EAST | SOUTH | JA | KO | ZH | {"latin"} | OPEN),
    ("「", EAST | SOUTH | JA | KO | ZH | {"latin"} | OPEN),
    ("㈱", EAST | SOUTH | JA | ZH | {"latin"} | OPEN),
    ("㈜", KO | OPEN),
    ("㌀", JA | OPEN),
    ("ﾊ", JA | OPEN),
    ("ﾞ", EAST | SOUTH | JA | {"latin"} | OPEN),
    ("🈀", JA | OPEN),
    ("🈁", ALL),
    ("㊗", ALL),
    ("·", ALL),
    ("e\u0301", ALL),
    ("\u064b", EAST | SOUTH | AR | FA | {"latin"} | OPEN),
    ("👨\u200d👩\u200d👧", ALL),
    ("❤\ufe0f 👍🏽 🇰🇷", ALL),
    ("🏴\U000e0067\U000e007f", ALL - OPEN),
    ("a\u200cb", ALL - FA - HI - OPEN),
    ("a\u200db", ALL - HI - OPEN),
    ("\u200b", ALL - OPEN),
    ("\u202e", ALL - OPEN),
    ("7", ALL),
    ("７", ALL),
    ("①", ALL),
    ("७", EAST | HI | OPEN),
    ("٣", EAST | AR | FA | OPEN),
    ("Ａ", ALL - {"vi-strict"}),
    ("！", ALL),
    ("ß", ALL - {"vi-strict"}),
    ("뷁ㄱㅋ", KO | OPEN),
    ("Ж", EAST | {"ru", "uk"} | OPEN),
    ("ы", EAST | {"ru"} | OPEN),
    ("π", EAST | SOUTH | {"el"} | OPEN),
    ("μΩ", ALL),
    ("µ℃㎡∑≤", ALL),
    ("ﷲ", EAST | AR | FA | OPEN),
    ("א", EAST | HE | OPEN),
    ("ไ", EAST | TH | OPEN),
    ("ক", EAST | SOUTH - {"hi"} | OPEN),
    ("\ue000", EAST | SOUTH | OPEN),
    ("\u0378", EAST | SOUTH | OPEN),
    ("\n\t ", ALL),
    ("\x1b", ALL - OPEN),
]
"""A text and the policies that permit it."""


@pytest.fixture(scope="module")
def policies() -> dict[str, Policy]:
    """Every policy file of the folder, by name."""
    files = [path for path in sorted(ready.FOLDER.glob("*.policy")) if path.stem not in SURFACES]
    found = {path.stem: langc.load_policy(path) for path in files}

    assert set(found) == set(NAMES)
    return found


def permitted(policy: Policy) -> IntervalSet:
    """The code points that may be a text of their own."""
    dfa = policy.dfa
    return IntervalSet(tuple(r for label, to in dfa.edges(dfa.start) if to in dfa.accepting for r in label.ranges))


def violation(name: str, text: str) -> int | None:
    """What the referee says of a text; only the terms that can begin in it are tried."""
    whole = ready.language(name)
    cover = type(whole)(whole.base, tuple(t for t in whole.terms if t[0] in text), whole.patterns)
    return first_violation(cover, text)


@pytest.mark.parametrize("name", NAMES)
def test_a_bare_name_is_the_file_of_that_name(name: str, policies: dict[str, Policy]) -> None:
    """`ko` loads `grammars/ko.policy`, and the policy in it has the name of its file."""
    assert name == policies[name].name
    assert policies[name].hash == langc.load_policy(name).hash


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_hold(name: str, policies: dict[str, Policy]) -> None:
    """Each `accept` and `reject` line says what the policy says, and what the referee says, at the same place."""
    examples = policies[name].ir.examples

    stated = [(e.text, None if e.accept else e.at) for e in examples]
    actual = [(e.text, policies[name].first_violation(e.text)) for e in examples]
    referee = [(e.text, violation(name, e.text)) for e in examples]

    assert sum(e.accept for e in examples) >= 12
    assert sum(not e.accept and e.at is not None for e in examples) >= 12
    assert stated == actual
    assert stated == referee


@pytest.mark.parametrize("name", NAMES)
def test_the_language_is_that_of_the_referee(name: str, policies: dict[str, Policy]) -> None:
    """The two automata are equal: the policy permits these texts and no others."""
    assert build_dfa(ready.language(name)) == policies[name].dfa


def test_ko_denies_exactly_han_and_kana(policies: dict[str, Policy]) -> None:
    """104,061 code points; among them are 々 〇 and Extension J, which older lists miss."""
    denied = permitted(policies["ko"]).complement()

    assert len(denied) == 104_061
    assert IntervalSet.of("々〇〡", (0x323B0, 0x33479)) <= denied


@pytest.mark.parametrize(
    ("name", "kept", "left"),
    [
        ("ja", 10_138, None),
        ("ja-strict", 10_138, None),
        ("zh-Hans", None, 10_861),
        ("zh-Hans-strict", 6_763 + len("々〇"), None),
        ("zh-Hant", None, 4_541),
        ("zh-Hant-strict", 13_080 + len("〇着敍温衞"), None),
    ],
)
def test_the_figures_in_the_comments(
    name: str, kept: int | None, left: int | None, policies: dict[str, Policy]
) -> None:
    """How many Han characters stay in, or fall to, the policies that go by repertoire."""
    han, text = ready.found(r"\p{sc=Hani}"), (ready.FOLDER / f"{name}.policy").read_text(encoding="utf-8")
    open_ = permitted(policies[name])

    if kept is not None:
        assert kept == len(han & open_)
    if left is not None:
        assert left == len(han - open_)
        assert f"{left:,}" in text


def test_how_much_of_simplified_chinese_ja_catches(policies: dict[str, Policy]) -> None:
    """As its comment says: 2,106 of the 2,380 characters that GB 2312 has and Big5 lacks."""
    han = [chr(c) for c in ready.found(r"\p{sc=Hani}")]
    simplified = [c for c in han if ready.has("gb2312", c) and not ready.has("big5", c)]
    open_ = permitted(policies["ja"])

    assert len(simplified) == 2_380
    assert sum(ord(c) not in open_ for c in simplified) == 2_106


@pytest.mark.parametrize("name", NAMES)
def test_no_emoji_is_lost(name: str, policies: dict[str, Policy]) -> None:
    """All 1,435 emoji code points beyond ASCII pass, the keycap bases, and all 3,972 recommended sequences whole."""
    emoji = regex.findall(r"\p{Emoji}", ready.EVERY)

    refused = [e for e in (*emoji, *ready.rgi_emoji()) if not policies[name].accepts(e)]

    assert len(emoji) == 1_435 + 12
    assert len(ready.rgi_emoji()) == 3_972
    assert refused == []


@pytest.mark.parametrize("name", sorted(KO))
def test_no_hangul_is_lost(name: str, policies: dict[str, Policy]) -> None:
    """All 11,172 syllables, and every other code point of script Hangul."""
    hangul = regex.findall(r"\p{sc=Hang}", ready.EVERY)

    refused = [h for h in hangul if ord(h) not in permitted(policies[name])]

    assert len(hangul) > 11_172
    assert refused == []


@pytest.mark.parametrize("name", ALLOW_LISTS)
def test_allow_lists_permit_nothing_that_no_script_has(name: str, policies: dict[str, Policy]) -> None:
    """Unassigned and private-use code points are refused."""
    open_ = permitted(policies[name])

    assert [c for c in regex.findall(r"[\p{Cn}\p{Co}]", ready.EVERY) if ord(c) in open_] == []


@pytest.mark.parametrize(("text", "expected"), DEFAULTS, ids=[ascii(text) for text, _ in DEFAULTS])
def test_the_stated_defaults(text: str, expected: set[str], policies: dict[str, Policy]) -> None:
    """Where the characters fall that scripts share, or that look like another script's."""
    assert sorted(expected) == [name for name in NAMES if policies[name].accepts(text)]


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_in_canonical_form(name: str) -> None:
    """`langc fmt` would leave it as it is, and no comment is wider than the code beside it may be."""
    text = (ready.FOLDER / f"{name}.policy").read_text(encoding="utf-8")

    assert text == format_file(parse(text, name))
    assert [line for line in text.splitlines() if line.startswith("#") and len(line) > 120] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_comment_shows_only_what_can_be_seen(name: str) -> None:
    """A comment is not printed with escapes, so it holds nothing invisible."""
    text = (ready.FOLDER / f"{name}.policy").read_text(encoding="utf-8")

    assert regex.findall(r"[\p{Cc}\p{Cf}\p{DI}--\n]", text, regex.V1) == []
