"""The language reference is true: each of its examples is parsed, and its `accept` and `reject` lines hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from langc.compiler.limits import (
    MAX_COSTS,
    MAX_NESTING,
    MAX_PHRASE_LENGTH,
    MAX_POLICY_BYTES,
    MAX_POLICY_TOKENS,
    MAX_SEQUENCE_LENGTH,
    MAX_SEQUENCE_SETS,
    MAX_SET_DEPTH,
    MAX_TERM_LENGTH,
    MAX_USE_DEPTH,
    MAX_USED_POLICIES,
)
from langc.compiler.link import link
from langc.compiler.policy import Policy
from langc.compiler.source import Source
from langc.compiler.syntax.lalr import load
from langc.compiler.syntax.parse import TABLES, parse_source
from langc.compiler.syntax.words import RESERVED

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w*)(?: (\S+))?\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
EXAMPLES = [text for language, _, text in FENCES if language == "policy"]
FILES = {name: text for language, name, text in FENCES if language == "text"}
"""The files that examples name."""


def test_every_example_is_a_policy() -> None:
    """There is no fence in another notation that the tests would pass over."""
    assert len(EXAMPLES) >= 9
    assert {language for language, _, _ in FENCES} == {"policy", "text"}
    assert all(f'"{name}"' in PAGE for name in FILES)
    assert len(re.findall("^```", PAGE, re.MULTILINE)) == 2 * len(FENCES)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_hold(example: str, tmp_path: Path) -> None:
    """An example parses without errors and warnings, and its tests pass, offsets included."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, "utf-8")
    file, warnings = parse_source(Source("language.md", example))

    assert warnings == ()
    for decl in file.policies:
        lowered = link(decl, file, tmp_path / "page.policy")
        policy = Policy(lowered)
        for text in lowered.examples:
            found = policy.first_violation(text.text)

            assert policy.accepts(text.text) == text.accept == (found is None), text
            assert text.at is None or found == text.at, text


def test_most_examples_have_tests() -> None:
    """The loop above has something to check."""
    assert sum(example.count("accept ") + example.count("reject ") for example in EXAMPLES) >= 100


def test_the_lists_of_words_are_complete() -> None:
    """The page names every keyword and every reserved word."""
    listed = set(re.findall(r"`(\w+)`", PAGE[PAGE.index("## Words that are taken") : PAGE.index("## Layout")]))
    keywords = set(load(TABLES).modes[0].keywords)

    assert listed == keywords | set(RESERVED)


def test_the_limits_are_those_of_the_compiler() -> None:
    """The figures on the page are the constants."""
    limits = PAGE[PAGE.index("## Limits") :]

    assert f"{MAX_POLICY_BYTES >> 20} MiB and {MAX_POLICY_TOKENS:,} words" in limits
    assert f"up to {MAX_NESTING} deep" in limits
    assert f"up to {MAX_SET_DEPTH}." in limits
    assert f"at most {MAX_SEQUENCE_LENGTH} characters, all of a policy together at most {MAX_SEQUENCE_SETS}." in limits
    assert f"at most {MAX_TERM_LENGTH:,} characters each" in limits
    assert MAX_TERM_LENGTH == MAX_PHRASE_LENGTH
    assert f"at most {MAX_COSTS} different ones" in PAGE
    assert f"at most {MAX_USED_POLICIES} others, at most {MAX_USE_DEPTH} in a row" in limits
