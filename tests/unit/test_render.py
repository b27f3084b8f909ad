"""How diagnostics are drawn, and their form for programs. Whole messages are in tests/errors."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.diagnostics import Diagnostic, Label, Severity
from langc.compiler.render import MAX_COLUMNS, render, render_all, to_json
from langc.compiler.source import Source, Span
from langc.compiler.unicode import glyphs


def finding(text: str, start: int, end: int, *secondary: tuple[int, int], message: str = "here") -> Diagnostic:
    """A diagnostic about a part of a text."""
    source = Source("p.policy", text)
    others = tuple(Label(source, Span(*place), "there") for place in secondary)
    return Diagnostic("LC9999", "something", Label(source, Span(start, end), message), others)


def drawn(diagnostic: Diagnostic) -> list[str]:
    """The lines below the head."""
    return render(diagnostic).split("\n")[1:]


def test_one_line() -> None:
    """Head, frame, source line, carets with the remark, help and notes."""
    source = Source("p.policy", "one\ntwo three\n")
    label = Label(source, Span(8, 13), "what")
    diagnostic = Diagnostic("LC9999", "wrong", label, help="do it", notes=("once", "twice"), severity=Severity.WARNING)

    assert render(diagnostic) == (
        "p.policy:2:5: warning[LC9999]: wrong\n"
        "  |\n"
        "2 | two three\n"
        "  |     ^^^^^ what\n"
        "  = help: do it\n"
        "  = note: once\n"
        "  = note: twice"
    )


def test_without_a_place() -> None:
    """What no text is to blame for has only a head."""
    assert render(Diagnostic("LC9999", "wrong")) == "error[LC9999]: wrong"


def test_columns_count_code_points_and_carets_count_columns() -> None:
    """Wide characters take two carets each, marks none; the column in the head is that of the code point."""
    lines = render(finding("漢字e\u0301 확x", 5, 6)).split("\n")

    assert lines[0].startswith("p.policy:1:6: ")
    assert lines[3] == "  |       ^^ here"


def test_tabs_are_shown_as_four_blanks() -> None:
    """A tab takes the same room in the line and below it."""
    assert drawn(finding("\ta\tb", 3, 4)) == ["  |", "1 |     a    b", "  |          ^ here"]


@pytest.mark.parametrize("hidden", ["\x1b", "\x07", "\u202e", "\u200b", "\x85", "\ufeff", "\u2028", "\U000e0041"])
def test_what_could_attack_a_terminal_is_named(hidden: str) -> None:
    """Controls and direction marks are shown by number, wherever they come from, and carets still fit."""
    shown = f"<U+{ord(hidden):04X}>"
    source = Source(f"{hidden}.policy", f"a{hidden}b")
    diagnostic = Diagnostic(
        "LC9999", f"bad {hidden}", Label(source, Span(1, 2), hidden), help=f"{hidden}!", notes=(hidden,)
    )
    text = render(diagnostic)

    assert hidden not in text
    assert text.count(shown) == 6
    assert text.split("\n")[3] == f"  |  {'^' * len(shown)} {shown}"


def test_labels_on_one_line_and_on_others() -> None:
    """Each label has its own row, the rightmost first; left-out lines are marked."""
    text = "aaa bbb\nccc\n\nddd"

    assert drawn(finding(text, 13, 16, (0, 3), (4, 7), (8, 11))) == [
        "  |",
        "1 | aaa bbb",
        "  |     --- there",
        "  | --- there",
        "2 | ccc",
        "  | --- there",
        "...",
        "4 | ddd",
        "  | ^^^ here",
    ]


def test_a_label_over_several_lines() -> None:
    """Its first and its last line are marked, the last with the remark."""
    assert drawn(finding("one {\n  two\n  three }\n", 4, 22)) == [
        "  |",
        "1 | one {",
        "  |     ^",
        "...",
        "3 |   three }",
        "  |   ^^^^^^^ here",
    ]


def test_a_label_of_nothing_has_one_caret() -> None:
    """An empty span points to the place before its code point, also at the end of the text."""
    assert drawn(finding("ab", 2, 2)) == ["  |", "1 | ab", "  |   ^ here"]
    assert drawn(finding("ab\n", 3, 3)) == ["  |", "2 |", "  | ^ here"]


def test_a_label_in_another_file() -> None:
    """The other file is named above its lines."""
    here, there = Source("here.policy", "a"), Source("there.policy", "\nb")
    diagnostic = Diagnostic("LC9999", "x", Label(here, Span(0, 1), "use"), (Label(there, Span(1, 2), "defined"),))

    assert drawn(diagnostic) == ["  |", "1 | a", "  | ^ use", " ::: there.policy", "  |", "2 | b", "  | - defined"]


def test_line_numbers_are_aligned() -> None:
    """The frame is as wide as the largest line number."""
    lines = drawn(finding("a\n" * 9 + "b", 18, 19, (0, 1)))

    assert [line[:4] for line in lines] == ["   |", " 1 |", "   |", "...", "10 |", "   |"]


@pytest.mark.parametrize("filler", ["x", "漢", "\u202e", "\u0301", "\t"])
@pytest.mark.parametrize("at", [0, 50, 100_000])
def test_long_lines_are_cut_around_the_label(filler: str, at: int) -> None:
    """However long and wide the line, what is shown fits, and the carets stand below the code points meant."""
    text = filler * at + "HERE" + filler * 100_000
    _, line, carets = drawn(finding(text, at, at + 4, message=""))

    assert glyphs.width(line) <= len("1 | ") + MAX_COLUMNS + 1
    column = carets.index("^")
    assert "HERE" in line
    assert glyphs.width(line[: line.index("HERE")]) == column
    assert carets.count("^") == 4


def test_colours_change_nothing_else() -> None:
    """With the colours taken out again the text is the same; without the flag there are none."""
    diagnostic = finding("let a = b", 4, 5, (8, 9))
    coloured = render(diagnostic, colour=True)

    assert "\x1b" not in render(diagnostic)
    assert coloured.count("\x1b[0m") >= 5
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(diagnostic)


def test_several() -> None:
    """A blank line stands between two diagnostics."""
    diagnostic = Diagnostic("LC9999", "x")

    assert render_all([diagnostic, diagnostic]) == "error[LC9999]: x\n\nerror[LC9999]: x"


@given(st.text(max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_any_text_can_be_drawn(text: str, start: int, end: int) -> None:
    """No text and no place in it breaks the drawing or smuggles a control character through."""
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    shown = render(finding(text, start, end))

    assert all(c in "\n " or glyphs.is_plain(ord(c)) or glyphs.joins(ord(c)) for c in shown)


def test_json() -> None:
    """Programs get code points, bytes, and 1-based lines and columns, for every label."""
    source = Source.of("p.policy", "\ufeff가\n나다")
    diagnostic = Diagnostic(
        "LC9999",
        "wrong",
        Label(source, Span(2, 4), "both"),
        (Label(source, Span(0, 1), "first"),),
        help="do it",
        notes=("n",),
        data={"limit": 3},
    )
    place = {"file": "p.policy", "line": 2, "column": 1, "end_line": 2, "end_column": 3, "start": 2, "end": 4}
    place |= {"byte_start": 7, "byte_end": 13}
    first = {"file": "p.policy", "line": 1, "column": 1, "end_line": 1, "end_column": 2, "start": 0, "end": 1}
    first |= {"byte_start": 3, "byte_end": 6}

    assert json.loads(json.dumps(to_json(diagnostic))) == {
        "code": "LC9999",
        "severity": "error",
        "message": "wrong",
        **place,
        "labels": [
            {**place, "message": "both", "primary": True},
            {**first, "message": "first", "primary": False},
        ],
        "help": "do it",
        "notes": ["n"],
        "data": {"limit": 3},
    }


def test_json_without_a_place() -> None:
    """The keys are the same, without values."""
    data = to_json(Diagnostic("LC9999", "wrong"))

    assert (data["file"], data["line"], data["byte_end"], data["labels"]) == (None, None, None, [])
