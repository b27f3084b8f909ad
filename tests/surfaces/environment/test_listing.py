"""Options and commands from texts that tools print; git, where it is installed, judges what is read of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from langc.compiler.errors import LangcError
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.environment.providers import Request, read

HELP = """\
Usage: tool [OPTION]... FILE
Does things, -x among them.

Options:
  -a, --all                  all of them; with
                             -b even more
  -F, --classify[=WHEN]      a value that may be left out
      --block-size=SIZE      a value
  -n NUM, --lines=NUM        both take one
  -o FILE                    this too
  -e <expr>...               again and again
  -f fmt                     in small letters
      --[no-]edit            and its opposite
  --mode {fast,slow}, -m     choices
  -q | --quiet               a stroke
  -S, --sign <key>, --seal <key>
  --long-with-its-description-on-the-next-line
                             here
  -?                         help
  - no option
  -- neither

Commands:
  add         put something in
  rm, remove  take it out
  show-all
  this is prose and no command

More:
  other       no command
"""
OPTIONS: Mapping[str, list[str]] = {
    "-a": ["flag", "short"],
    "--all": ["flag", "long"],
    "-F": ["flag", "short"],
    "--classify": ["long", "optional_value"],
    "--block-size": ["long", "value"],
    "-n": ["short", "value"],
    "--lines": ["long", "value"],
    "-o": ["short", "value"],
    "-e": ["repeat", "short", "value"],
    "-f": ["short", "value"],
    "--edit": ["flag", "long"],
    "--no-edit": ["flag", "long"],
    "--mode": ["long", "value"],
    "-m": ["short", "value"],
    "-q": ["flag", "short"],
    "--quiet": ["flag", "long"],
    "-S": ["short", "value"],
    "--sign": ["long", "value"],
    "--seal": ["long", "value"],
    "--long-with-its-description-on-the-next-line": ["flag", "long"],
    "-?": ["flag", "short"],
}


def listing(folder: Path, *arguments: str, allow_run: bool = False) -> Environment:
    """The names that these arguments give."""
    return read(Request("tool", "listing", arguments, folder, allow_run))


def options(environment: Environment) -> dict[str, list[str]]:
    """The options with their attributes."""
    return {e.name: sorted(e.attributes) for e in environment.group("Option")}


def test_a_help_text(tmp_path: Path) -> None:
    """Options in the forms that are common, commands below their heading, and no description taken for either."""
    (tmp_path / "help.txt").write_text(HELP)
    found = listing(tmp_path, "help.txt")

    assert options(found) == OPTIONS
    assert [e.name for e in found.group("Command")] == ["add", "rm", "show-all"]
    mode = found.group("Option").get("--mode")
    assert mode is not None
    assert [e.name for e in mode.members["Value"]] == ["fast", "slow"]


def test_lists_of_commands(tmp_path: Path) -> None:
    """A list of words, as git prints for shells, belongs to the command that is named."""
    (tmp_path / "tool.txt").write_text(HELP)
    (tmp_path / "add.txt").write_text("--dry-run --message= -- --no-message here there\n")
    found = listing(tmp_path, "tool.txt", "add=add.txt")
    add = found.group("Command").get("add")

    assert add is not None
    assert {e.name: sorted(e.attributes) for e in add.members["Option"]} == {
        "--dry-run": ["flag", "long"],
        "--message": ["long", "value"],
        "--no-message": ["flag", "long"],
    }
    assert [e.name for e in add.members["Command"]] == ["here", "there"]
    assert [e.name for e in found.group("Command")] == ["add", "rm", "show-all"]


def test_one_command_a_line(tmp_path: Path) -> None:
    """As `git --list-cmds=main` prints them; a line of prose is no list."""
    (tmp_path / "list.txt").write_text("add\nmerge-base\n\nshow\n")
    (tmp_path / "prose.txt").write_text("Nothing of interest\n")

    assert [e.name for e in listing(tmp_path, "list.txt").group("Command")] == ["add", "merge-base", "show"]
    with pytest.raises(LangcError, match="LC0908"):
        listing(tmp_path, "prose.txt")


def test_manual_pages(tmp_path: Path) -> None:
    """Letters struck twice are bold, and colours are none of the text."""
    (tmp_path / "man.txt").write_text("OPTIONS\n       -\b--\b-a\bal\bll\bl   all\n       \x1b[1m-b\x1b[0m      b\n")

    assert list(options(listing(tmp_path, "man.txt"))) == ["--all", "-b"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_takes_what_is_read_of_it(tmp_path: Path) -> None:
    """No option of `git add -h` is unknown to `git add`, and those with a value want one."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    text = subprocess.run(["git", "add", "-h"], cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    (tmp_path / "add.txt").write_text(text)
    found = options(listing(tmp_path, "add.txt"))

    assert len(found) >= 20
    for name, attributes in found.items():
        line = ["git", "add", "--dry-run", name]
        done = subprocess.run(
            line,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_EDITOR": "true"},
            timeout=30,
        )
        assert "unknown" not in done.stderr, name
        assert ("requires a value" in done.stderr) == ("value" in attributes), name


def test_nothing_is_run_unasked(tmp_path: Path) -> None:
    """And not for a command of the listing either."""
    marker = tmp_path / "ran"
    line = f"run:{sys.executable} -c 'open({str(marker)!r}, \"w\")'"
    for argument in (line, f"add={line}"):
        with pytest.raises(LangcError, match="LC0913"):
            listing(tmp_path, argument)

    assert not marker.exists()


def test_a_tool_that_may_be_run(tmp_path: Path) -> None:
    """What it prints on either stream counts, whatever its exit code."""
    code = "import sys; sys.stdout.write('--one '); sys.stdout.flush(); sys.stderr.write('--two='); sys.exit(129)"
    found = listing(tmp_path, f'run:{sys.executable} -c "{code}"', allow_run=True)

    assert options(found) == {"--one": ["flag", "long"], "--two": ["long", "value"]}


@pytest.mark.parametrize(
    ("argument", "code"),
    [
        ("run:no-such-tool-anywhere --help", "LC0913"),
        ("run:'", "LC0913"),
        ("run:", "LC0913"),
        (f"run:{sys.executable} -c \"while True: print('x' * 10000)\"", "LC0701"),
        (f'run:{sys.executable} -c "pass"', "LC0908"),
        ("none.txt", "LC0001"),
        ("prose.txt", "LC0908"),
        ("latin.txt", "LC0004"),
    ],
)
def test_bad_listings(tmp_path: Path, argument: str, code: str) -> None:
    """Tools that are not there, never stop or say nothing; texts without options."""
    (tmp_path / "prose.txt").write_text("There are no options here.\nNone - at all.\n")
    (tmp_path / "latin.txt").write_bytes(b"--caf\xe9")
    with pytest.raises(LangcError) as caught:
        listing(tmp_path, argument, allow_run=True)

    assert [d.code for d in caught.value.diagnostics] == [code]


def test_a_tool_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, with all that it started."""
    module = "langc.compiler.surfaces.environment.providers.listing.MAX_ENVIRONMENT_SECONDS"
    monkeypatch.setattr(module, 0.2)
    with pytest.raises(LangcError, match="LC0701"):
        listing(tmp_path, "run:sleep 600", allow_run=True)
