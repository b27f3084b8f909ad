"""Golden diagnostics: for each `NAME.policy` the whole rendered message is in `NAME.stderr`.

A name begins with the code that the case is about. `pytest tests/errors --update-golden` rewrites the messages.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from langc.compiler import explain
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.link import link
from langc.compiler.policy import Policy
from langc.compiler.render import render_all
from langc.compiler.surfaces.syntax.read import check_surfaces
from langc.compiler.syntax.parse import parse_source
from langc.compiler.syntax.read import read_source
from tests.conftest import Golden

FOLDER = Path(__file__).parent
CASES = sorted(FOLDER.glob("*.policy"))

ELSEWHERE = {
    *("LC0001", "LC0002", "LC0003", "LC0007"),  # tests/unit/syntax/test_read.py, tests/unit/test_explain.py
    *("LC0008", "LC0009", "LC0010", "LC0011", "LC0012", "LC0020"),  # the command line; adapters
    *("LC0215", "LC0305", "LC0306", "LC0307", "LC0309", "LC0322", "LC0346"),  # the installation and the Python API
    *(f"LC{number:04d}" for number in range(360, 371)),  # JSON schemas: tests/errors/test_errors_of_programs.py
    *("LC0402", "LC0403", "LC0405", "LC0406"),  # the tokenizer; `langc test`; a budget of tokens; surfaces
    *("LC0318", "LC0404"),  # the stream guard
}
"""Codes below LC0500 that no policy file can cause; they have their tests elsewhere."""


def diagnose(path: Path) -> list[Diagnostic]:
    """All that is said about a policy file on the way to its automata."""
    try:
        file, warnings = parse_source(read_source(path))
    except LangcError as error:
        return list(error.diagnostics)
    found = list(warnings)
    try:
        found += check_surfaces(file.source).warnings
    except LangcError as error:
        found += error.diagnostics
    for policy in file.policies:
        try:
            lowered = link(policy, file, path)
            found += lowered.warnings
            Policy(lowered).dfa  # noqa: B018 -- the passes run when it is first asked for
        except LangcError as error:
            found += error.diagnostics
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.stem)
def test_rendered_diagnostics(case: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    """A faulty policy gets exactly the message that was read and found good."""
    monkeypatch.chdir(FOLDER)
    diagnostics = diagnose(Path(case.name))

    golden(case.with_suffix(".stderr"), render_all(diagnostics) + "\n")
    assert case.stem.split("_")[0] in {d.code.lower() for d in diagnostics}


def test_every_code_has_a_case() -> None:
    """No diagnostic about a policy file can change unnoticed."""
    assert len(CASES) >= 60

    shown = {code for case in CASES for code in re.findall(r"LC\d{4}", case.with_suffix(".stderr").read_text())}
    expected = {c for c in explain.codes() if c < "LC0500" or "LC0920" <= c < "LC0950"} - ELSEWHERE
    assert expected <= shown


def test_no_golden_without_a_case() -> None:
    """A message whose policy is gone is gone too."""
    assert {p.stem for p in FOLDER.glob("*.stderr")} == {c.stem for c in CASES}
