"""Any row of bytes in a complement, as the target llguidance writes it, is any text: judged by `re` over real bytes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.verify.readers.lark import read_lark

pytestmark = pytest.mark.slow

CHARACTERS = "aé한💬"
BYTES = r"BYTES: ~/[^\x00-\x{10FFFF}]/"

Written = tuple[str, str]
"""One expression, as llguidance's Lark and for `re` over bytes."""


def _class(members: set[str]) -> Written:
    lark = "".join(rf"\x{{{ord(c):X}}}" for c in sorted(members))
    return f"/[{lark}]/", "(?:" + "|".join(re.escape(c) for c in sorted(members)) + ")"


def _row(parts: list[Written]) -> Written:
    return f"({' '.join(p for p, _ in parts)})", f"(?:{''.join(p for _, p in parts)})"


def _choice(parts: list[Written]) -> Written:
    return f"({' | '.join(p for p, _ in parts)})", f"(?:{'|'.join(p for _, p in parts)})"


def _repeated(part: Written, sign: str) -> Written:
    return f"({part[0]}){sign}", f"(?:{part[1]}){sign}"


CLASSES = st.sets(st.sampled_from(CHARACTERS), min_size=1).map(_class)
EXPRESSIONS = st.recursive(
    CLASSES | st.just(("BYTES", "(?s:.)*")),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(_row)
        | st.lists(inner, min_size=1, max_size=3).map(_choice)
        | st.builds(_repeated, inner, st.sampled_from("?*+"))
    ),
    max_leaves=6,
)


@given(EXPRESSIONS, st.lists(st.text(CHARACTERS, max_size=4), max_size=30))
def test_any_row_of_bytes_is_any_text(written: Written, texts: list[str]) -> None:
    """However rows of bytes, characters, choices and repetitions are put together: no text can tell."""
    lark, pattern = written
    dfa = read_lark(f"start: TEXT\nTEXT: /(?s:.*)/ & ~({lark})\n{BYTES}\n")
    over_bytes = re.compile(pattern.encode())

    assert [dfa.accepts(map(ord, t)) for t in texts] == [over_bytes.fullmatch(t.encode()) is None for t in texts]
