"""The committed tables are those of the grammar, and our parser reads them as lark reads the grammar."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark, Token, Tree
from lark.common import LexerConf
from lark.exceptions import UnexpectedInput
from lark.lexer import BasicLexer, Lexer, LexerState

from langc.compiler.source import Span
from langc.compiler.syntax import build_tables, lalr
from langc.compiler.syntax.parse import TABLES
from langc.compiler.syntax.print import format_file
from langc.compiler.syntax.words import RESERVED, RULE_KEYWORDS, noun
from tests.examples import examples
from tests.property import strategies

# --- the committed file -------------------------------------------------------------------------


def test_tables_are_up_to_date() -> None:
    """Whoever changes the grammar runs the generator."""
    made = build_tables.build(build_tables.GRAMMAR.read_text(encoding="utf-8"))

    assert TABLES.read_text(encoding="utf-8") == made, f"run `{build_tables.COMMAND}`"


@pytest.mark.parametrize("seed", ["1", "2"])
def test_tables_do_not_depend_on_the_hash_seed(seed: str) -> None:
    """Every run writes the same bytes, although lark works on sets of hashes."""
    code = "from langc.compiler.syntax.build_tables import *; print(build(GRAMMAR.read_text('utf-8')), end='')"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
    made = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)

    assert TABLES.read_bytes() == made.stdout


def test_tables_say_how_they_are_made() -> None:
    """The first key of the file is the command that writes it."""
    data = json.loads(TABLES.read_text(encoding="utf-8"))

    assert build_tables.COMMAND in data["generated"]
    assert next(iter(data)) == "generated"


def test_every_terminal_has_a_name_for_people() -> None:
    """No message shows the name of a terminal."""
    tables = lalr.load(TABLES)
    terminals = {kind for state in tables.states for kind in state.actions}

    assert len(terminals) >= 30
    assert all(noun(kind, tables.spelling) for kind in terminals)


def test_reserved_words_are_those_of_the_grammar() -> None:
    """Each reserved word of the grammar has words for its message, and nothing else is reserved."""
    modes = lalr.load(TABLES).modes
    words = [*RESERVED, *RULE_KEYWORDS, "scope2", "environment", "sort-of", "Surface"]
    kinds = {word: match.lastgroup for word in words if (match := modes[0].pattern.match(word))}

    assert {word for word, kind in kinds.items() if kind == "RESERVED"} == set(RESERVED)
    grammar = build_tables.GRAMMAR.read_text(encoding="utf-8")
    line = next(line for line in grammar.splitlines() if line.startswith("RESERVED"))
    listed = line[line.index("(?:") + 3 : line.index(")")].split("|")
    assert set(listed) == set(RESERVED)


# --- against lark -------------------------------------------------------------------------------


class TwoModes(Lexer):
    """lark's own lexers, one for the text inside brackets and one for that outside, as the grammar describes."""

    __future_interface__ = 2

    def __init__(self, conf: LexerConf) -> None:
        self.conf = conf
        self.lexers: dict[bool, BasicLexer] = {}

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:
        """The tokens, each read in the mode of the state that the parser is in."""
        try:
            while True:
                row = parser_state.parse_conf.states[parser_state.position]
                yield self._lexer("CHARACTER" in row).next_token(lexer_state, parser_state)
        except EOFError:
            pass

    def _lexer(self, inside: bool) -> BasicLexer:
        if inside not in self.lexers:
            class_terminals = {
                *("CHARACTER", "ESCAPE", "PROPERTY", "MINUS", "DIFFERENCE", "INTERSECTION"),
                *("_OPEN", "OPEN_NOT", "RSQB", "WHITE_SPACE"),
            }
            terminals = [
                t
                for t in self.conf.terminals
                if (t.name in class_terminals if inside else t.name not in ("CHARACTER", "ESCAPE", "MINUS"))
            ]
            ignored = ["WHITE_SPACE"] if inside else ["WHITE_SPACE", "COMMENT"]
            self.lexers[inside] = BasicLexer(LexerConf(terminals, self.conf.re_module, ignored))
        return self.lexers[inside]


@cache
def reference() -> Lark:
    """The grammar as lark itself runs it."""
    grammar = build_tables.GRAMMAR.read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer=TwoModes, postlex=build_tables.KeepReserved())


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
    return None if node is None else (str(node.type), str(node))


def by_tables(text: str) -> Any:
    """Our tree of the same shape, or None if the text is refused."""
    tables = lalr.load(TABLES)

    def reduce(rule: str, span: Span, children: list[Any]) -> Any:
        return (rule, [(c.kind, c.text) if isinstance(c, lalr.Token) else c for c in children])

    try:
        return lalr.parse(tables, text, reduce, lambda token: None)
    except lalr.Unexpected:
        return None


@settings(max_examples=examples(80), deadline=None)
@given(strategies.files())
def test_policies_get_the_tree_of_lark(file: Any) -> None:
    """On policies, in which every construct of the language comes up, both build the same tree."""
    text = format_file(file)
    tree = by_tables(text)

    assert tree is not None
    assert tree == by_lark(text)


FRAGMENTS = [
    *("policy p {", "}", "deny ", "only ", "allow ", "let a = ", "accept ", 'reject "x" at ', ";", ",", "a", "12"),
    *("script Han", " strictly", "[", "[^", "]", "(", ")", "!", "|", "--", "&&", "-", "..", "U+0041", "\\p{L}"),
    *('"x"', '"', "\\n", "\\", "&", "^", ":", ".", "#", "\n", " ", "가", "denycjk", "surface", "{", "=", "\\u{41}"),
    *("deny phrase ", "phrases from ", "terms from ", "stop on ", "discourage ", " by ", "2.5", " up to "),
    *(
        "region r = ",
        "fence",
        "between ",
        "after ",
        "start ",
        "any",
        "unclosed ",
        "allow",
        "compat(",
        "characters(",
        "up",
        "to",
        "on",
    ),
]


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_fragments_are_judged_as_lark_judges_them(body: str) -> None:
    """On texts that are mostly wrong, both accept and refuse the same ones, with the same trees."""
    for text in (body, f"policy p {{ deny {body}; }}", f"policy p {{ deny [{body}]; }}"):
        assert by_tables(text) == by_lark(text)


@settings(max_examples=examples(60), deadline=None)
@given(strategies.files(), st.randoms(use_true_random=False))
def test_damaged_policies_are_judged_as_lark_judges_them(file: Any, chance: random.Random) -> None:
    """A policy with one piece deleted, doubled or moved is accepted by both or by neither."""
    text = format_file(file)
    start, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
    end = min(end, start + 8)
    target = chance.randrange(len(text) + 1)
    for damaged in (text[:start] + text[end:], text[:target] + text[start:end] + text[target:]):
        assert by_tables(damaged) == by_lark(damaged)
