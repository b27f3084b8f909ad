"""The committed tables against the packages they come from, and against each other."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
import regex
from fontTools.unicodedata import Scripts

from langc.compiler.unicode import UNICODE_VERSION, aliases, encodings, generate, properties
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union
from langc.compiler.unicode.tables import binary

EVERY = "".join(map(chr, range(0x110000)))


def by_regex(what: str) -> IntervalSet:
    """The scalar values that the regex package gives a property."""
    found = regex.finditer(rf"\p{{{what}}}+", EVERY)
    return IntervalSet(tuple((m.start(), m.end() - 1) for m in found)) & SCALARS


@pytest.mark.slow
def test_the_committed_tables_are_what_the_generator_writes() -> None:
    """Nobody edited a table, and no source of the tables has changed under them."""
    expected = generate.render()

    found = generate.FOLDER.rglob("[!_]*.py")
    committed = {path.relative_to(generate.FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in found}

    assert len(expected) == 9 + len(encodings.NAMES)
    assert expected == committed


def test_every_table_says_what_it_is() -> None:
    """The header has the warning, the command, the Unicode version, and the source with its version."""
    heads = [path.read_text(encoding="utf-8").split('"""')[1] for path in generate.FOLDER.rglob("[!_]*.py")]
    of_unicode = [h for h in heads if f"Unicode {UNICODE_VERSION}" in h]
    of_python = [h for h in heads if regex.search(r"Source: the codec \w+ of CPython", h)]

    assert [len(of_unicode), len(of_python)] == [9, len(encodings.NAMES)]
    assert len(heads) == len(of_unicode) + len(of_python)
    for head in heads:
        assert "do not edit" in head
        assert "python -m langc.compiler.unicode.generate" in head
    for head in of_unicode:
        assert regex.search(r"Source: (fonttools 4|unicodedata2 18|regex 2026|emoji 2)\.[\d.]+", head)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("property", "values"),
    [("Script", Scripts.NAMES), ("Script_Extensions", Scripts.NAMES), ("General_Category", aliases.CATEGORIES)],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_second_source_agrees(property: str, values: dict[str, object]) -> None:
    """fontTools' scripts and unicodedata2's categories are those that regex knows, value by value."""
    names = [value for value in values if value != "Cs"]

    different = [v for v in names if properties.lookup(property, v) != by_regex(f"{property}={v}")]

    assert len(names) >= 29
    assert different == []


@pytest.mark.parametrize("property", ["General_Category", "Script", "Word_Break", "Block"])
def test_the_values_are_a_partition(property: str) -> None:
    """Every scalar value has exactly one value of an enumerated property."""
    names = sorted(set(properties._values(property).values()))
    names = [n for n in names if n not in aliases.CATEGORY_GROUPS and n not in properties._SURROGATES.get(property, ())]

    sets = [properties.lookup(property, name) for name in names]

    assert len(sets) >= 19
    assert union(sets) == SCALARS
    assert sum(map(len, sets)) == len(SCALARS)


def test_a_script_is_in_its_own_extensions() -> None:
    """Whatever is of script X has X among its Script_Extensions, but for Common and Inherited."""
    scripts = [name for name in properties.SCRIPTS if name not in ("Common", "Inherited")]

    outside = [s for s in scripts if not properties.script(s) <= properties.script_extensions(s)]

    assert len(scripts) >= 170
    assert outside == []


def test_no_set_holds_a_surrogate() -> None:
    """The sets are of scalar values: complement and union stay within them."""
    members = union(properties.lookup(None, name) for name in ("Any", "C", "Zzzz", "Cn", "Co"))

    assert members.isdisjoint(IntervalSet.of((0xD800, 0xDFFF)))


def test_no_bare_name_means_two_things() -> None:
    """The order in which bare values are looked up never decides."""
    tables = [properties._values("General_Category"), properties._values("Script"), properties._binary()]

    shared = [set(a) & set(b) for a, b in combinations(tables, 2)]

    assert [len(t) > 35 for t in tables] == [True, True, True]
    assert shared == [set(), set(), set()]


def test_the_documentation_lists_the_binary_properties() -> None:
    """docs/unicode.md names exactly those that the table has."""
    text = (Path(__file__).resolve().parents[3] / "docs" / "unicode.md").read_text(encoding="utf-8")
    paragraph = text.split("The binary properties:")[1].split("\n\n")[0]

    named = sorted(paragraph.replace(".", "").replace(",", " ").split())

    assert named == sorted(aliases.BINARY)
    assert named == sorted(binary.RANGES)
