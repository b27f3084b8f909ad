"""Whatever stands in a policy file, the answer is an AST or diagnostics: never a traceback."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler import explain
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.render import render_all, to_json
from langc.compiler.source import Source
from langc.compiler.syntax.parse import parse_source
from langc.compiler.syntax.print import format_file
from langc.compiler.unicode import glyphs
from tests.examples import examples
from tests.property import strategies

CODES = frozenset(explain.codes())

PIECES = [
    *("policy p {", "}", "deny ", "only ", "allow ", "let a = ", "accept ", "reject ", " at 1", ";", ",", "a", "99999"),
    *(
        "script Han",
        " strictly",
        "[",
        "[^",
        "]",
        "(",
        ")",
        "!",
        "|",
        "--",
        "&&",
        "-",
        "..",
        "U+0041",
        "U+D800",
        "\\p{L}",
    ),
    *('"x"', '"', "\\n", "\\", "\\u{", "\\p{", "&", "^", ":", "~~", ".", "#", "\n", "\r", " ", "가", "\0", "\u202e"),
    *("region", "phrase", "{", "=", "\\u{41}", "\\q", "z-a", "\ud800", "\ufeff", "“", "；"),
]


def diagnose(text: str) -> list[Diagnostic]:
    """What is said about a text; if nothing, it is printed too."""
    try:
        file, warnings = parse_source(Source.of("<any>", text))
    except LangcError as error:
        return list(error.diagnostics)
    format_file(file)
    return list(warnings)


def check(text: str) -> None:
    """The diagnostics have pages, point into the text, and can be shown in both forms."""
    source = Source.of("<any>", text)
    for diagnostic in diagnose(text):
        labels = [label for label in (diagnostic.primary, *diagnostic.secondary) if label]
        shown = render_all([diagnostic])

        assert diagnostic.code in CODES
        assert all(0 <= label.span.start <= label.span.end <= len(source.text) for label in labels)
        assert all(c in "\n " or glyphs.is_plain(ord(c)) or glyphs.joins(ord(c)) for c in shown)
        assert json.loads(json.dumps(to_json(diagnostic)))["code"] == diagnostic.code


@given(st.text(max_size=60))
def test_any_characters(text: str) -> None:
    """Text that is no policy at all."""
    check(text)


@settings(max_examples=examples(500))
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_pieces(body: str) -> None:
    """Pieces of policies in any order, alone and where rules, sets and members stand."""
    for text in (body, f"policy p {{ {body} }}", f"policy p {{ deny {body}; }}", f"policy p {{ deny [{body}]; }}"):
        check(text)


@given(strategies.files(), st.integers(0, 200), st.integers(0, 12), st.sampled_from(PIECES))
def test_damaged_policies(file: object, start: int, length: int, piece: str) -> None:
    """A policy in which some characters are replaced by a piece of another."""
    text = format_file(file)  # type: ignore[arg-type]

    check(text[:start] + piece + text[start + length :])
