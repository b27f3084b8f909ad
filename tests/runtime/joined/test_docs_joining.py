"""The examples of docs/joining.md, one after the other as the page says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from langc.compiler.demo import TOKENIZER
from langc.compiler.limits import MAX_LOOK_AHEAD_STEPS, MAX_LOOK_AHEAD_TOKENS

pytestmark = pytest.mark.engines

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "joining.md").read_text(encoding="utf-8")


def test_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """They run, what they assert holds, and the dead end is said."""
    shutil.copy(TOKENIZER, tmp_path / "tokenizer.json")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    for block in blocks:
        exec(block, names)  # noqa: S102 - our own page

    assert len(blocks) >= 6
    assert capsys.readouterr().out.startswith("[LC0660] nothing may follow “”: Matcher alone allows ")


def test_the_limits_are_those_of_the_code() -> None:
    """The numbers in the text."""
    assert f"Where at most {MAX_LOOK_AHEAD_TOKENS} tokens are left" in PAGE
    assert f"within {MAX_LOOK_AHEAD_STEPS} tried tokens" in PAGE
    assert f"more than {MAX_LOOK_AHEAD_TOKENS} tokens, counts as a way on" in PAGE
