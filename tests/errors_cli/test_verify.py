"""`langc verify` as whole processes: bad input, the progress bar, Ctrl-C, and streams that stay clean."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.errors_cli.process import OK_POLICY, ROOT, TIMEOUT, langc
from tests.errors_cli.test_bad_input import assert_one_error
from tests.errors_cli.test_process import on_terminal

FILES: Mapping[str, bytes] = {
    "ok.policy": OK_POLICY.encode(),
    "clash.policy": b"policy p { only [a-z]; only [0-9]; }",
    "syntax.policy": b"policy p { deny script Han }",
    "by-hand.gbnf": b"root ::= [a-c]*\n",
    "fault.gbnf": b"root ::= [a-\n",
    "ok.txt": "가나다".encode(),
    "empty.bin": b"",
    "random.bin": bytes((i * 167 + 13) % 256 for i in range(4096)),
    "header.bin": b"# langc: 0.1.0\n# target: processor\n" + bytes(range(256)),
    "cut.json": b'{"langc": {"langc": "0.1.0", "target": "outlines", "dialect": "fsm"}, "sta',
    "deep.json": b'{"langc": {"langc": "0.1.0", "target": "outlines", "dialect": "fsm"}, "x": ' + b"[" * 100_000,
    "deep.gbnf": b"root ::= " + b"(" * 100_000 + b"[a]" + b")" * 100_000 + b"\n",
    "claim.gbnf": b"# langc: 0.1.0\n# target: gbnf\n# fidelity: fine\nroot ::= [a]*\n",
}

CASES: Mapping[str, str] = {
    "verify missing.policy": "LC0001",
    "verify syntax.policy": "LC0104",
    "verify clash.policy": "LC0401",
    "verify ok.policy --targets gbfn": "LC0504",
    "verify ok.policy --targets regex:perl": "LC0503",
    "verify ok.policy --targets gbnf --mode soft": "LC0505",
    "verify ok.policy --targets gbnf --allow most": "LC0503",
    "verify ok.policy --targets ,": "LC0020",
    "verify ok.policy --target gbnf": "LC0020",
    "verify ok.policy --prefixes 0": "LC0020",
    "verify ok.policy --prefix 5": "LC0020",
    "verify": "LC0020",
    "verify ok.policy --tokenizer missing.json": "LC0601",
    "verify ok.policy --tokenizer random.bin": "LC0602",
    "verify ok.policy missing.gbnf": "LC0001",
    "verify ok.policy folder": "LC0002",
    "verify ok.policy by-hand.gbnf": "LC0531",
    "verify ok.policy empty.bin": "LC0531",
    "verify ok.policy random.bin": "LC0531",
    "verify ok.policy cut.json": "LC0531",
    "verify ok.policy by-hand.gbnf --target gbfn": "LC0504",
    "verify ok.policy by-hand.gbnf --target gbnf --dialect rust": "LC0503",
    "verify ok.policy fault.gbnf --target gbnf": "LC0530",
    "verify ok.policy deep.gbnf --target gbnf": "LC0530",
    "verify ok.policy random.bin --target gbnf": "LC0530",
    "verify ok.policy claim.gbnf": "LC0530",
    "verify ok.policy claim.gbnf --target regex": "LC0532",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all the inputs; the cases must leave it as it is."""
    path = tmp_path_factory.mktemp("inputs")
    (path / "folder").mkdir()
    for name, content in FILES.items():
        (path / name).write_bytes(content)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("line", "code"), CASES.items(), ids=CASES)
def test_bad_input(line: str, code: str, folder: Path) -> None:
    """One error with its code, and the files are as they were."""
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    outcome = langc(*shlex.split(line), folder=folder)

    assert_one_error(outcome, code)
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == before


def test_terminal(folder: Path) -> None:
    """A terminal sees what is going on while it waits, and the table when all is done."""
    code, shown = on_terminal(folder, "verify ok.policy --targets regex:python")

    assert (code, "reading it back" in shown) == (0, True)
    assert shown.rstrip().endswith("ok on bytes: 1 comparison, no difference")


def test_no_terminal(folder: Path) -> None:
    """A file or a pipe gets the result alone."""
    told = langc("verify", "ok.policy", "--targets", "regex", folder=folder)
    listed = langc("verify", "ok.policy", "--targets", "regex", "--json", folder=folder)

    assert (told.code, told.err, listed.code, listed.err) == (0, "", 0, "")
    assert told.out.decode().startswith("target")
    assert json.loads(listed.out)["ok"]


def test_closed_standard_streams(folder: Path) -> None:
    """Streams that the shell closed are no fault of langc: the exit code says what it has to say."""
    command = f"{shlex.quote(sys.executable)} -m langc verify ok.policy by-hand.gbnf --target gbnf >&- 2>&-"
    done = subprocess.run(command, shell=True, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)

    assert done.returncode == 1


def test_interrupted(folder: Path, tmp_path: Path) -> None:
    """Ctrl-C, here while a file is read that never ends: exit code 130 and no traceback."""
    os.mkfifo(tmp_path / "endless.gbnf")
    process = subprocess.Popen(
        [sys.executable, "-m", "langc", "verify", str(folder / "ok.policy"), "endless.gbnf"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=_heed_interrupts,
    )
    with (tmp_path / "endless.gbnf").open("wb"):  # waits until langc reads
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)

    assert (process.returncode, out, err.strip()) == (130, b"", b"")


def _heed_interrupts() -> None:
    """A job in the background of a shell ignores Ctrl-C, and so would what it starts: these tests may be such a job."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("langc verify ko-", {"ko-strict", "ko-"}),
        ("langc verify ko --targets gb", {"gbnf"}),
        ("langc verify ko --targets gbnf,xg", {"gbnf,xgrammar"}),
        ("langc verify ko by-hand.gbnf --target gb", {"gbnf"}),
    ],
)
def test_what_is_completed(folder: Path, line: str, expected: set[str]) -> None:
    """Policies and targets, after a comma too."""
    last = str(len(line.split()) - 1)
    done = langc(folder=folder, _LANGC_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=last)

    assert (done.code, done.err) == (0, "")
    assert {found.partition(",")[2] for found in done.out.decode().splitlines()} == expected


@pytest.mark.engines
@pytest.mark.parametrize("format_", [(), ("--json",)])
def test_engines_are_quiet(folder: Path, format_: tuple[str, ...]) -> None:
    """llama.cpp and xgrammar write to stderr by themselves; nobody sees it, even where they fail."""
    outcome = langc("verify", "ok.policy", "--targets", "gbnf,xgrammar", "--prefixes", "3", *format_, folder=folder)

    assert (outcome.code, outcome.err) == (0, "")
    assert b"llama.cpp" in outcome.out


NOISE = """
import os, sys
from langc.compiler.cli.native_output import dropped

with dropped():
    os.write(2, b"library ")
    print("python", end=" ", file=sys.stderr)
os.write(2, b"later")
"""


@pytest.mark.parametrize(("debug", "expected"), [("", "python later"), ("1", "library python later")])
def test_what_libraries_write(debug: str, expected: str) -> None:
    """It is dropped while engines run, and only theirs; LANGC_DEBUG lets it through."""
    done = subprocess.run(
        [sys.executable, "-c", NOISE],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "LANGC_DEBUG": debug},
        check=True,
    )

    assert done.stderr.decode() == expected
