"""The IR as text."""

from __future__ import annotations

import langc
from langc.compiler.ir.dump import dump, language_lines
from langc.compiler.ir.language import alternation, complement, concat, intersection, literal, repetition

POLICY = """
policy p "doc" {
    let x = [a-c];
    deny x;   # comment
    allow "ab", [b], "\\u{10FFFF}\\u{0}";
}
"""


def test_rules_and_language() -> None:
    """One line a rule, ranges in hexadecimal, terms as JSON."""
    assert dump(langc.parse_policy(POLICY).lowered) == (
        "policy p\n"
        "rule deny: 3 code points in 1 ranges\n"
        "  0061..0063\n"
        "rule allow: 1 code points in 1 ranges\n"
        "  0062\n"
        '  term "ab"\n'
        '  term "\\udbff\\udfff\\u0000"\n'
        "language\n"
        "  cover: 1112062 code points in 4 ranges\n"
        "    0000..0060 0062 0064..D7FF E000..10FFFF\n"
        '    term "ab"\n'
        '    term "\\udbff\\udfff\\u0000"\n'
    )


def test_layout_does_not_show() -> None:
    """Comments, spaces, names of sets, doc and examples are not part of the meaning."""
    same = 'policy p { deny [ca] | U+0062; allow "ab", [b], "\\u{10FFFF}\\u{0}"; accept ""; }'

    assert dump(langc.parse_policy(same).lowered) == dump(langc.parse_policy(POLICY).lowered)


def test_exempt_regions_show() -> None:
    """A policy with another exemption has another dump, and so another hash."""
    policy = langc.parse_policy(POLICY)
    exempt = policy.with_(exempt=["think"])

    assert "exempt think\n" in dump(exempt.lowered)
    assert policy.hash != exempt.hash != policy.with_(exempt=["think", "code"]).hash


def test_patterns_and_used_policies_show() -> None:
    """A sequence as its sets; the rules of a used policy without its place, and not their languages."""
    text = 'policy q { deny [x]; } policy p { use q; only [a]; allow [a-c] "-"; }'

    assert dump(langc.parse_policy(text, "p").lowered) == (
        "policy p\n"
        "rule only: 1 code points in 1 ranges\n"
        "  0061\n"
        "rule allow: 0 code points in 0 ranges\n"
        "  pattern of 2\n"
        "    3 code points in 1 ranges\n"
        "      0061..0063\n"
        "    1 code points in 1 ranges\n"
        "      002D\n"
        "use q\n"
        "  rule deny: 1 code points in 1 ranges\n"
        "    0078\n"
        "language\n"
        "  cover: 1 code points in 1 ranges\n"
        "    0061\n"
        "    pattern of 2\n"
        "      3 code points in 1 ranges\n"
        "        0061..0063\n"
        "      1 code points in 1 ranges\n"
        "        002D\n"
    )


def test_a_tree() -> None:
    """Every operator, indented by depth."""
    language = intersection(
        complement(literal("ab")), alternation(repetition(literal("a"), 2), concat(repetition(literal("b"), 0, 3)))
    )

    assert list(language_lines(language)) == [
        "intersection",
        "  complement",
        "    concat",
        "      class: 1 code points in 1 ranges",
        "        0061",
        "      class: 1 code points in 1 ranges",
        "        0062",
        "  alternation",
        "    repetition 2..",
        "      class: 1 code points in 1 ranges",
        "        0061",
        "    repetition 0..3",
        "      class: 1 code points in 1 ranges",
        "        0062",
    ]
