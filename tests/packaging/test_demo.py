"""What `make demo` shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from langc import targets

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("packaging")]


def test_the_demo_compiles_every_target() -> None:
    """It runs to its end without a word on the error stream that tells of a fault, and writes a file a target."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", str(ROOT / "examples" / "demo.sh")]
    done = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
    written = {file.name for file in (ROOT / "build" / "demo").iterdir()}
    missing = [name for name in targets.names() if not any(f".{name}." in f"{file}." for file in written)]

    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr
    assert "deny cjk" in done.stdout
    assert (len(targets.names()) >= 6, missing) == (True, [])
