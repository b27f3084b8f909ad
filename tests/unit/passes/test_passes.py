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


@pytest.mark.parametrize("term", ["`漢", "漢\\n江"])
def test_terms_that_could_cross_a_border_of_code(term: str) -> None:
    """They are refused beside exempt code, and fine without it."""
    policy = langc.parse_policy(f'policy p {{ deny script Han; allow "{term}"; }}')

    assert policy.ir.language == policy.lowered.language
    with pytest.raises(PolicyError, match="LC0308"):
        _ = policy.with_(exempt=["code"]).ir
