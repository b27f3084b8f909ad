"""The pages of the diagnostic codes: one for every code in use, each with an example that is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from langc.compiler import explain
from langc.compiler.errors import PolicyError
from langc.compiler.render import render_all
from tests.errors.test_errors import diagnose

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [(c, e) for c in explain.codes() for e in re.findall(r"```policy\n(.*?)```", explain.page(c), re.DOTALL)]


def codes_in_use() -> set[str]:
    """The codes that are written in the compiler and the targets."""
    files = [*(ROOT / "compiler").rglob("*.py"), *(ROOT / "targets").rglob("*.py")]

    assert len(files) >= 40
    return {code for file in files for code in re.findall(r"\bLC\d{4}\b", file.read_text(encoding="utf-8"))}


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    """A page is written with the first use of its code, and goes with the last."""
    assert set(explain.codes()) == codes_in_use()


@pytest.mark.parametrize("code", explain.codes())
def test_pages_have_one_shape(code: str) -> None:
    """A page has its code and title in the first line, then text, and nothing that depends on the machine."""
    lines = explain.page(code).splitlines()

    assert re.fullmatch(rf"# {code}: [A-Z`].*[^.]", lines[0])
    assert lines[1] == ""
    assert len(lines) >= 5


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=[code for code, _ in EXAMPLES])
def test_examples_have_the_error_they_are_about(code: str, example: str, tmp_path: Path) -> None:
    """The policy on a page is answered with the code of the page."""
    path = tmp_path / "example.policy"
    path.write_text(example, encoding="utf-8")

    assert code in {d.code for d in diagnose(path)}


def test_most_pages_have_an_example() -> None:
    """The loop above does not run over nothing."""
    assert len({code for code, _ in EXAMPLES}) >= 30


@pytest.mark.parametrize("written", ["LC0203", "lc0203", " Lc0203\n"])
def test_a_page_is_found_in_any_case(written: str) -> None:
    """Letter case and blanks around a code do not matter."""
    assert explain.page(written).startswith("# LC0203: ")


@pytest.mark.parametrize(
    ("written", "kin"), [("LC0230", "LC0203"), ("lc02", "LC0203"), ("LC9999", "LC0001"), ("../__init__", "LC0001")]
)
def test_unknown_codes(written: str, kin: str) -> None:
    """A code that does not exist is an error with codes that do; a code is never used as a path."""
    with pytest.raises(PolicyError) as caught:
        explain.page(written)
    text = render_all(caught.value.diagnostics)

    assert text.startswith(f"error[LC0007]: there is no code {written!r}\n  = help: ")
    assert kin in text
