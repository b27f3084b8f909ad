"""The reader of llguidance's grammars: what it reads, and what it refuses because the engine takes it otherwise."""

from __future__ import annotations

import pytest

from langc.compiler.automata.build import build_dfa
from langc.compiler.ir.language import (
    ANY_TEXT,
    Language,
    alternation,
    class_,
    complement,
    concat,
    intersection,
    literal,
    repetition,
)
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.verify.readers.lark import read_lark
from langc.compiler.verify.readers.nodes import ReadError

A, B, C = literal("a"), literal("b"), literal("c")
NO_LINE_END = class_(SCALARS - IntervalSet.of("\n"))
ANY = r"/(?s:.*)/"
BYTES = r"~/[^\x00-\x{10FFFF}]/"


BY_HAND: list[tuple[str, Language]] = [
    ('"a" "b" & /ab/ | "c"', alternation(concat(A, B), C)),
    ('"a" ("b" | "c")', concat(A, alternation(B, C))),
    ("/a|b/ /c/", concat(alternation(A, B), C)),
    ('"a"+ "b"* "c"?', concat(repetition(A, 1), repetition(B), repetition(C, 0, 1))),
    ('"a"{2} "b"{1,} ("c"){0,3}', concat(A, A, repetition(B, 1), repetition(C, 0, 3))),
    (f'{ANY} & ~("a"+)', complement(repetition(A, 1))),
    (f'({ANY} & ~"a")+ "b"', concat(repetition(complement(A), 1), B)),
    (f'~"a" & {ANY} & ~"b"', intersection(complement(A), complement(B))),
    ("/(?s:.)/ /./", concat(class_(SCALARS), NO_LINE_END)),
    ('""', literal("")),
    ('"\\u0061\\n\\/"', literal("a\n/")),
    (r"/[\x{AC00}-\x{D7A3}\/]\x0A\//", concat(class_(IntervalSet.of((0xAC00, 0xD7A3), "/")), literal("\n/"))),
    ('OTHER OTHER\nOTHER: "a" // a comment', concat(A, A)),
    ('"a"\n  | "b"  # a comment\n\n  | "c"', alternation(A, B, C)),
    (f"{ANY} & ~({ANY} /ab/ {ANY})", complement(concat(ANY_TEXT, literal("ab"), ANY_TEXT))),
    (f"{ANY} & ~(BYTES /ab/ BYTES)\nBYTES: {BYTES}", complement(concat(ANY_TEXT, literal("ab"), ANY_TEXT))),
    (f"{ANY} & ~((BYTES /a/)? /b/)\nBYTES: {BYTES}", complement(concat(repetition(concat(ANY_TEXT, A), 0, 1), B))),
    (f"{ANY} & ~({ANY} & ~({BYTES} | /a/))", complement(complement(ANY_TEXT))),
]


@pytest.mark.parametrize(("body", "expected"), BY_HAND)
def test_terminals_by_hand(body: str, expected: Language) -> None:
    """Strings, expressions, references and operators, in the order in which they bind."""
    assert build_dfa(expected) == read_lark(f"// a comment\n\nstart: TEXT\nTEXT: {body}\n")


@pytest.mark.parametrize(
    "body",
    [
        "",
        '"a" |',
        '"a"\n  # a comment\n  | "b"',
        '"a" &',
        '& "a"',
        "()",
        '("a"',
        '"a")',
        '~"a"',
        '~"a" & ~"b"',
        f'{ANY} & (~"a" "b")',
        f'{ANY} & ~"a"+',
        f'{ANY} & ~~"a"',
        '"a" ~"b"',
        BYTES,
        f"{BYTES} & /a/",
        f"{ANY} & {BYTES}",
        f"{ANY} & ~(({BYTES} & ~/a/) /b/)",
        f"BYTES\nBYTES: {BYTES}",
        f"{ANY} & ~BYTES | BYTES\nBYTES: {BYTES}",
        '"a"~2',
        '"a"i',
        "/a/i",
        "/a/s",
        '"a"{0}',
        '"a"{3,2}',
        '"a"+*',
        '["a"]',
        '"a".."z"',
        "<|end|>",
        "@other",
        '%json {"type": "string"}',
        "OTHER",
        "TEXT",
        '"a" TEXT',
        "other",
        "//",
        "/(a/",
        "/[]/",
        "/^a/",
        r"/\d/",
        "/a",
        '"a',
        '"\\x41"',
        '"\\ud800"',
        "(" * 200 + '"a"' + ")" * 200,
    ],
)
def test_terminals_that_are_not_sure_are_refused(body: str) -> None:
    """What the engine refuses, takes in its own way, or lets malformed text through with."""
    with pytest.raises(ReadError):
        read_lark(f"start: TEXT\nTEXT: {body}\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        'TEXT: "a"\n',
        "start: TEXT\n",
        'start: "a"\n',
        'start: TEXT TEXT\nTEXT: "a"\n',
        'start: TEXT*\nTEXT: "a"\n',
        'start[lazy]: TEXT\nTEXT: "a"\n',
        'start: TEXT\nstart: TEXT\nTEXT: "a"\n',
        'start: TEXT\nTEXT: "a"\nTEXT: "b"\n',
        'start: TEXT\nTEXT: "a"\nother: TEXT\n',
        'start: TEXT\nTEXT: "a"\n%ignore /b/\n',
        '%llguidance {"allow_invalid_utf8": true}\nstart: TEXT\nTEXT: "a"\n',
        "start: TEXT\nTEXT: A\nA: B\nB: A\n",
    ],
)
def test_grammars_of_another_kind_are_refused(text: str) -> None:
    """The whole text is one terminal; rules, options, and terminals that go round are something else."""
    with pytest.raises(ReadError):
        read_lark(text)


def test_the_option_that_changes_no_text_is_read() -> None:
    """Whether what has to follow is written unasked."""
    for option in ("%llguidance {}", '%llguidance {"no_forcing": true}'):
        assert build_dfa(A) == read_lark(f'{option}\nstart: TEXT\nTEXT: "a"\n')


def test_an_error_points_into_the_text() -> None:
    """Also inside an expression."""
    with pytest.raises(ReadError) as caught:
        read_lark('start: TEXT\nTEXT: "a" /b[]/\n')

    assert caught.value.offset in range(len('start: TEXT\nTEXT: "a" /b'), len('start: TEXT\nTEXT: "a" /b[]/'))


def test_a_long_chain_of_terminals_is_refused() -> None:
    """A stranger's file cannot use up the stack."""
    chain = "".join(f"T{n}: T{n + 1}\n" for n in range(2_000))
    with pytest.raises(ReadError):
        read_lark(f'start: T0\n{chain}T2000: "a"\n')
