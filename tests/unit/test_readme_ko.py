"""README.ko.md says what README.md says: the same headings, code, links, tables and names, in Korean."""

from __future__ import annotations

import re
from pathlib import Path

import langc
from langc.compiler.checking.check import check

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
KOREAN = (ROOT / "README.ko.md").read_text(encoding="utf-8")

SUPPORT = {"exact": "정확", "with loss": "손실", "no": "불가"}

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _prose(page: str) -> str:
    return re.sub(r"<!--.*?-->\n", "", _FENCE.sub("", page))


def _headings(page: str) -> list[int]:
    return [len(marks) for marks in re.findall(r"^(#+) ", _prose(page), re.MULTILINE)]


def _code(page: str) -> list[tuple[str, str]]:
    """The fences, without the comments behind a line, which are in the language of the page."""
    return [(language, re.sub(r" +# .*$", "", text, flags=re.MULTILINE)) for language, text in _FENCE.findall(page)]


def _links(page: str) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", _prose(page))[1:]  # the first leads to the other language


def _tables(page: str) -> list[list[str]]:
    rows = [line for line in _prose(page).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_headings_and_code_are_the_same() -> None:
    """Level by level, and line by line."""
    assert len(_headings(ENGLISH)) >= 5
    assert _headings(KOREAN) == _headings(ENGLISH)
    assert len(_code(ENGLISH)) >= 4
    assert _code(KOREAN) == _code(ENGLISH)


def test_links_are_the_same() -> None:
    """In the same order, and each page leads to the other."""
    assert len(_links(ENGLISH)) >= 20
    assert _links(KOREAN) == _links(ENGLISH)
    assert ("](README.ko.md)" in ENGLISH, "](README.md)" in KOREAN) == (True, True)


def test_tables_have_the_same_rows() -> None:
    """Targets, commands, and what each target can carry."""
    english, korean = _tables(ENGLISH), _tables(KOREAN)

    assert len(english) >= 12
    assert [(row[0], len(row)) for row in korean if "`" in row[0]] == [
        (row[0], len(row)) for row in english if "`" in row[0]
    ]
    assert [row[2:] for row in korean if "targets/" in row[0]] == [
        [SUPPORT[cell] for cell in row[2:]] for row in english if "targets/" in row[0]
    ]


def test_names_in_the_prose_are_the_same() -> None:
    """What stands in backticks: commands, options, ready policies; `exact` is translated with the table."""
    names = [set(re.findall(r"`([^`\n]+)`", _prose(page))) for page in (ENGLISH, KOREAN)]

    assert len(names[0]) >= 15
    assert names[1] - {"정확"} == names[0] - {"exact"}


def test_numbers_are_the_same() -> None:
    """Outside the code."""
    numbers = [
        sorted(re.findall(r"\d[\d,.]*\d|\d", re.sub(r"`[^`\n]+`", "", _prose(page)))) for page in (ENGLISH, KOREAN)
    ]

    assert numbers[1] == numbers[0]


def test_it_is_korean() -> None:
    """Every paragraph has Hangul, and `ko` finds no stray Han but the characters that the text is about."""
    paragraphs = [p for p in _prose(KOREAN).split("\n\n") if p.strip() and "](README.md)" not in p]
    stray = {v.text for v in check(KOREAN, langc.load_policy("ko")).violations}

    assert all(re.search("[가-힣]", p) for p in paragraphs if p.strip() != "# langc")
    assert stray == {v.text for v in check(ENGLISH, langc.load_policy("ko")).violations}
