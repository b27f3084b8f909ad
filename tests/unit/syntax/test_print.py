"""The canonical form, by example: what `langc fmt` does to a file."""

from __future__ import annotations

import pytest

from langc.compiler.source import Source
from langc.compiler.syntax.layout import LINE_WIDTH
from langc.compiler.syntax.parse import parse_form
from langc.compiler.syntax.print import format_file
from langc.compiler.unicode.glyphs import width


def formatted(text: str) -> str:
    """The canonical form of a text."""
    return format_file(parse_form(Source("<test>", text)).file)


def operands(written: str) -> str:
    """The canonical form of the operands of a rule."""
    line = formatted(f"policy p {{ deny {written}; }}").splitlines()[1]
    return line.removeprefix("    deny ").removesuffix(";")


def test_layout_and_comments() -> None:
    """Four blanks of indent, one item a line; comments and single blank lines stay where they were."""
    ragged = """


#! what this is

# more
policy   ko   "Korean"{# opens
let han=[\\p{Script=Han}];deny han , [a-z] ; # both


# below
  #
allow "漢江" , # inside
   "大韓民國" ;   #behind
# last

}   # closes
policy en { deny[가-힣]; }
# the end

"""
    expected = """#! what this is

# more
policy ko "Korean" {
    # opens
    let han = [\\p{Script=Han}];
    deny han, [a-z];  # both

    # below
    #
    # inside
    allow "漢江", "大韓民國";  # behind
    # last
}  # closes

policy en {
    deny [가-힣];
}
# the end
"""

    assert formatted(ragged) == expected.replace("#! what", "# ! what")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("[ a b ]", "[ab]"),
        (r"[\x{41}\u{42}\u0043]", "[ABC]"),
        (r"[\a]".replace("a", ","), "[,]"),
        ("[]", "[]"),
        ("[^]", "[^]"),
        (r"[\n\t\r\ ]", r"[\n\t\r\u{0020}]"),
        (r"[\-\]\[\^\\\&\{\}]", r"[\-\]\[\^\\\&\{\}]"),
        (r"[.\.|\|~\~]", r"[.\.|\|~\~]"),
        (r"[\:a:]", r"[\:a:]"),
        (r"[U\+0041]", r"[U\+0041]"),
        ("[+]", "[+]"),
        ("[a--[b]]", "[a--[b]]"),
        ("[[ab]--[b]]", "[ab] -- [b]"),
        (r"[\p{L}--\p{Lu}]", r"\p{L} -- \p{Lu}"),
        ("[^a-z--x]", "[^a-z--x]"),
        ("U+0061..U+007a -- U+0078", "[a-z--x]"),
        ("U+41..U+5A".replace("U+", "U+00"), "U+0041..U+005A"),
        ("x--U+0078", "x -- U+0078"),
        ("a|b&&c", "a | b && c"),
        ("(a|b)&&c", "(a | b) && c"),
        ("((a))", "a"),
        ("a--(b--c)", "a -- (b -- c)"),
        ("(a--b)--c", "a -- b -- c"),
        ("!(![a])", "![^a]"),
        ("!(a|b)", "!(a | b)"),
        (r"\p{ Script = Han }|\P{L}", r"\p{Script=Han} | \P{L}"),
        (r"[\p{^L}]", r"[\P{L}]"),
        ("script Han,Hira", "script Han, Hira"),
        ("script Han, (a)", "script Han, (a)"),
        ("script Han strictly, (a)", "script Han strictly, a"),
        ('encodable ( "Big5" )', 'encodable("Big5")'),
        ('encodable("a")&&[b]--!encodable("c")', 'encodable("a") && [b] -- !encodable("c")'),
        ('a  "bc"(U+0041)', 'a "bc" U+0041'),
        ("a (b|c) [^d]", "a (b | c) [^d]"),
        ("a (!b) (!c -- d)", "a (!b) (!c -- d)"),
        ('script Han, a "b"', 'script Han, a "b"'),
    ],
)
def test_sets(written: str, canonical: str) -> None:
    """A set keeps the form that its author chose, without blanks, escapes and parentheses that say nothing."""
    assert operands(written) == canonical
    assert operands(canonical) == canonical


@pytest.mark.parametrize(
    ("members", "canonical"),
    [
        ("\u200b\u202e\ufeff", r"\u{200B}\u{202E}\u{FEFF}"),
        ("e\u0301", r"e\u{0301}"),
        ("\u1100\u1161\u11a8", r"ᄀ\u{1161}\u{11A8}"),
        ("\u3000\u00a0", r"\u{3000}\u{00A0}"),
        ("\ue000\U0010ffff\u0378", r"\u{E000}\u{10FFFF}\u{0378}"),
        ("\u3164\u2800", r"\u{3164}\u{2800}"),
        ("가漢😀·ﾊ", "가漢😀·ﾊ"),
    ],
)
def test_what_cannot_be_seen_in_brackets_is_escaped(members: str, canonical: str) -> None:
    """The invisible, the joining, blanks and the unassigned are printed as escapes."""
    assert operands(f"[{members}]") == f"[{canonical}]"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a b", "a b"),
        ("\t", r"\t"),
        ("\u00a0\u200d", r"\u{00A0}\u{200D}"),
        ("👨\u200d👩", r"👨\u{200D}👩"),
        ("❤\ufe0f", r"❤\u{FE0F}"),
        ("हिन्दी", "हिन्दी"),
        ("ไทย ที่", "ไทย ที่"),
        ("e\u0301 é", r"e\u{0301} é"),
        ("\u1100\u1161", r"ᄀ\u{1161}"),
        ("\u0301a", r"\u{0301}a"),
        (" \u0301", r" \u{0301}"),
    ],
)
def test_what_cannot_be_seen_in_strings_is_escaped(text: str, canonical: str) -> None:
    """Marks stay raw on a letter where no composed form looks the same; plain blanks stay as they are."""
    assert formatted(f'policy p {{ accept "{text}"; }}').splitlines()[1] == f'    accept "{canonical}";'


@pytest.mark.parametrize(
    "rule",
    [
        "allow " + ", ".join(f'"大韓民國{n}"' for n in range(60)),
        "deny [" + "".join(map(chr, range(0x4E00, 0x4F00))) + "]",
        "deny " + " -- ".join([r"\p{Script=Hangul}"] * 30),
        "deny " + " | ".join(f"name{n}" for n in range(60)),
        "only script " + ", ".join(f"Script{n}" for n in range(60)),
    ],
)
def test_long_lists_are_wrapped(rule: str) -> None:
    """No line is wider than the limit in columns, each is filled, and what follows is indented twice."""
    lines = formatted(f"policy p {{ {rule}; }}").splitlines()[1:-1]

    assert len(lines) > 3
    assert all(width(line) <= LINE_WIDTH for line in lines)
    assert all(width(line) > LINE_WIDTH - 20 for line in lines[:-1])
    assert all(line.startswith("        ") and line[8] != " " for line in lines[1:])


def test_a_long_string_is_not_broken() -> None:
    """A string stands on one line, however long it is."""
    text = "가" * 200

    assert formatted(f'policy p {{ accept "{text}"; }}').splitlines()[1] == f'    accept "{text}";'


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("use   ko-strict", "use ko-strict"),
        ('use "../base.policy:NAME"', 'use "../base.policy:NAME"'),
        (r'use "a\u{41}\u{202E}"', r'use "aA\u{202E}"'),
    ],
)
def test_uses(written: str, canonical: str) -> None:
    """A name stands bare, a path as a string in which everything can be seen."""
    assert formatted(f"policy p {{ {written}; }}") == f"policy p {{\n    {canonical};\n}}\n"
