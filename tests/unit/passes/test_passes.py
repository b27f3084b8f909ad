"""The list of passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import langc
from langc.compiler import passes
from langc.compiler.errors import PolicyError
from langc.compiler.passes import PASSES, run_passes


def test_every_pass_is_in_the_list() -> None:
    """One pass a file, named as the file."""
    folder = Path(passes.__file__).parent
    files = {p.stem for p in folder.glob("*.py")} - {"__init__"}

    assert len(files) >= 3
    assert {p.__name__ for p in PASSES} == files


def test_passes_keep_rules_and_places() -> None:
    """They rewrite the language alone."""
    lowered = langc.parse_policy('policy p { deny [a]; allow "ab", "xy"; }').with_(exempt=["think"]).lowered
    after = run_passes(lowered)

    assert after.language != lowered.language
    assert replace(after, language=lowered.language) == lowered
    assert [r.span for r in after.rules] == [r.span for r in lowered.rules]


@pytest.mark.parametrize(
    ("term", "text"), [("`漢", "`漢"), ("漢\\n江", "漢\n江"), ("漢\\n```\\n江", "漢\n```\n江\n```")]
)
def test_terms_do_not_reach_across_a_border_of_code(term: str, text: str) -> None:
    """A term with backticks or line ends holds in plain text, and is none where a border cuts it."""
    policy = langc.parse_policy(f'policy p {{ deny script Han; allow "{term}"; }}')
    exempt = policy.with_(exempt=["code"])

    assert policy.accepts(text.removesuffix("\n```"))
    assert exempt.accepts(text) == ("```" not in text)


@pytest.mark.parametrize("delimiter", ["`", "\\n", "<`>"])
def test_delimiters_that_would_be_code_are_refused_beside_code_alone(delimiter: str) -> None:
    """Lines and backticks are what code begins and ends with."""
    policy = langc.parse_policy(f'policy p {{ deny [a]; region r = between "<" "{delimiter}" {{ any }} }}')

    assert policy.accepts("b")
    with pytest.raises(PolicyError, match="LC0308"):
        _ = policy.with_(exempt=["code"]).ir
