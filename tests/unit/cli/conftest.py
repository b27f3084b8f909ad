"""Running command lines inside the test process."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from langc.compiler.cli import run
from tests.unit.cli.harness import POLICY, Cli, Outcome


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Runs a command line in a folder that holds `ko.policy`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANGC_DEBUG", raising=False)
    Path("ko.policy").write_text(POLICY, encoding="utf-8")

    def call(*arguments: str | Path, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run([str(a) for a in arguments])
        out: Any = capsys.readouterr()
        return Outcome(code, out.out, out.err)

    return call
