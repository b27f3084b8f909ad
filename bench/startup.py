"""Whole-process times of the command line, with their spread: `make bench-startup`.

Prints a table, and with `--json FILE` writes the same rows. The interpreter's own start is measured in the same
run, since everything else stands on it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

LANGC = str(Path(sys.executable).parent / "langc")
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "langc --version": [LANGC, "--version"],
    "langc --help": [LANGC, "--help"],
    "langc compile ko --target gbnf": [LANGC, "compile", "ko", "--target", "gbnf"],
    "langc check (one line)": [LANGC, "check", "-", "--policy", "ko"],
}


def main() -> None:
    """Time each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [{"command": name, **_measure(command, options.runs)} for name, command in COMMANDS.items()]
    print(f"{'command':34} {'min':>7} {'median':>7} {'max':>7}  seconds, wall, {options.runs} runs after one")
    for row in rows:
        print(f"{row['command']:34} {row['min']:7.3f} {row['median']:7.3f} {row['max']:7.3f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def _measure(command: list[str], runs: int) -> dict[str, float]:
    seconds = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, input="확인했어요\n".encode(), capture_output=True, check=True)
        seconds.append(time.perf_counter() - start)
    counted = seconds[1:]  # the first run warms the file cache
    return {"min": min(counted), "median": statistics.median(counted), "max": max(counted)}


if __name__ == "__main__":
    main()
