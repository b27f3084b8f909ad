"""The command line, as tests of surfaces call it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from langc.compiler import cli


@dataclass(frozen=True)
class Result:
    """What a command did."""

    exit_code: int
    stdout: str
    stderr: str


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """`langc` with some words."""

    def result(*words: str) -> Result:
        capsys.readouterr()
        code = cli.run(words)
        return Result(code, *capsys.readouterr())

    return result
