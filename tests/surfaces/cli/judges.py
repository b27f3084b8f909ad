"""The tools as judges of a line: they are run, and what they complain about is read.

Nothing here knows a surface, its engine or its environment. A line is run in a copy of a small repository that is
deleted afterwards, without network, terminal and input, and with a home of its own.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

SECONDS = 5
SERVERS = frozenset({"daemon", "instaweb", "maintenance", "credential-cache", "web--browse", "http-backend", "shell"})
"""Commands of git that start something which goes on."""
SILENT = frozenset({"rev-list", "diff-index", "diff-tree"})
"""Commands that print nothing but their usage if they do not know an option."""
_QUIET = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LC_ALL": "C",
    "TERM": "dumb",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_ASKPASS": "true",
    "FILTER_BRANCH_SQUELCH_WARNING": "1",
}
_BEGINNING = ("init -q -b main", "config user.name n", "config user.email n@example.org", "add f", "commit -qm 1")
_UNKNOWN = re.compile(
    r"(?:unknown (?:option|switch)|unrecognized (?:argument|option)|invalid option|unknown subcommand|"
    r"unknown command|ambiguous option):? *[`'\"]?-*([^\s'\"`]+)",
    re.I,
)


def run(words: Sequence[str], directory: Path, before: Sequence[str] = ()) -> tuple[int | None, str]:
    """The exit status (None: out of time) and all that was printed."""
    process = subprocess.Popen(
        [*before, *words], cwd=directory, env={**_QUIET, "HOME": str(directory)}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        out, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    return process.returncode, out.decode(errors="replace")


@dataclass
class GitJudge:
    """Judges lines of git."""

    root: Path
    before: Sequence[str] = ()
    """What git is run by: a command that shuts it in."""
    _numbers: count[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.base = self.root / "base"
        self.base.mkdir()
        (self.base / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")  # also for a user who does not own it
        for line in (
            "init -q -b main",
            "config user.name n",
            "config user.email n@example.org",
            "add f",
            "commit -qm 1",
        ):
            (self.base / "f").write_text("1\n")
            run(["git", *line.split()], self.base)
        shutil.rmtree(self.base / ".git" / "hooks", ignore_errors=True)

    def ghost(self, line: str) -> str | None:
        """What git does not know in a line; None if it knows all of it."""
        words = shlex.split(line)
        assert words[0] == "git"
        if SERVERS.intersection(words):
            return None
        copy = self.root / f"copy-{next(self._numbers)}"
        shutil.copytree(self.base, copy, symlinks=True)
        copy.chmod(0o777)
        commit = (self.base / ".git" / "refs" / "heads" / "main").read_text()
        for word in words[1:]:
            if (
                re.fullmatch("[A-Za-z0-9_]+", word) and word != "HEAD"
            ):  # a name of a branch, so that options behind it are read too
                (copy / ".git" / "refs" / "heads" / word).write_text(commit)
        try:
            _, text = run(words, copy, self.before)
        finally:
            shutil.rmtree(copy, ignore_errors=True)
        if SILENT.intersection(words) and re.search("^usage:", text, re.M) and "HEAD" in words:
            return "usage"
        return unknown_of(words, text)


def unknown_of(words: Sequence[str], text: str) -> str | None:
    """The word of a line that a message says is unknown: a command, or something that stands there as an option."""
    found = re.search(r"'([^']*)' is not a git command", text)
    if found:
        return found[1]
    for found in _UNKNOWN.finditer(text):
        name = found[1].split("=")[0]
        if any(_is_option(word, name) for word in words[1:]) or "command" in found[0].lower():
            return found[0]
    return None


def _is_option(word: str, name: str) -> bool:
    if word.startswith("--"):
        return word[2:].split("=")[0] == name
    if word.startswith("-"):
        return word[1:].startswith(name) or (len(name) == 1 and name in word)
    return word == name


_FFMPEG_UNKNOWN = re.compile(
    r"Unrecognized option '[^']*'|Unknown (?:encoder|decoder|input format|bitstream filter)[^\n]*|"
    r"No such filter: [^\n]*|"
    r"Requested output format [^\n]*|Option '?[^\n ]*'? not found|Unknown (?:pixel|sample) format requested[^\n]*|"
    r"Unrecognized hwaccel[^\n]*|cannot be applied to [^\n]*|Unable to parse '[^\n]*' option|No option name near[^\n]*|"
    r"is not a (?:de|en)coding option|No such (?:bitstream )?filter[^\n]*|Invalid (?:en|de)coder type[^\n]*"
)
_SOURCES = ("-f", "lavfi", "-i", "testsrc=s=64x64:d=0.1", "-f", "lavfi", "-i", "anullsrc=d=0.1")


@dataclass
class FfmpegJudge:
    """Judges lines of ffmpeg: as they are, and with generated inputs, so that what is said of outputs is read too."""

    root: Path
    program: str = "ffmpeg"
    before: Sequence[str] = ()
    _numbers: count[int] = field(default_factory=count)

    def ghost(self, line: str) -> str | None:
        """What ffmpeg does not know in a line; None if it knows all of it."""
        _, *words = shlex.split(line)
        inputs = [at for at, word in enumerate(words) if word == "-i" and at + 1 < len(words)]
        behind = words[inputs[-1] + 2 :] if inputs else words
        found = self._said(words)
        if found is None and behind:
            found = self._said([*_SOURCES, "-t", "0.1", *behind[:-1], "o.mkv"])
        return found

    def _said(self, words: Sequence[str]) -> str | None:
        copy = self.root / f"copy-{next(self._numbers)}"
        copy.mkdir()
        copy.chmod(0o777)
        try:
            _, text = run([self.program, "-nostdin", "-hide_banner", "-y", *words], copy, self.before)
        finally:
            shutil.rmtree(copy, ignore_errors=True)
        found = _FFMPEG_UNKNOWN.search(text)
        return found[0] if found else None
