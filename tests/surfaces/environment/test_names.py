"""Entries, groups and sets of names, against lists that are searched one by one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.surfaces.environment.names import Entry, Environment, Group, NameSet, Words
from langc.compiler.surfaces.environment.spelling import Spelling

SQL = Spelling.make(
    fold_case=True, quotes=(('"', '"'), ("`", "`"), ("[", "]")), keywords=frozenset({"SELECT", "order"})
)
PLAIN = Spelling.make(word="-{0,2}[a-z][a-z-]*")
SPELLINGS = (SQL, PLAIN, Spelling.make(quotes=(("'", "'"),)))
NAMES = st.lists(
    st.text(st.sampled_from('abAB_0 "`[]-é\0') | st.characters(), max_size=4) | st.just("select"), max_size=12
)


def entries(names: list[str]) -> list[Entry]:
    """One entry a name."""
    return [Entry(name, "Table") for name in names]


def folded(name: str, spelling: Spelling) -> str:
    """A-Z as a-z, letter by letter."""
    if not spelling.fold_case:
        return name
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in name)


def expected(names: list[str], spelling: Spelling) -> dict[bytes, int]:
    """The spellings by the rules as they are written down, and which name each is for."""
    found: dict[bytes, int] = {}
    for index, name in enumerate(names):
        plain = folded(name, spelling)
        if not name or "\0" in name or any(0xD800 <= ord(c) <= 0xDFFF for c in name):
            continue
        ways = []
        keywords = {folded(word, spelling) for word in spelling.keywords}
        if re.fullmatch(spelling.word, plain, re.ASCII) and plain not in keywords:
            ways.append(plain)
        for opening, closing in spelling.quotes:
            if opening == closing or closing not in plain:
                ways.append(opening + "".join(c * 2 if c == closing else c for c in plain) + closing)
        for way in ways:
            found.setdefault(way.encode(), index)
    return found


@given(NAMES, st.sampled_from(SPELLINGS))
def test_spellings_are_those_of_the_rules(names: list[str], spelling: Spelling) -> None:
    """Sorted, each for the first name that has it; all other names are hidden or cannot be written."""
    row = entries(names)
    found = NameSet.of(row, spelling)
    wanted = expected(names, spelling)

    assert found.spellings == tuple(sorted(wanted))
    assert [row.index(entry) for entry in found.entries] == [wanted[way] for way in found.spellings]
    assert {*found.entries, *found.hidden, *found.unwritable} == set(row)


@given(NAMES, st.sampled_from(SPELLINGS), st.data())
def test_narrowing_finds_what_a_search_finds(names: list[str], spelling: Spelling, data: st.DataObject) -> None:
    """Byte by byte, the range is that of the spellings with the prefix; where one ends, its entry is told."""
    found = NameSet.of(entries(names), spelling)
    if not found:
        return
    word = data.draw(st.sampled_from(found.spellings))
    low, high = 0, len(found)
    for depth, byte in enumerate(word):
        other = data.draw(st.integers(0, 255))
        tried = found.narrow(low, high, depth, other)
        lead = word[:depth] + spelling.folded(bytes([other]))
        assert [w for w in found.spellings if w.startswith(lead)] == list(found.spellings[slice(*tried)])
        low, high = found.narrow(low, high, depth, byte)
        exact = [e for w, e in zip(found.spellings, found.entries, strict=True) if w == word[: depth + 1]]
        assert found.ends_at(low, high, depth + 1) == (exact[0] if exact else None)
    assert found.find(word) is found.entries[low]


@given(NAMES, st.sampled_from(SPELLINGS))
def test_a_spelling_reads_back_as_its_name(names: list[str], spelling: Spelling) -> None:
    """`name_of` takes the quotes off again."""
    found = NameSet.of(entries(names), spelling)

    for way, entry in zip(found.spellings, found.entries, strict=True):
        assert spelling.name_of(way) == folded(entry.name, spelling).encode()


@pytest.mark.parametrize("lexeme", [b'"', b'""', b'"a', b'"a"b"', b"select", b"SELECT", b"[]", b"[a]]b]"])
def test_what_is_no_name(lexeme: bytes) -> None:
    """Half of a quote, nothing between quotes, and a bare keyword write no name."""
    assert SQL.name_of(lexeme) is None


def test_names_are_found_in_any_case() -> None:
    """The surface folds, so a lexeme in capitals is the same name; the byte is folded on the way too."""
    row = entries(["Users", "orders"])
    found = NameSet.of(row, SQL)

    assert found.find(b"USERS") is row[0]
    assert found.find(b'"ORDERS"') is row[1]
    assert found.narrow(0, len(found), 0, ord("U")) == found.narrow(0, len(found), 0, ord("u"))


def test_equal_questions_have_the_same_answer() -> None:
    """Groups, entries made at run time and sets of names are one object for equal content."""
    row = entries(["a", "b"])
    group = Group.of(row)
    made = Group.of_names("Column", ["x", "y"])

    assert Group.of(list(row)) is group
    assert group.names(SQL) is group.names(SQL) is NameSet.of(iter(row), SQL)
    assert group.names(SQL, where=["view"]) is group.names(SQL, where={"view"})
    assert Group.of_names("Column", iter(["x", "y"])) is made
    assert Group.of_names("Column", ["x"]).entries[0] is made.entries[0]
    assert Group.of_names("Result", ["x", "y"]) is not made
    assert Group.of(entries(["a", "b"])) is not group


def test_attributes_choose() -> None:
    """`where` and `not where` of a slot; of a name with two entries each slot gets its own."""
    both = [
        Entry("max", "Function", frozenset({"aggregate", "window"})),
        Entry("max", "Function", frozenset({"scalar"})),
    ]
    group = Group.of(both)

    assert group.names(SQL, where={"scalar"}).entries[-1] is both[1]
    assert group.names(SQL, where_not={"scalar"}).entries[-1] is both[0]
    assert (group.get("MAX"), group.get("MAX", fold_case=True)) == (None, both[0])
    assert group.all(b"max") == tuple(both)
    assert len(group.names(SQL, where={"none"})) == 0


def test_environments_merge_in_order() -> None:
    """The groups of one sort follow each other; the first of two equal names hides the other."""
    first = Environment("a", {"Table": Group.of(entries(["t", "u"]))})
    second = Environment("b", {"Table": Group.of(entries(["T", "v"])), "Function": Group.of(entries(["f"]))})
    merged = Environment.merged([first, second])
    names = merged.group("Table").names(SQL)

    assert [e.name for e in merged.group("Table")] == ["t", "u", "T", "v"]
    assert names.find(b"t") is first.group("Table").get("t")
    assert [e.name for e in names.hidden] == ["T"]
    assert {e.sort for e in merged.group("Function")} == {"Table"}
    assert len(merged.group("Nothing")) == 0
    assert Environment.merged([first]) is first


def test_words() -> None:
    """An open slot excludes words as they are folded."""
    words = Words("[a-z]+", frozenset({b"users"}), fold_case=True)

    assert (words.allows(b"USERS"), words.allows(b"u")) == (False, True)
    assert Words("[a-z]+", frozenset({b"users"})).allows(b"USERS")


def test_no_pattern_takes_for_ever() -> None:
    """A word's shape may come from a stranger, and backtracking would never end here."""
    spelling = Spelling.make(word="(a+)+b", quotes=(('"', '"'),))
    row = entries(["a" * 60, "a" * 60 + "b"])

    assert [len(way) for way in NameSet.of(row, spelling).spellings] == [62, 63, 61]
