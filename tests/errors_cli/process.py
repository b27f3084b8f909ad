"""Running the command as users do: another process, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 60
"""Seconds; a budget that does not hold is a hang. No case takes two on an idle machine."""

OK_POLICY = 'policy ok { deny script Han; accept "가"; reject "中" at 0; }'


@dataclass(frozen=True)
class Outcome:
    """What a process did."""

    code: int
    out: bytes
    err: str


def langc(*arguments: str | Path, folder: Path, stdin: bytes = b"", **environment: str) -> Outcome:
    """Run `langc` in a folder. The environment is the test's own without what changes the output."""
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "LANGC_DEBUG", "FORCE_COLOR")}
    done = subprocess.run(
        [sys.executable, "-m", "langc", *map(str, arguments)],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        timeout=TIMEOUT,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
