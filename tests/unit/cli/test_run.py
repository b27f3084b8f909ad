"""How a command line ends: exit codes, colours, faults."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import langc
from langc.compiler import explain
from langc.compiler.cli import COMMANDS
from tests.unit.cli.harness import Cli


def test_version(cli: Cli) -> None:
    """The version names the Unicode version that policies are read by."""
    assert cli("--version").out == f"langc {langc.__version__}, Unicode 18.0.0\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(cli: Cli, command: str) -> None:
    """Every command's help shows how it is called."""
    done = cli(command, "--help")

    assert done.code == 0
    assert f"  langc {command}" in done.out


def test_no_arguments(cli: Cli) -> None:
    """The help, as an error."""
    done = cli()

    assert (done.code, done.out) == (2, "")
    assert "Usage: langc" in done.err


@pytest.mark.parametrize(
    ("line", "help"),
    [
        (["cmpile"], "did you mean `compile`?"),
        (["compile", "ko.policy", "--targt", "gbnf"], "did you mean `--target`?"),
        (["compile", "ko.policy", "--target", "gbfn"], "did you mean `gbnf`?"),
        (["compile", "ko.policy", "--target", "regex", "--dialect", "rst"], "did you mean `rust`?"),
        (["check", "x.txt"], "see `langc check --help`"),
    ],
)
def test_guesses(cli: Cli, line: list[str], help: str) -> None:
    """A word that is nearly right is guessed."""
    done = cli(*line)

    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[1:] == [f"  = help: {help}"]


def test_colour(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never without a terminal unless asked for, wherever on the line; NO_COLOR is weaker than the option."""
    assert "\x1b" not in cli("test", "x.policy").err
    assert "\x1b" in cli("--color", "always", "test", "x.policy").err
    assert "\x1b" in cli("test", "x.policy", "--color", "always").err
    assert "\x1b" in cli("compile", "x.policy", "--target", "gbnf", "--bias", "much", "--color=always").err
    monkeypatch.setenv("NO_COLOR", "1")

    assert "\x1b" in cli("test", "x.policy", "--color", "always").err


def test_internal_fault(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of langc is owned up to without a traceback, with an exit code of its own."""

    def fail(_: str) -> str:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(explain, "page", fail)
    done = cli("explain", "LC0001")
    as_json = cli("explain", "LC0001", "--json")

    assert (done.code, done.out) == (70, "")
    assert done.err.startswith(
        "internal error: ZeroDivisionError: oh\nhelp: this is a fault of langc, please report it"
    )
    assert json.loads(as_json.err)["internal_error"] == "ZeroDivisionError: oh"
    monkeypatch.setenv("LANGC_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cli("explain", "LC0001")


def test_out_of_memory(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is too small is no fault of langc: a diagnostic, and the exit code of wrong input."""

    def fail(_: str) -> str:
        raise MemoryError

    monkeypatch.setattr(explain, "page", fail)
    done = cli("explain", "LC0001")
    as_json = cli("explain", "LC0001", "--json")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[LC0702]: there is not enough memory\n")
    assert [d["code"] for d in json.loads(as_json.err)["diagnostics"]] == ["LC0702"]


def test_interrupt(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control-C is no fault."""

    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(explain, "page", interrupt)
    done = cli("explain", "LC0001")

    assert (done.code, done.out, done.err.strip()) == (130, "", "")


def test_choices_on_one_line(cli: Cli) -> None:
    """click lists the choices of a missing option on lines of their own; a message is one line."""
    said = cli("dump", "ko").err
    assert said.startswith("error[LC0020]: missing option '--stage'. Choose from: ast, ir, nfa,")


@pytest.mark.parametrize("line", [["check", "-", "--policy", "ko"], ["fmt", "-"]], ids=["check", "fmt"])
def test_closed_stdin(line: list[str]) -> None:
    """It is no empty text, and no fault of langc."""
    command = ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "langc", *line]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error[LC0003]: cannot read <stdin>: it is closed\n"
