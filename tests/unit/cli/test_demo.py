"""`langc demo`: the table, its colours, JSON, and how long it takes."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import subprocess
import sys
from collections.abc import Callable

from langc.compiler.demo import trial
from tests.conftest import MEASURED
from tests.unit.cli.harness import Cli

COMMAND = [sys.executable, "-m", "langc", "demo"]


def test_the_table(cli: Cli) -> None:
    """One row a method, with what the trial found; plain where there is no terminal."""
    done = cli("demo")
    outcomes = trial.run().outcomes
    rows = [line for line in done.out.splitlines() if line.startswith(tuple(o.method.summary for o in outcomes))]
    found = [row.split()[-2:] for row in rows]

    assert (done.code, done.err, len(rows)) == (0, "", 4)
    assert found == [[f"{o.han:,}", f"{o.hangul:,}"] for o in outcomes]
    assert [row.count("cannot be written") for row in rows] == [
        (not o.unwanted.is_written) + (not o.wanted.is_written) for o in outcomes
    ]
    assert "\x1b" not in done.out


def test_the_columns_are_aligned(cli: Cli) -> None:
    """A wide glyph in a heading counts as two columns."""
    from langc.compiler.unicode.glyphs import width

    lines = [line for line in cli("demo").out.splitlines() if "Han left " in line or "20,992 " in line]
    heading, row = lines[:2]

    assert width(heading[: heading.index("Han left")]) == width(row[: row.index("20,992")])


def test_json(cli: Cli) -> None:
    """The same as data."""
    found = json.loads(cli("demo", "--json").out)
    outcomes = trial.run().outcomes

    assert [m["method"] for m in found["methods"]] == [o.method.name for o in outcomes]
    assert [m["hangul_left"] for m in found["methods"]] == [o.hangul for o in outcomes]
    assert [m["han_left"] for m in found["methods"]] == [o.han for o in outcomes]
    assert [[t["written"] for t in m["texts"]] for m in found["methods"]] == [
        [o.unwanted.is_written, o.wanted.is_written] for o in outcomes
    ]
    assert found["methods"][0]["texts"][0] == {
        "text": "漢",
        "wanted": False,
        "written": True,
        "pieces": ["E6", "BC", "A2"],
    }


def _on_a_terminal(**settings: str) -> str:
    """What the command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm", **settings}
    process = subprocess.Popen(COMMAND, stdout=theirs, env=environment)
    os.close(theirs)
    written = b""
    try:
        while block := os.read(ours, 4096):
            written += block
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(ours)

    assert process.wait() == 0
    return written.decode().replace("\r\n", "\n")


def test_colours(cli: Cli) -> None:
    """On a terminal, unless NO_COLOR is set; nothing but colours is added."""
    plain = cli("demo").out
    coloured = _on_a_terminal()

    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert "\x1b[1;31mleaks as E6 BC A2\x1b[0m" in coloured
    assert _on_a_terminal(NO_COLOR="1") == plain


def _processor_seconds() -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(COMMAND, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_it_is_quick(record_property: Callable[[str, object], None]) -> None:
    """The whole process takes less than a second, once Python has cached the bytecode."""
    seconds = min(_processor_seconds() for _ in range(3))
    record_property(MEASURED, f"langc demo: {seconds:.2f} s of processor time, whole process")

    assert seconds < 1.0
