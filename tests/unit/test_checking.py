"""Checking texts: where violations stand, what they are called, and that streams say the same as whole texts."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import langc
from langc.compiler.checking.check import StreamChecker, check
from langc.compiler.checking.report import Figures, Violation
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy

KO = langc.parse_policy(
    """
    policy ko {
        deny script Han, Hiragana, Katakana;
        allow "大韓民國", "漢江";
    }
    """
)

SMALL = langc.parse_policy('policy small { deny [ab]; deny [c-d]; allow "xab", "bcb", "aa"; }')
"""Two rules and overlapping terms over few letters, so that random texts meet them all."""

SMALL_TEXTS = st.text("abcdx y\n", max_size=30)


def violating(violations: Iterable[Violation], length: int) -> list[int]:
    """Every violating offset: a run stands for all its characters; `length` for what ends wrong."""
    offsets: list[int] = []
    for v in violations:
        offsets += range(v.offset, v.end) if v.offset < length else [length]
    return offsets


def one_by_one(text: str, policy: Policy) -> list[int]:
    """The same by the definition: the first violation, then the text behind it as a new one."""
    offsets = []
    start = 0
    while (found := policy.first_violation(text[start:])) is not None:
        offsets.append(start + found)
        if start + found == len(text):
            break
        start += found + 1
    return offsets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("설정 파일을 정리했어요", []),
        ("大韓民國의 漢江", []),
        ("설정 파일을 確認했어요", [(7, "確認")]),
        ("内容은 정상", [(0, "内容")]),
        ("该公司位于方배洞", [(0, "该公司位于方"), (7, "洞")]),
        ("已发送 ✅", [(0, "已发送")]),
        ("大韓X", [(2, "大韓X")]),
        ("大韓", [(2, "大韓")]),
        ("大大韓民國", [(1, "大大韓民國")]),
        ("這 漢江 水", [(0, "這"), (5, "水")]),
        ("字\n字", [(0, "字"), (2, "字")]),
    ],
)
def test_where_violations_stand(text: str, expected: list[tuple[int, str]]) -> None:
    """The offset is that of the first character after which nothing permitted is left; a run is one violation."""
    report = check(text, KO)

    assert [(v.offset, v.text) for v in report.violations] == expected
    assert report.ok == (not expected)


def test_what_a_violation_says() -> None:
    """Line, column, script, code point with its name, and the rule as it is formatted."""
    (found,) = check("한 줄\n설정을 確認", KO).violations

    assert (found.line, found.column, found.offset, found.start, found.end) == (2, 5, 8, 8, 10)
    assert (found.script, found.description) == ("Han", "U+78BA CJK UNIFIED IDEOGRAPH-78BA")
    assert found.rule == "deny script Han, Hiragana, Katakana"
    assert not found.is_cut_short


def test_a_broken_off_term() -> None:
    """The text shown begins with the term; what is named is its denied character, not the harmless one behind it."""
    (found,) = check("예: 漢x", KO).violations

    assert (found.offset, found.start, found.text, found.code_point) == (4, 3, "漢x", ord("漢"))
    assert found.is_cut_short
    assert found.rule.startswith("deny script Han")


def test_a_run_of_several_scripts() -> None:
    """One rule takes Han and Hiragana away, so the run is one violation with both scripts."""
    (found,) = check("これは字", KO).violations

    assert found.script == "Hiragana, Han"


def test_runs_of_different_rules_are_apart() -> None:
    """A violation never speaks of two rules."""
    found = check("yabcc", langc.parse_policy("policy p { deny [ab]; deny [c]; }")).violations

    assert [(v.text, v.rule) for v in found] == [("ab", "deny [ab]"), ("cc", "deny [c]")]


def test_figures() -> None:
    """Letters are General_Category L; non-letters that are denied count as violations, not as denied letters."""
    report = check("한글 確認 100%\n\n\ufffd \ufffd〇字\r\nㅋㅋ é\n", KO)

    assert (report.letters, report.denied) == (2 + 2 + 1 + 2 + 1, 3)
    assert report.ratio == 3 / 8
    assert report.replacement_chars == 2
    assert (report.lines, report.failed_lines) == (3, 2)
    assert report.line_pass_rate == pytest.approx(1 / 3)
    assert report.by_character == {"確": 1, "認": 1, "〇": 1, "字": 1}
    assert report.by_rule == {"deny script Han, Hiragana, Katakana": 4}


def test_figures_without_letters_and_lines() -> None:
    """Nothing is divided by zero."""
    report = check("\n\n", KO)

    assert (report.ratio, report.lines, report.line_pass_rate) == (0.0, 0, 1.0)


def test_a_line_that_only_its_end_violates() -> None:
    """A violating line end fails its line, though the line holds nothing else."""
    report = check("\nabc", langc.parse_policy("policy p { only [a-z]; }"))

    assert (report.lines, report.failed_lines) == (2, 1)


def test_figures_add_up() -> None:
    """The sum of two texts' figures is that of both texts."""
    parts = [check(text, KO) for text in ("한글 確認\n", "字\n", "ok\n")]
    total = sum(parts, Figures())
    whole = check("한글 確認\n字\nok\n", KO)

    assert total.to_json() == {k: v for k, v in whole.to_json().items() if k in total.to_json()}


def test_json() -> None:
    """A report survives JSON and names what readers need."""
    report = json.loads(json.dumps(check("ab字", KO).to_json()))

    assert {k: report[k] for k in ("ok", "letters", "denied", "replacement_chars", "line_pass_rate")} == {
        "ok": False,
        "letters": 3,
        "denied": 1,
        "replacement_chars": 0,
        "line_pass_rate": 0.0,
    }
    assert report["violations"] == [
        {
            "line": 1,
            "column": 3,
            "offset": 2,
            "start": 2,
            "text": "字",
            "is_phrase": False,
            "rule": "deny script Han, Hiragana, Katakana",
            "policy": "ko",
            "region": None,
            "rule_at": "<policy>:3:9",
            "script": "Han",
            "code_point": "U+5B57",
            "description": "U+5B57 CJK UNIFIED IDEOGRAPH-5B57",
        }
    ]


def test_exempt_code() -> None:
    """In exempt code everything is permitted; a code span that does not close exempts nothing."""
    policy = KO.with_(exempt=["code"])

    assert check("쓰기: `確認` 끝\n```\n字\n```\n", policy).ok
    assert [(v.offset, v.text) for v in check("`確認\n字", policy).violations] == [(3, "確認\n"), (4, "字")]


def test_a_soft_policy_has_the_same_violations() -> None:
    """The strength of a policy says what a violation costs, not what one is."""
    text = "設定 漢江 漢x"

    assert check(text, KO.with_(mode="soft", bias=3)).violations == check(text, KO).violations


def test_surrogates_are_no_text() -> None:
    """A lone surrogate is in no language; no rule can be blamed for it."""
    (found,) = check("한\ud800글", KO).violations

    assert (found.offset, found.text, found.rule, found.script) == (1, "\ud800", "policy ko", "Unknown")


# --- phrases ----------------------------------------------------------------------------------------------------------

PHRASES = langc.parse_policy(
    """
    policy phrases {
        deny phrase "as an AI", "no way" { ignore case, space; boundary left; }
        deny phrase "admin" { boundary both; }
        deny [x];
        allow "axb";
    }
    """
)
LEFT, BOTH, SIGN = (rule.text for rule in PHRASES.lowered.rules[:3])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I am as  an ai model", [(13, 5, "as  an ai", LEFT)]),
        ("as an AI, as an AI", [(7, 0, "as an AI", LEFT), (17, 10, "as an AI", LEFT)]),
        ("no\n way\nno way", [(6, 0, "no\n way", LEFT), (13, 8, "no way", LEFT)]),
        ("was an AI", []),
        ("admin", [(5, 0, "admin", BOTH)]),  # it is certain at the end of the text
        ("admin ok", [(5, 0, "admin", BOTH)]),  # and here behind it
        ("admin이 admins admin!", [(5, 0, "admin", BOTH), (19, 14, "admin", BOTH)]),
        ("adminadmin", []),
        ("as an AIx", [(7, 0, "as an AI", LEFT), (8, 8, "x", SIGN)]),
        ("adminx", [(5, 5, "x", SIGN)]),  # a letter that bars the phrase, and is denied itself
        ("admin axb", [(5, 0, "admin", BOTH)]),
        ("ax as an AI", [(2, 1, "x ", SIGN), (10, 3, "as an AI", LEFT)]),
    ],
)
def test_where_phrases_stand(text: str, expected: list[tuple[int, int, str, str]]) -> None:
    """The offset is where an occurrence was certain; its text and beginning are those of the occurrence."""
    found = check(text, PHRASES).violations

    assert [(v.offset, v.start, v.text, v.rule) for v in found] == expected
    assert [v.is_phrase for v in found] == [v.rule != SIGN for v in found]
    assert not any(v.is_cut_short for v in found if v.is_phrase)


def test_what_a_phrase_says() -> None:
    """Line and column are those of the offset; the scripts are those of the phrase."""
    (found,) = check("하나\n둘 admin\n", PHRASES).violations

    assert (found.line, found.column, found.code_point) == (2, 8, ord("a"))
    assert found.scripts == ("Latin",)


def test_phrases_are_counted() -> None:
    """Once for each occurrence; their letters are no denied characters."""
    report = check("as an AI x admin.\nadmin", PHRASES)

    assert report.by_rule == {LEFT: 1, BOTH: 2, SIGN: 1}
    assert (report.denied, report.by_character, report.failed_lines) == (1, {"x": 1}, 2)


def test_the_rule_starts_afresh_behind_a_phrase() -> None:
    """Occurrences do not overlap."""
    policy = langc.parse_policy('policy p { deny phrase "aa"; }')

    assert [(v.start, v.offset) for v in check("aaaaa", policy).violations] == [(0, 1), (2, 3)]


def test_of_two_phrases_that_end_together_the_longer_one_is_told() -> None:
    """What began first is most of the story."""
    policy = langc.parse_policy('policy p { deny phrase "an AI"; deny phrase "as an AI"; }')

    assert [v.text for v in check("as an AI", policy).violations] == ["as an AI"]


def test_an_occurrence_longer_than_what_is_remembered() -> None:
    """A page of blanks inside a phrase: the violation stands where it is certain, and names the policy."""
    text = "as" + " " * 5_000 + "an AI!"
    (found,) = check(text, PHRASES).violations

    assert (found.offset, found.rule, found.is_phrase) == (len(text) - 2, "policy phrases", False)


REGIONS = langc.parse_policy(
    """
    policy regions {
        deny phrase "ab" { boundary right; }
        deny [x];
        region note = between "<" ">" { deny phrase "cd" }
        region code = fence { any }
    }
    """
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab<ab>ab", [(2, "ab"), (8, "ab")]),
        ("<cd>cd", [(2, "cd")]),
        ("<xcdx>x", [(3, "cd"), (6, "x")]),  # the text is inside the region still
        ("a<b>b", []),
        ("```\nab x\n```\nab", [(15, "ab")]),
        ("ab!<", [(2, "ab"), (4, "<")]),
        ("abc<x>x", [(6, "x")]),
        ("a <y", [(4, "<y")]),
    ],
)
def test_regions_have_their_own_phrases(text: str, expected: list[tuple[int, str]]) -> None:
    """Each holds in its scope, and none reaches across a border, which is a boundary."""
    assert [(v.offset, v.text) for v in check(text, REGIONS).violations] == expected


KINDS = langc.parse_policy(
    """
    policy kinds {
        deny [x];
        region content = json "n" { deny phrase "cd"; deny [y] }
        region link = url { deny [q] }
        region said = quotes { deny [z] }
    }
    """
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"n":"cd x y" x', [(6, "cd"), (10, "y"), (13, "x")]),  # the value goes on behind what it must not hold
        ('"n":"y\\"y" x', [(5, "y"), (8, "y"), (11, "x")]),
        ('"n":"\\u0063x', [(9, "6"), (12, "3x")]),  # it is not closed
        ("http://qxq xq", [(7, "q"), (9, "q"), (11, "x")]),  # so does the URL, up to its end
        ("http://x가x", [(9, "x")]),
        ("“x” x", [(4, "x")]),
        ("“z”", [(2, "”")]),  # it could be plain text up to there
        ("“x\nx", [(2, "x\n"), (3, "x")]),
        ("“http://xq” x", [(12, "x")]),
    ],
)
def test_what_stands_behind_a_violation_in_other_kinds(text: str, expected: list[tuple[int, str]]) -> None:
    """The text is in the region still."""
    assert [(v.offset, v.text) for v in check(text, KINDS).violations] == expected


LAID = langc.parse_policy(
    """
    policy used { deny [z]; region q = between "[" "]" { any } unclosed q: forbid; }
    policy laid {
        use used;
        deny [x];
        stop on phrase "end";
        region note = between "<" ">" { deny [y]; only [\\p{L}] up to 3 }
        region code = inline_code { deny [y] }
    }
    """,
    "laid",
)


@pytest.mark.parametrize(
    ("text", "rule", "region", "policy"),
    [
        ("x", "deny [x]", None, "laid"),
        ("<y>", "deny [y]", "note", "laid"),
        ("<abcd>", r"only [\p{L}] up to 3", "note", "laid"),
        ("<a", "region note", "note", "laid"),
        ("`y`", "deny [y]", "code", "laid"),
        ("`x", "deny [x]", None, "laid"),
        ("the end.", 'stop on phrase "end"', None, "laid"),
        ("<az>", "deny [z]", None, "used"),
        ("[x", "deny [x]", None, "laid"),
        ("[a", "unclosed q: forbid", "q", "used"),
    ],
)
def test_what_a_violation_is_laid_to(text: str, rule: str, region: str | None, policy: str) -> None:
    """The rule of the scope and of the policy that the text is in; the regions that do not close; stop phrases."""
    found = check(text, LAID).violations[0]

    assert (found.rule, found.region, found.policy) == (rule, region, policy)
    assert found.rule_at is not None


def test_rules_of_other_kinds_are_counted() -> None:
    """A stop phrase and a region that is not closed count once each; characters of regions count as others do."""
    report = check("<yy> the end. <a", LAID)

    assert report.by_rule == {"deny [y]": 2, 'stop on phrase "end"': 1, "region note": 1}
    assert report.by_character == {"y": 2}


def test_a_text_without_violations_builds_no_more_than_the_automaton() -> None:
    """Where the text goes on behind a violation is worked out when there is one."""
    policy = langc.parse_policy('policy p { deny [x]; region r = between "<" ">" { any } }')

    assert check("a<x>", policy).ok
    assert "recovery" not in vars(policy)
    assert not check("x", policy).ok
    assert "recovery" in vars(policy)


STREAMS = {
    "phrases": (PHRASES, st.sampled_from(["as", " ", "an", "AI", "\n", "admin", "s", "x", "axb", "이", "n"])),
    "regions": (REGIONS, st.sampled_from(["a", "b", "c", "d", "x", "<", ">", "\n", "```", "é"])),
    "kinds": (KINDS, st.sampled_from(['"n":"', '"', "cd", "x", "y", "q", "z", "http://", "“", "”", "\n", "\\", "é"])),
}


@pytest.mark.parametrize("name", STREAMS)
@given(data=st.data())
def test_a_stream_finds_the_same_phrases(name: str, data: st.DataObject) -> None:
    """However the bytes are cut: each occurrence once, with the same text and place."""
    policy, words = STREAMS[name]
    text = "".join(data.draw(st.lists(words, max_size=16)))
    encoded = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(encoded)), max_size=8)))
    checker = StreamChecker(policy)
    pieces = [encoded[a:b] for a, b in zip([0, *cuts], [*cuts, len(encoded)], strict=True)]
    found = [v for piece in pieces for v in checker.feed(piece)] + checker.finish()
    whole = check(text, policy)

    assert checker.report() == whole
    assert [v for v in found if v.is_phrase] == [v for v in whole.violations if v.is_phrase]


@pytest.mark.parametrize("name", STREAMS)
@given(data=st.data())
def test_phrases_stand_where_they_say(name: str, data: st.DataObject) -> None:
    """The text of a violation is a piece of the text, and the first offset is that of the policy."""
    policy, words = STREAMS[name]
    text = "".join(data.draw(st.lists(words, max_size=16)))
    violations = check(text, policy).violations

    assert [text[v.start : v.end] for v in violations] == [v.text for v in violations]
    assert (violations[0].offset if violations else None) == policy.first_violation(text)


# --- by the definition ------------------------------------------------------------------------------------------------


@given(SMALL_TEXTS)
def test_offsets_are_those_of_the_definition(text: str) -> None:
    """One pass finds what looking for the first violation again and again does."""
    assert violating(check(text, SMALL).violations, len(text)) == one_by_one(text, SMALL)


@given(SMALL_TEXTS)
def test_places_and_texts_agree(text: str) -> None:
    """`text` is a piece of the text that was checked, and line and column lead to `offset`."""
    lines = text.split("\n")
    for v in check(text, SMALL).violations:
        assert text[v.start : v.end] == v.text
        assert sum(len(line) + 1 for line in lines[: v.line - 1]) + v.column - 1 == v.offset


MIXED_TEXTS = st.text("한é漢江大韓民國字か😀x\r\n", max_size=20)


@st.composite
def chunked(draw: st.DrawFn) -> tuple[str, list[bytes]]:
    """A text, and its bytes cut anywhere."""
    text = draw(MIXED_TEXTS)
    data = text.encode()
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return text, [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


@given(chunked())
def test_a_stream_says_what_the_whole_text_does(case: tuple[str, list[bytes]]) -> None:
    """However the bytes are cut: the same report, and each violating character from exactly one chunk."""
    text, chunks = case
    checker = StreamChecker(KO)
    found = [v for chunk in chunks for v in checker.feed(chunk)] + checker.finish()
    whole = check(text, KO)

    assert checker.report() == whole
    assert violating(found, len(text)) == violating(whole.violations, len(text))


def test_a_stream_holds_half_a_character() -> None:
    """A character that arrives in two chunks is judged with the second one, and never before it is whole."""
    checker = StreamChecker(KO)
    found = [checker.feed(chunk) for chunk in ("안녕".encode(), b"\xe6", b"\x9d\x8e")]

    assert found[:2] == [[], []]
    assert [(v.offset, v.text) for v in found[2]] == [(2, "李")]


def test_a_stream_of_text() -> None:
    """Chunks may come as text; a term that goes on in the next chunk is no violation yet."""
    checker = StreamChecker(KO)

    assert checker.feed_text("大韓") == []
    assert checker.feed_text("民國") == []
    assert checker.finish() == []


@pytest.mark.parametrize("cut", range(5))
def test_malformed_bytes(cut: int) -> None:
    """Bytes that are no UTF-8 are an error with their offset in the stream, wherever the chunks are cut."""
    data = b"a\xea\xb0x"
    checker = StreamChecker(KO, "answer.txt")
    with pytest.raises(LangcError, match=r"\[LC0004\] answer.txt is not UTF-8: byte 0xEA at offset 1") as raised:
        [checker.feed(chunk) for chunk in (data[:cut], data[cut:])]

    assert raised.value.diagnostics[0].data["byte"] == 1


def test_a_stream_that_ends_inside_a_character() -> None:
    """What is held back at the end is no character."""
    checker = StreamChecker(KO)
    checker.feed(b"ab\xea\xb0")
    with pytest.raises(LangcError, match="byte 0xEA at offset 2"):
        checker.finish()


@pytest.mark.slow
def test_long_runs_stay_linear() -> None:
    """A hundred thousand violating characters in chunks of one are one violation, put together once."""
    checker = StreamChecker(KO)
    for _ in range(100_000):
        checker.feed_text("字")
    checker.finish()
    (found,) = checker.report().violations

    assert (found.offset, len(found.text)) == (0, 100_000)


def test_the_public_function_takes_a_name() -> None:
    """`langc.check` takes what `load_policy` takes, or a policy."""
    assert langc.check("확認", KO).violations[0].offset == 1
