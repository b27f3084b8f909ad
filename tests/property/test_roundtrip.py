"""Parsing and printing are inverses, for every AST and with every comment."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given

from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.syntax.parse import parse_form
from langc.compiler.syntax.print import format_file, format_rule
from langc.compiler.unicode import glyphs
from tests.property import strategies


def parsed(text: str) -> ast.PolicyFile:
    """The AST of a text whose names need not be defined."""
    return parse_form(Source("<printed>", text)).file


def comments(file: ast.PolicyFile) -> list[ast.CommentLines]:
    """All comment lines of a file, node by node."""
    found: list[ast.CommentLines] = [file.closing]
    for policy in file.policies:
        found += comments_of(policy)
    return found


def comments_of(item: ast.Item) -> list[ast.CommentLines]:
    """Those around an item, and around the items in it."""
    found: list[ast.CommentLines] = [item.leading, (item.trailing,)]
    for inner in items_in(item) or ():
        found += comments_of(inner)
    return [*found, item.closing] if isinstance(item, ast.PolicyDecl | ast.Region | ast.Use) else found


def items_in(item: ast.Item) -> Sequence[ast.Item] | None:
    """What stands between the braces of an item."""
    return item.overrides if isinstance(item, ast.Use) else getattr(item, "items", None)


def without_blanks(lines: list[ast.CommentLines]) -> list[list[str]]:
    """The same without blank lines, which the printer moves to their place."""
    return [[line for line in group if line is not None] for group in lines]


@given(strategies.files())
def test_parse_inverts_print(file: ast.PolicyFile) -> None:
    """What is printed is parsed to the same AST."""
    assert parsed(format_file(file)) == file


@given(strategies.commented_files())
def test_comments_survive(file: ast.PolicyFile) -> None:
    """Each comment comes back at the node where it was."""
    again = parsed(format_file(file))

    assert again == file
    assert without_blanks(comments(again)) == without_blanks(comments(file))


@given(strategies.commented_files())
def test_print_is_idempotent(file: ast.PolicyFile) -> None:
    """Printing what was parsed changes nothing, in the text and in the comments."""
    once = format_file(file)
    again = parsed(once)

    assert format_file(again) == once
    assert comments(parsed(format_file(again))) == comments(again)


@given(strategies.files())
def test_only_visible_characters_are_printed(file: ast.PolicyFile) -> None:
    """Without comments the text holds blanks, line ends, ink, and marks on letters, and nothing else."""
    text = format_file(file)
    hidden = [c for c in text if c not in " \n" and not glyphs.is_plain(ord(c)) and not glyphs.joins(ord(c))]

    assert hidden == []


@given(strategies.rules())
def test_a_rule_on_one_line_is_the_rule(rule: ast.RuleItem) -> None:
    """`format_rule` prints what `format_file` does, on one line and without the semicolon."""
    line = format_rule(rule)
    end = "" if getattr(rule, "options", None) else ";"
    policy = parsed(f"policy p {{ {line}{end} }}").policies[0]

    assert "\n" not in line
    assert policy.items == (rule,)
