"""Names of which a rule asks for members that they do not have: none is begun, and all others can be written."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.syntax import read_surfaces

SURFACE = """
surface s (word = pattern /[a-z]+/, start = a) {{
    sort Table; sort Column of Table; sort Index of Table;
    env names;
    a := t=ref(Table) {rest};
    sign := "!" | "?";
}}
"""
RULES: dict[str, set[tuple[str, str] | str | None]] = {
    '"." ref(Column, of t)': {(".", "Column")},
    '("." ref(Column, of t) | ":" ref(Index, of t))': {(".", "Column"), (":", "Index")},
    '("." ref(Column, of t))?': {(".", "Column"), None},
    'sign? ("." ref(Column, of t) | "-")': {(".", "Column"), ("!.", "Column"), ("?.", "Column"), "-", "!-", "?-"},
}
TABLES = ("ab", "abc", "cd", "x")
names = st.lists(st.sampled_from(("a", "ab", "id")), max_size=2, unique=True)
tables = st.dictionaries(st.sampled_from(TABLES), st.tuples(names, names), max_size=4)


def engine_of(rest: str, known: dict[str, tuple[list[str], list[str]]]) -> Engine:
    """The surface over tables with their columns and indexes."""
    entries = [Entry(name, "Table", members=_members(*both)) for name, both in known.items()]
    surface = read_surfaces(Source.of("s.policy", SURFACE.format(rest=rest)))["s"]
    return Engine(surface, Environment("names", {"Table": Group.of(entries)}))


def _members(columns: list[str], indexes: list[str]) -> dict[str, Group]:
    return {
        sort: Group.of(Entry(name, sort) for name in found)
        for sort, found in (("Column", columns), ("Index", indexes))
        if found
    }


def spelled_out(rest: str, known: dict[str, tuple[list[str], list[str]]]) -> set[str]:
    """All texts."""
    found = set()
    for end, (table, (columns, indexes)) in product(RULES[rest], known.items()):
        if isinstance(end, tuple):
            found |= {table + end[0] + name for name in (columns if end[1] == "Column" else indexes)}
        else:
            found.add(table + (end or ""))
    return found


def beginnings(config: Config, text: str = "") -> dict[str, bool]:
    """All that can be read, and whether it may end there."""
    found = {text: config.accepting}
    for letter in "abcdefghijklmnopqrstuvwxyz.:!?-":
        behind = config.step(ord(letter))
        if behind is not None:
            found |= beginnings(behind, text + letter)
    return found


@pytest.mark.parametrize("rest", RULES)
@given(known=tables)
def test_what_is_begun_can_be_ended(rest: str, known: dict[str, tuple[list[str], list[str]]]) -> None:
    """The texts are those that were spelled out, and nothing is a beginning that is not one of theirs."""
    texts = spelled_out(rest, known)
    read = beginnings(engine_of(rest, known).start)
    assert {text for text, accepted in read.items() if accepted} == texts
    assert set(read) - {""} == {text[:end] for text in texts for end in range(1, len(text) + 1)}
