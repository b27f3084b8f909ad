"""From rules to the language of one scope, and from set expressions to sets."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Cover, cover
from langc.compiler.limits import MAX_SEQUENCE_LENGTH, MAX_SEQUENCE_SETS
from langc.compiler.unicode import properties
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

LATIN = IntervalSet.of((0x61, 0x7A))


def scope(rules: str) -> Cover:
    """The language of a policy with these rules, before any pass."""
    language = langc.parse_policy(f"policy p {{ {rules} }}").lowered.language
    assert isinstance(language, Cover)
    return language


@pytest.mark.parametrize(
    ("rules", "base"),
    [
        ("deny [];", SCALARS),
        ("deny [a-z];", SCALARS - LATIN),
        ("only [a-z];", LATIN),
        ("only [a-m], [n-z];", LATIN),
        ("only [a-m]; only [g-z];", IntervalSet.of((0x67, 0x6D))),
        ("only [a-z]; deny [b-z];", IntervalSet.of("a")),
        ("deny [b-z]; only [a-z];", IntervalSet.of("a")),
        ("only [a-z]; deny [a-z]; allow [q];", IntervalSet.of("q")),
        ('allow "q"; only [a];', IntervalSet.of("aq")),
        ("deny [a-c], [x]; deny U+0079..U+007A;", SCALARS - IntervalSet.of("abcxyz")),
    ],
)
def test_the_order_of_meaning(rules: str, base: IntervalSet) -> None:
    """Several `only` lines intersect, one line unites; `allow` overrides; the order of lines does not count."""
    assert scope(rules) == cover(base)


def test_terms_are_strings_of_two_or_more() -> None:
    """A string of one code point is a character; so is a base letter without its mark, but not with it."""
    assert scope('only [a]; allow "é", "e\\u{301}", "xy";') == cover(IntervalSet.of("aé"), ("e\u0301", "xy"))


A_TO_C, DIGIT = IntervalSet.of((0x61, 0x63)), IntervalSet.of((0x30, 0x39))


@pytest.mark.parametrize(
    ("operand", "language"),
    [
        ('[a-c] "-" [0-9]', cover(IntervalSet(), (), ((A_TO_C, IntervalSet.of("-"), DIGIT),))),
        ('[a-c] "xy"', cover(IntervalSet(), (), ((A_TO_C, IntervalSet.of("x"), IntervalSet.of("y")),))),
        ('[a] "-" U+0062', cover(IntervalSet(), ("a-b",))),
        ('"a" "b"', cover(IntervalSet(), ("ab",))),
        ("[a-c] [a-c], [0-9]", cover(DIGIT, (), ((A_TO_C, A_TO_C),))),
    ],
)
def test_sequences(operand: str, language: Cover) -> None:
    """Each set stands for one character; a sequence of single characters is a term."""
    assert scope(f"only []; allow {operand};") == language


def test_properties_of_strings() -> None:
    """Their members of one code point are characters, the others terms."""
    flags = scope(r"only []; allow \p{RGI_Emoji_Flag_Sequence};")
    basic = scope(r"only []; allow \p{Basic_Emoji};")

    assert {len(t) for t in flags.terms} == {2}
    assert {"🇰🇷", "🇨🇶"} <= set(flags.terms)  # Sark came with Emoji 16.0
    assert not flags.base
    assert all(ord(c) in basic.base for c in "😀🫩")
    assert "❤\ufe0f" in basic.terms


@pytest.mark.parametrize(
    ("expression", "members"),
    [
        ("[]", IntervalSet()),
        ("[a]", IntervalSet.of("a")),
        ("U+0061", IntervalSet.of("a")),
        ("U+D000..U+F000", IntervalSet.of((0xD000, 0xD7FF), (0xE000, 0xF000))),
        ("[a-c x]", IntervalSet.of("abcx")),
        ("[^a-c]", IntervalSet.of("abc").complement()),
        ("![a-c]", IntervalSet.of("abc").complement()),
        ("!![a]", IntervalSet.of("a")),
        ("[a-c]|[x]", IntervalSet.of("abcx")),
        ("[a-f] -- [b-d]", IntervalSet.of("aef")),
        ("[a-f] && [e-z]", IntervalSet.of("ef")),
        ("[a-z] -- [b-y] -- [z]", IntervalSet.of("a")),
        ("[[a-f]--[b-d]]", IntervalSet.of("aef")),
        ("[a-c e -- b]", IntervalSet.of("ace")),
        (r"[\n\-\]]", IntervalSet.of("\n-]")),
        (r"[\p{Lu} && [A-Z]]", IntervalSet.of((0x41, 0x5A))),
        (r"\P{Lu} && [A-Za]", IntervalSet.of("a")),
    ],
)
def test_set_expressions(expression: str, members: IntervalSet) -> None:
    """UTS #18: union, `--`, `&&`, negation over scalar values, in and out of brackets."""
    assert scope(f"only {expression};").base == members


def test_a_set_name_stands_for_its_value() -> None:
    """Names may build on earlier names."""
    assert scope("let v = [aeiou]; let w = [a-z] -- v; only w, U+0061;").base == (LATIN - IntervalSet.of("eiou"))


def test_deny_script_goes_by_script_alone() -> None:
    """scx would take · 、 。 「 」 ㊗ 〰 with the kana and the Han."""
    denied = scope("deny script Han, Hiragana, Katakana;").base.complement()
    expected = properties.script("Han") | properties.script("Hiragana") | properties.script("Katakana")

    assert denied == expected
    assert not any(ord(c) in denied for c in "·、。「」㊗㊙〰🉐ー")
    assert all(ord(c) in denied for c in "々〇〡中あﾊ🈀")


def test_only_script_keeps_what_scripts_share() -> None:
    """Common and Inherited stay, whatever their scx says; other scripts and unassigned code points go."""
    kept = scope("only script Hangul;").base

    assert all(ord(c) in kept for c in "한ㄱ ·\u0301ー.0😀\u200d")
    assert not any(ord(c) in kept for c in "aяあ中\u0378\ue000")


def test_only_script_strictly_goes_by_scx() -> None:
    """Common code points stay only where scx lists the script."""
    kept = scope("only script Hangul strictly;").base

    assert all(ord(c) in kept for c in "한ㄱ、。「」")
    assert not any(ord(c) in kept for c in " ·\u0301ー.0😀a")


def test_errors_of_all_rules_come_together() -> None:
    """Two unknown properties in two lines are both reported, at their places."""
    with pytest.raises(langc.PolicyError) as refused:
        langc.parse_policy("policy p {\n deny \\p{Script=Klingon};\n only script Elvish;\n}")
    diagnostics = refused.value.diagnostics
    places = [d.primary.source.line_column(d.primary.span.start) for d in diagnostics if d.primary]

    assert [d.code[:4] for d in diagnostics] == ["LC02", "LC02"]
    assert [line for line, _ in places] == [2, 3]


@pytest.mark.parametrize(
    ("length", "count", "limit"),
    [
        (MAX_SEQUENCE_LENGTH, 1, None),
        (MAX_SEQUENCE_LENGTH + 1, 1, "characters in a sequence"),
        (2, MAX_SEQUENCE_SETS // 2, None),
        (2, MAX_SEQUENCE_SETS // 2 + 1, "sets in the sequences"),
    ],
)
def test_budgets_of_sequences(length: int, count: int, limit: str | None) -> None:
    """The limits themselves are fine, one more is an error at the rule."""
    rules = "".join(f"allow {'[ab] ' * length};\n" for _ in range(count))
    if limit is None:
        assert scope(rules).patterns == ((IntervalSet.of("ab"),) * length,)
        return
    with pytest.raises(LimitError, match=limit) as caught:
        scope(rules)

    assert caught.value.diagnostics[0].primary is not None


def test_a_long_plain_term_is_no_sequence() -> None:
    """Single characters side by side are a term, whose length has no limit of its own."""
    assert scope('only [a]; allow "bc" ' + "[b] " * 100 + ";").terms == ("bc" + "b" * 100,)


def test_a_budget_holds_the_ranges_of_all_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit a policy passes; one range more is an error at the set that spends it."""
    text = "policy p { let a = [ac]; deny a, [e]; }"
    monkeypatch.setattr("langc.compiler.ir.rules.MAX_SET_RANGES", 5)
    assert langc.parse_policy(text).name == "p"
    monkeypatch.setattr("langc.compiler.ir.rules.MAX_SET_RANGES", 4)
    with pytest.raises(LimitError) as caught:
        langc.parse_policy(text)

    label = caught.value.diagnostics[0].primary
    assert label is not None
    assert text[label.span.start : label.span.end] == "[e]"


@pytest.mark.parametrize(("length", "fits"), [(999, True), (1_000, True), (1_001, False)])
def test_a_budget_holds_the_length_of_a_term(length: int, fits: bool) -> None:
    """A term has at most 1,000 code points."""
    text = f'policy p {{ deny [漢]; allow "{"漢" * length}"; }}'
    if fits:
        assert langc.parse_policy(text).accepts("漢" * length)
    else:
        with pytest.raises(LimitError, match="the limit is 1,000"):
            langc.parse_policy(text)
