"""Exempt regions: the automaton against a reader that scans, and the reader against a CommonMark parser."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from langc.compiler.ir.language import cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.policy import Policy
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests.oracle.regions import outer_stretches

pytestmark = pytest.mark.slow

HAN = IntervalSet(((0x4E00, 0x9FFF),))
TERM = "漢江"
PIECES = ("`", "``", "```", "````", "~~~", "~~~~", "`" * 9, "\n", "\r\n", "a", " ", "   ", "    ", "漢", TERM)
THINK_PIECES = ("<think>", "</think>", "<th", "ink>", "<")


@cache
def _policy(*exempt: str) -> Policy:
    return Policy(PolicyIR("t", None, (), cover(SCALARS - HAN, (TERM,)))).with_(exempt=exempt)


def _is_covered(stretch: str) -> bool:
    """The plain definition: every Han character lies in an occurrence of the term."""
    inside = {i + k for i in range(len(stretch)) if stretch.startswith(TERM, i) for k in range(len(TERM))}
    return all(i in inside or ord(c) not in HAN for i, c in enumerate(stretch))


def _expected(text: str, *exempt: str) -> bool:
    stretches = outer_stretches(text, "code" in exempt, "think" in exempt)
    return stretches is not None and all(map(_is_covered, stretches))


def _texts(pieces: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=12).map("".join)


@settings(max_examples=1500, deadline=None)
@given(_texts(PIECES))
def test_code_is_exempt_where_a_reader_finds_code(text: str) -> None:
    """The automaton of `exempt code` accepts what the scanner accepts."""
    assert _expected(text, "code") == _policy("code").accepts(text)


def test_a_fence_closes_on_a_line_that_ends_with_cr_lf() -> None:
    """As in a file from Windows; else the rest of it would count as code."""
    assert _policy("code").first_violation("```\r\n字\r\n```\r\n字") == 13


@settings(max_examples=1000, deadline=None)
@given(_texts(("漢", TERM, "a", "\n", *THINK_PIECES)))
def test_thought_is_exempt_up_to_its_first_closer(text: str) -> None:
    """The automaton of `exempt think` accepts what the scanner accepts."""
    assert _expected(text, "think") == _policy("think").accepts(text)


@settings(max_examples=1500, deadline=None)
@given(_texts(PIECES + THINK_PIECES))
def test_what_opens_first_stands(text: str) -> None:
    """Both regions at once: fences hold no thought, thought hides fences, spans never reach over `<think>`."""
    assert _expected(text, "code", "think") == _policy("code", "think").accepts(text)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.sampled_from(("```", "````", "~~~", "  ```", "    ```", "a", "``` py", "```a`", "~~~ ~", "``` ")), max_size=7
    )
)
def test_the_reader_finds_the_fences_of_commonmark(lines: list[str]) -> None:
    """Which lines lie in fences, compared with markdown-it; lines that CommonMark indents as code are left out."""
    text = "\n".join(lines)
    inside: set[int] = set()
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence" and token.map:
            inside.update(range(*token.map))
        elif token.type == "code_block" and token.map:
            return
    marked = "\n".join(f"{line}漢" if i not in inside and line == "a" else line for i, line in enumerate(lines))
    stretches = outer_stretches(marked, code=True, think=False)

    assert stretches is not None
    assert sum(s.count("漢") for s in stretches) == marked.count("漢")


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(("`", "``", "```", "a", "b ")), max_size=9))
def test_the_reader_finds_the_code_spans_of_commonmark(pieces: list[str]) -> None:
    """Within one line the text outside code spans is what markdown-it prints as text."""
    line = "x" + "".join(pieces)
    if "````" in line:  # longer runs are plain text here, as documented
        return
    inline = MarkdownIt("commonmark").parseInline(line)[0].children or []
    expected = "".join(t.content for t in inline if t.type == "text")
    stretches = outer_stretches(line, code=True, think=False)

    assert stretches is not None
    assert expected == "".join(stretches)
