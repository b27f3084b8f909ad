"""The committed tables of surfaces are those of the grammar, and our parser reads them as lark reads the grammar."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from langc.compiler.source import Source, Span
from langc.compiler.syntax import build_tables, lalr
from langc.compiler.syntax.ast import PolicyFile
from langc.compiler.syntax.print import format_file
from langc.compiler.syntax.surfaces.ast import SurfaceDecl
from langc.compiler.syntax.surfaces.complaints import complain
from langc.compiler.syntax.surfaces.parse import TABLES
from tests.examples import examples
from tests.surfaces.syntax import strategies

GRAMMAR = (build_tables.GRAMMARS / "surface.lark").read_text(encoding="utf-8")


def test_tables_are_up_to_date() -> None:
    """Whoever changes the grammar runs the generator."""
    assert TABLES.read_text(encoding="utf-8") == build_tables.build(GRAMMAR), f"run `{build_tables.COMMAND}`"


@cache
def reference() -> Lark:
    """The grammar as lark itself runs it."""
    return Lark(GRAMMAR, parser="lalr", lexer="basic")


def by_lark(text: str) -> Any:
    """lark's tree, or None if it refuses the text."""
    try:
        return plain(reference().parse(text))
    except UnexpectedInput:
        return None


def plain(node: Any) -> Any:
    """A tree of lark as nested tuples."""
    if isinstance(node, Tree):
        return (str(node.data), [plain(child) for child in node.children])
    return None if node is None else (str(node.type), str(node)) if isinstance(node, Token) else node


def by_tables(text: str) -> Any:
    """Our tree of the same shape, or None if the text is refused."""

    def reduce(rule: str, span: Span, children: list[Any]) -> Any:
        return (rule, [(c.kind, c.text) if isinstance(c, lalr.Token) else c for c in children])

    try:
        return lalr.parse(lalr.load(TABLES), text, reduce, lambda token: None)
    except lalr.Unexpected as error:
        found = complain(Source("<test>", text), Span(0, len(text)), error)
        assert found.primary is not None
        assert found.primary.span.end <= len(text)
        return None


def printed(surface: SurfaceDecl) -> str:
    """The text of one surface without comments above it."""
    text = format_file(PolicyFile((), (surface,), source=Source("<made>", "")))
    return text[text.index("surface ") :] if not surface.leading else text


@settings(max_examples=examples(100), deadline=None)
@given(strategies.surfaces())
def test_surfaces_get_the_tree_of_lark(surface: SurfaceDecl) -> None:
    """On surfaces, in which every construct comes up, both build the same tree."""
    tree = by_tables(printed(surface))

    assert tree is not None
    assert tree == by_lark(printed(surface))


FRAGMENTS = [
    *("surface s {", "}", "token T = pattern ", "skip ", "munch ", "keywords ", "sort S", " of Q", "env e", " from f("),
    *(
        "scope K",
        " opaque",
        "level S: ",
        "r := ",
        ";",
        ",",
        "|",
        "?",
        "*",
        "+",
        "??",
        "(",
        ")",
        "[",
        "]",
        "{",
        "a",
        "a(",
    ),
    *(
        '"x"',
        "'y'",
        "/z/",
        "/",
        '"',
        "'",
        "=> ",
        "= ",
        "in ",
        "not ",
        "x=",
        "12",
        ".*",
        ".",
        "#",
        "\n",
        " ",
        "가",
        "token(",
    ),
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_fragments_are_judged_as_lark_judges_them(body: str) -> None:
    """On texts that are mostly wrong, both accept and refuse the same ones; each refusal has words and a place."""
    for text in (body, f"surface s {{ {body}; }}", f"surface s {{ r := {body}; }}"):
        assert by_tables(text) == by_lark(text)


@settings(max_examples=examples(100), deadline=None)
@given(strategies.surfaces(), st.randoms(use_true_random=False))
def test_damaged_surfaces_are_judged_as_lark_judges_them(surface: SurfaceDecl, chance: random.Random) -> None:
    """A surface with one piece deleted, doubled or moved is accepted by both or by neither."""
    text = printed(surface)
    start, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
    end = min(end, start + 8)
    target = chance.randrange(len(text) + 1)
    for damaged in (text[:start] + text[end:], text[:target] + text[start:end] + text[target:]):
        assert by_tables(damaged) == by_lark(damaged)
