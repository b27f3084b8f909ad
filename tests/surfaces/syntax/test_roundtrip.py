"""Parsing and printing surfaces are inverses, for every tree and with every comment."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler import ready
from langc.compiler.source import Source
from langc.compiler.syntax import layout
from langc.compiler.syntax.ast import CommentLines, PolicyFile
from langc.compiler.syntax.parse import parse_form
from langc.compiler.syntax.print import format_file
from langc.compiler.syntax.surfaces import ast
from langc.compiler.syntax.surfaces import print as printer
from langc.compiler.unicode import glyphs
from tests.examples import examples
from tests.surfaces.syntax import strategies


def parsed(text: str) -> PolicyFile:
    """The tree of a text whose names need not be defined."""
    return parse_form(Source("<printed>", text)).file


def comments(file: PolicyFile) -> list[CommentLines]:
    """The comment lines of the surfaces of a file, node by node, without blank lines."""
    found: list[CommentLines] = [file.closing]
    for surface in file.surfaces:
        found += [surface.leading, surface.closing, (surface.trailing,)]
        for item in surface.items:
            found += [item.leading, *(item.above if isinstance(item, ast.RuleDecl) else ()), (item.trailing,)]
    return [tuple(line for line in lines if line is not None) for lines in found]


@settings(max_examples=examples(40), deadline=None)
@given(strategies.files())
def test_parse_inverts_print(file: PolicyFile) -> None:
    """What is printed is parsed to the same tree with the same comments."""
    again = parsed(format_file(file))

    assert again == file
    assert comments(again) == comments(file)


@settings(deadline=None)
@given(strategies.elements(), st.integers(10, 50))
def test_long_rules_are_broken_into_lines(element: ast.Element, room: int) -> None:
    """On narrow lines a rule is the same rule, printed the same again, and no line but an unbroken part is too long."""
    rule = ast.RuleDecl(ast.Word("r"), element)
    file = PolicyFile((), (ast.SurfaceDecl(ast.Word("s"), None, (), (rule, rule)),), source=Source("<made>", ""))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(printer, "LINE_WIDTH", room)
        patch.setattr(layout, "LINE_WIDTH", room)
        text = format_file(file)

        assert parsed(text) == file
        assert format_file(parsed(text)) == text


@pytest.mark.parametrize("name", ["sql", "git", "ffmpeg"])
def test_ready_surfaces_survive(name: str) -> None:
    """What comes with langc is printed as the same surfaces, with all comments, and no blank ends a line."""
    file = parsed(ready.path(name).read_text(encoding="utf-8"))
    text = format_file(file)

    assert parsed(text) == file
    assert format_file(parsed(text)) == text
    assert sorted(filter(None, sum(comments(parsed(text)), ()))) == sorted(filter(None, sum(comments(file), ())))
    assert not any(line.endswith(" ") for line in text.splitlines())


@settings(max_examples=40, deadline=None)
@given(strategies.files())
def test_print_is_idempotent(file: PolicyFile) -> None:
    """Printing what was parsed changes nothing."""
    once = format_file(file)

    assert format_file(parsed(once)) == once


@given(strategies.elements())
def test_only_visible_characters_are_printed(element: ast.Element) -> None:
    """A rule holds blanks, line ends, ink, and marks on letters, and nothing else."""
    rule = ast.RuleDecl(ast.Word("r"), element)
    surface = ast.SurfaceDecl(ast.Word("s"), None, (), (rule,))
    text = format_file(PolicyFile((), (surface,), source=Source("<made>", "")))
    hidden = [c for c in text if c not in " \n" and not glyphs.is_plain(ord(c)) and not glyphs.joins(ord(c))]

    assert hidden == []


def test_surfaces_and_policies_keep_their_order() -> None:
    """Blocks are printed in the order of the text, each with the comments above it."""
    surface, policy = "surface {} {{\n    r := ();\n}}\n\n", "policy p {\n    deny [a];\n}\n\n"
    text = f"# one\n{surface.format('s')}# two\n{policy}# three\n{surface.format('t')}".removesuffix("\n")

    assert format_file(parsed(text)) == text


def test_a_long_rule_has_a_line_for_each_choice() -> None:
    """A rule that fits stands on one line; a longer one begins a line with each `|`."""
    choices = " | ".join(f'"{letter * 20}"' for letter in "abcde")
    text = format_file(parsed(f"surface s {{ short := a | b; long := {choices}; }}"))

    assert text == (
        "surface s {\n    short := a | b;\n"
        f'    long := "{"a" * 20}"\n'
        + "".join(f'        | "{letter * 20}"\n' for letter in "bcd")
        + f'        | "{"e" * 20}";\n}}\n'
    )


def test_comments_stay_with_their_choices() -> None:
    """A comment in a choice, above it or behind it stands above it; in the first one, above the rule."""
    written = """surface s {
    a := "x" # first
        | "y"  # second
        # third
        | ("z" # third too
           "z") | "w";
}
"""
    expected = """surface s {
    # first
    a := "x"
        # second
        | "y"
        # third
        # third too
        | "z" "z"
        | "w";
}
"""
    assert format_file(parsed(written)) == expected
    assert format_file(parsed(expected)) == expected
