"""The page on surfaces is true: its examples are read without a word, and take and refuse the texts below them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import langc
from langc.compiler.cli.test import failures
from langc.compiler.limits import MAX_SURFACE_ELEMENTS, MAX_SURFACE_RULES, MAX_SURFACE_TOKENS, MAX_SURFACES
from langc.compiler.source import Source
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.environment.providers import KINDS
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.policed.rules import PolicyRules
from langc.compiler.surfaces.signatures import (
    ACTIONS,
    FRESH_OPTIONS,
    GUARDS,
    OPEN_OPTIONS,
    REFERENCE_OPTIONS,
    SCOPE_OPTIONS,
)
from langc.compiler.surfaces.syntax.read import check_surfaces
from langc.compiler.surfaces.syntax.resolve import LEVELS, SETTINGS
from langc.compiler.syntax.parse import parse_source

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "surfaces.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
EXAMPLES = [text for kind, text in FENCES if kind == "policy"]


def judged() -> list[tuple[str, str, bool]]:
    """An example, a text, and whether it takes it."""
    found, example = [], ""
    for kind, text in FENCES:
        if kind == "policy":
            example = text
        elif kind in ("yes", "no"):
            found += [(example, line, kind == "yes") for line in text.splitlines()]
    return found


def environment() -> Environment:
    """The names that the page speaks of."""
    columns = {"orders": ("id", "total", "placed"), "customers": ("id", "name")}
    tables = [
        Entry(name, "Table", members={"Column": Group.of(Entry(c, "Column", _attributes(c)) for c in members)})
        for name, members in columns.items()
    ]
    return Environment("db", {"Table": Group.of(tables)})


def _attributes(column: str) -> frozenset[str]:
    return frozenset({"key"}) if column == "id" else frozenset()


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_read_without_a_word(example: str) -> None:
    """There are neither errors nor warnings."""
    source = Source("surfaces.md", example)

    assert parse_source(source).warnings == ()
    assert check_surfaces(source).warnings == ()


@pytest.mark.parametrize(("example", "text", "taken"), judged())
def test_texts_are_taken_and_refused(example: str, text: str, taken: bool) -> None:
    """The last surface of an example judges the texts below it, with the policy that names it if there is one."""
    surface = [*check_surfaces(Source("surfaces.md", example)).surfaces.values()][-1]
    found = parse_source(Source("surfaces.md", example)).file.policies
    rules = PolicyRules(langc.parse_policy(example)) if found else None

    assert LoadedSurface(surface, environment(), {}, rules).accepts(text) == taken


@pytest.mark.parametrize("example", [example for example in EXAMPLES if "accept" in example])
def test_lines_of_policies_hold(example: str) -> None:
    """`accept` and `reject`, with the surface of the example."""
    surface = [*check_surfaces(Source("surfaces.md", example)).surfaces.values()][-1]
    policy = langc.parse_policy(example)
    loaded = LoadedSurface(surface, environment(), {}, PolicyRules(policy))

    assert [*failures(policy, loaded.refused_at)] == []
    assert len(policy.lowered.examples) >= 3


def test_the_page_has_examples() -> None:
    """The loops above have something to run over, and no fence is passed over."""
    assert len(EXAMPLES) >= 7
    assert len(judged()) >= 25
    assert {kind for kind, _ in FENCES} == {"policy", "yes", "no", "python", "console"}
    assert len(re.findall("^```", PAGE, re.MULTILINE)) == 2 * len(FENCES)


def test_the_page_has_every_word() -> None:
    """Settings, options, actions, guards, levels and kinds of sources are all named."""
    words = {*SETTINGS, *REFERENCE_OPTIONS, *FRESH_OPTIONS, *OPEN_OPTIONS, *ACTIONS, *GUARDS, *SCOPE_OPTIONS}
    written = set(re.findall(r"[a-z]+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))

    assert {*words, *LEVELS, *KINDS} - written == set()


def test_the_limits_are_those_of_the_compiler() -> None:
    """The figures on the page are the constants."""
    assert f"at most {MAX_SURFACES} surfaces" in PAGE
    assert f"{MAX_SURFACE_RULES:,} rules, {MAX_SURFACE_TOKENS} tokens, and {MAX_SURFACE_ELEMENTS:,} elements" in PAGE
