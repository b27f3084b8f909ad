"""What only whole processes show: readers that go away, full disks, hash seeds, and the time to start."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.errors_cli.process import OK_POLICY, ROOT, TIMEOUT, langc

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a policy and a text of 100,000 violations, far more than a pipe holds."""
    (tmp_path / "ok.policy").write_text(OK_POLICY, encoding="utf-8")
    (tmp_path / "many.txt").write_text("가中\n" * 100_000, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("check many.txt --policy ok.policy", 1),
        ("check many.txt --policy ok.policy --json", 1),
        ("check many.txt --policy ok.policy --exit-zero", 0),
        ("dump ok.policy --stage bytes", 0),
        ("compile ok.policy --target gbnf", 0),
        ("explain", 0),
    ],
)
def test_closed_pipe(folder: Path, line: str, code: int) -> None:
    """A reader that goes away after one byte: not a word on stderr, and the exit code says what it always says."""
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "langc", *shlex.split(line)],
        cwd=folder,
        stdout=write,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    os.close(write)
    os.read(read, 1)
    os.close(read)
    _, err = process.communicate(timeout=TIMEOUT)
    summary = [text for text in err.decode().splitlines() if not text.startswith("gbnf: exact")]

    assert (process.returncode, summary) == (code, [])


def test_closed_standard_streams(folder: Path) -> None:
    """Streams that the shell closed are no fault of langc."""
    command = f"{shlex.quote(sys.executable)} -m langc test ok.policy >&- 2>&-"
    done = subprocess.run(command, shell=True, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)

    assert done.returncode == 0


@pytest.mark.parametrize(
    "line",
    [
        "compile ok.policy --target gbnf",
        "compile ok.policy --target gbnf --json",
        "compile ok.policy --target logit-bias --tokenizer t.json --allow over,under",
        "dump ok.policy --stage dfa",
        "fmt -",
    ],
)
def test_content_for_a_closed_stdout(folder: Path, line: str) -> None:
    """An artefact that nobody can get is an error."""
    (folder / "t.json").write_text(json.dumps({"tokens": {str(b): [b] for b in range(256)}}))
    command = f"{shlex.quote(sys.executable)} -m langc {line} >&-"
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        input=OK_POLICY.encode(),
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )

    assert done.returncode == 2
    assert "cannot write <stdout>: it is closed" in done.stderr.decode()


def test_a_file_needs_no_stdout(folder: Path) -> None:
    """What goes to a file can be written without it."""
    command = f"{shlex.quote(sys.executable)} -m langc compile ok.policy --target gbnf -o ok.gbnf >&-"
    done = subprocess.run(command, shell=True, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)

    assert done.returncode == 0
    assert (folder / "ok.gbnf").read_text(encoding="utf-8").startswith("# langc: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_full_disk(folder: Path) -> None:
    """An artefact that could not be written is an error, to stdout as to a file."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "langc", "compile", "ok.policy", "--target", "gbnf"],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )

    assert done.returncode == 2
    assert done.stderr.decode().startswith("error[LC0010]: cannot write <stdout>: No space left on device")


@pytest.mark.parametrize(
    "line",
    [
        "compile ok.policy --target gbnf",
        "compile ok.policy --target regex --json",
        "dump ok.policy --stage ir",
        "dump ok.policy --stage nfa",
        "dump ok.policy --stage bytes",
        "targets --json",
        "check some.txt --policy ok.policy --json",
    ],
)
def test_output_does_not_depend_on_hash_seeds(folder: Path, line: str) -> None:
    """Byte for byte the same in every process."""
    (folder / "some.txt").write_text("가中國 abc 字\n確認 中\n", encoding="utf-8")
    outcomes = [langc(*shlex.split(line), folder=folder, PYTHONHASHSEED=seed) for seed in ("0", "1", "4711")]

    assert outcomes[0].out
    assert {o.out for o in outcomes} == {outcomes[0].out}


def on_terminal(folder: Path, line: str) -> tuple[int, str]:
    """Exit code and everything that a terminal would get."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "langc", *shlex.split(line)], cwd=folder, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # the terminal is gone when the process is
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    return process.wait(TIMEOUT), shown.decode()


def test_terminal(folder: Path) -> None:
    """On a terminal errors have colours, binary artefacts are refused, and long work is announced."""
    (folder / "t.json").write_text(json.dumps({"tokens": {str(b): [b] for b in range(256)}}))
    code, shown = on_terminal(folder, "compile ok.policy --target gbfn")
    assert (code, "\x1b[1;31merror[LC0504]\x1b[0m" in shown) == (2, True)

    code, shown = on_terminal(folder, "compile ok.policy --target processor --tokenizer t.json")
    assert (code, "LC0011" in shown, "compiling" in shown) == (2, True, True)

    code, shown = on_terminal(folder, "compile ok.policy --target gbnf --color never")
    assert (code, "\x1b" in shown, "compiling" in shown) == (0, False, False)


def test_ascii_terminal(folder: Path) -> None:
    """A stream that cannot show a character gets its escape; an artefact stays UTF-8."""
    (folder / "some.txt").write_text("字", encoding="utf-8")
    told = langc("check", "some.txt", "--policy", "ok.policy", folder=folder, PYTHONIOENCODING="ascii")
    (folder / "term.policy").write_text('policy term { only [a-z]; allow "漢江"; }', encoding="utf-8")
    made = langc("compile", "term.policy", "--target", "gbnf", folder=folder, PYTHONIOENCODING="ascii")

    assert rb"\u5b57" in told.out
    assert (made.code, made.out) == (0, langc("compile", "term.policy", "--target", "gbnf", folder=folder).out)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("langc comp", {"compile", "completion"}),
        ("langc --color always comp", {"compile", "completion"}),
        ("langc compile ko-", {"ko-strict", "ko-"}),
        ("langc compile ko --target gb", {"gbnf"}),
        ("langc compile ko --target regex --hea", {"--header"}),
        ("langc check a.txt --policy ko-", {"ko-strict", "ko-"}),
        ("langc explain LC0801", {"LC0801"}),
        ("langc dump ko --stage df", {"dfa"}),
    ],
)
def test_what_is_completed(folder: Path, line: str, expected: set[str]) -> None:
    """Commands, policies, targets and their options, codes, stages; the word itself stands for files like it."""
    last = str(len(line.split()) - 1)
    done = langc(folder=folder, _LANGC_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=last)

    assert (done.code, done.err) == (0, "")
    assert {found.partition(",")[2] for found in done.out.decode().splitlines()} == expected
