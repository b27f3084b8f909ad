"""The tools as judges of a line: they are run, and what they complain about is read.

Nothing here knows a surface, its engine or its environment. A line is run in a directory that is deleted afterwards,
without terminal and input, with a home of its own, bounded in memory and time, and by a user who owns nothing else if
the judge may choose one. Lines must be made of bytes that lead out of no directory: no `/`, no `~`, no `$`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count, pairwise
from pathlib import Path

SECONDS = 5
NOBODY = 65534
_BOUNDED = ("sh", "-c", 'ulimit -v 4000000; ulimit -f 200000; exec "$@"', "sh")
SERVERS = frozenset({"daemon", "instaweb", "maintenance", "credential-cache", "web--browse", "http-backend", "shell"})
"""Commands of git that start something which goes on."""
SILENT = frozenset({"rev-list", "diff-index", "diff-tree"})
"""Commands that print nothing but their usage if they do not know an option."""
_QUIET = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LC_ALL": "C",
    "TERM": "dumb",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_ASKPASS": "true",
    "FILTER_BRANCH_SQUELCH_WARNING": "1",
}
_BEGINNING = ("init -q -b main", "config user.name n", "config user.email n@example.org", "add f", "commit -qm 1")
"""Lines that make a repository of one file."""
_FILE = re.compile("[A-Za-z0-9_.,= +*%@^][A-Za-z0-9_.,= +*%@^-]{0,60}(?<![.])")
_PLAIN = re.compile("[A-Za-z0-9_]{1,60}")
"""Words that are made a name of something, so that what stands behind them is read too."""
_PLACES = re.compile(r"(?:--(git-dir|work-tree)|-(C))(?:=|$)(.*)")
"""Options of git that say where it works."""
_UNKNOWN = re.compile(
    r"(?:unknown (?:option|switch)|unrecognized (?:argument|option)|invalid option|unknown subcommand|"
    r"unknown command|ambiguous option):? *[`'\"]?-*([^\s'\"`]+)",
    re.I,
)


def run(words: Sequence[str], directory: Path, variables: Mapping[str, str] = _QUIET) -> tuple[int | None, str]:
    """The exit status (None: out of time) and all that was printed."""
    process = subprocess.Popen(
        [*_nobody(), *_BOUNDED, *words], cwd=directory, env={**variables, "HOME": str(directory)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        out, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    return process.returncode, out.decode(errors="replace")


@cache
def _nobody() -> Sequence[str]:
    """What runs a command as a user who owns nothing, if it is root who judges."""
    if os.geteuid() or shutil.which("setpriv") is None:
        return ()
    return ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs")


def give_away(directory: Path) -> None:
    """A directory and all in it belong to whoever runs commands."""
    if _nobody():
        for path in (directory, *directory.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


@dataclass
class Judge:
    """Runs lines in directories below `root`, which anybody must be able to enter."""

    root: Path
    _numbers: count[int] = field(default_factory=count)

    @contextmanager
    def directory(self) -> Iterator[Path]:
        """A new directory that is deleted afterwards, with what is above it."""
        above = self.root / f"run-{next(self._numbers)}"
        try:
            yield above / "work"
        finally:
            shutil.rmtree(above, ignore_errors=True)


@dataclass
class GitJudge(Judge):
    """Judges lines of git."""

    def __post_init__(self) -> None:
        self.base = self.root / "base"
        self.base.mkdir()
        (self.base / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")  # also for a user who does not own it
        (self.base / "f").write_text("1\n")
        give_away(self.base)
        for line in _BEGINNING:
            run(["git", *line.split()], self.base)
        shutil.rmtree(self.base / ".git" / "hooks", ignore_errors=True)
        self._commit = (self.base / ".git" / "refs" / "heads" / "main").read_text()

    def ghost(self, line: str) -> str | None:
        """What git does not know in a line; None if it knows all of it."""
        words = shlex.split(line)
        assert words[0] == "git"
        if SERVERS.intersection(words):
            return None
        with self.directory() as directory:
            shutil.copytree(self.base, directory, symlinks=True)
            for word in words[1:]:
                if _PLAIN.fullmatch(word) and word != "HEAD":
                    (directory / ".git" / "refs" / "heads" / word).write_text(self._commit)
            for name, target in places_in(words):
                if _PLAIN.fullmatch(name):
                    (directory / name).unlink(missing_ok=True)
                    (directory / name).symlink_to(target)
            give_away(directory)
            _, text = run(words, directory)
        silent = next((place for place, word in enumerate(words) if word in SILENT), None)
        if silent is not None and re.search("^usage:", text, re.M) and "HEAD" in _before_dashes(words[silent:]):
            return "usage"
        return unknown_of(words, text)


def places_in(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The directories that a line says git works in, and what each has to be, so that git comes to read the rest."""
    for word, behind in pairwise((*words, "")):
        found = _PLACES.fullmatch(word)
        if found:
            yield found[3] or behind, ".git" if found[1] == "git-dir" else "."


def _before_dashes(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index("--")] if "--" in words else words


def unknown_of(words: Sequence[str], text: str) -> str | None:
    """The word of a line that a message says is unknown: a command, or something that stands there as an option.

    A dash alone is an operand.
    """
    found = re.search(r"'([^']*)' is not a git command", text)
    if found:
        return found[1]
    for found in _UNKNOWN.finditer(text):
        name = found[1].split("=")[0]
        if (name != "-" and any(_is_option(word, name) for word in words[1:])) or "command" in found[0].lower():
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
    r"Requested output format [^\n]*|Option '[^\n ]*' not found|Unknown (?:pixel|sample) format requested[^\n]*|"
    r"Unrecognized hwaccel[^\n]*|cannot be applied to [^\n]*|Unable to parse '[^\n]*' option|No option name near[^\n]*|"
    r"No such (?:bitstream )?filter[^\n]*"
)
_WRONG_SIDE = re.compile(r"Codec AVOption (\S+) [^\n]* is not an? (de|en)coding option")
_FLAGS = re.compile(r"^ +-(\S+) +<[^>]*> +([E.])([D.])", re.M)
_CODING = {"E": "en", "D": "de"}
_WRONG_KIND = re.compile(r"Invalid (?:en|de)coder type '([^']*)'")
_OF_A_KIND = re.compile(r"-(?:[vasd]codec|(?:c|codec):[vVasdt].*)")
"""Options that say of what kind a codec has to be. Of others that depends on the file."""
_REPORT = {**_QUIET, "FFREPORT": "file=report.txt:level=32"}
_SOURCES = ("-f", "lavfi", "-i", "testsrc=s=64x64:d=0.1", "-f", "lavfi", "-i", "anullsrc=d=0.1")


@dataclass
class FfmpegJudge(Judge):
    """Judges lines of ffmpeg.

    ffmpeg stops at the first thing that is wrong. So a line is run with files in the place of its inputs, and with a
    name for its last output that says what it is. If an input cannot be read as the line says, each further one is read
    alone, and what stands behind them is run with generated ones. What is said is read from a report, which no option
    silences. That a file has not the format or the codec that an option is of is no matter of names.
    """

    program: str = "ffmpeg"

    def __post_init__(self) -> None:
        self.sample = self.root / "sample.mkv"
        made = self.root / "made"
        made.mkdir()
        give_away(made)
        run([self.program, *_SOURCES, "-t", "0.1", self.sample.name], made)
        (made / self.sample.name).rename(self.sample)
        flags = _FLAGS.findall(run([self.program, "-hide_banner", "-h", "full"], made)[1])
        self._coding = {(_CODING[letter], name) for name, *letters in flags for letter in letters if letter in _CODING}

    def ghost(self, line: str) -> str | None:
        """What ffmpeg does not know in a line; None if it knows all of it."""
        _, *words = shlex.split(line)
        inputs = [at for at, word in enumerate(words) if word == "-i" and at + 1 < len(words)]
        behind = words[inputs[-1] + 2 :] if inputs else words
        if not inputs:
            return self._unknown_in(words, self._said(words if _is_query(words) else [*_SOURCES, *_short(behind)]))
        names = [words[at + 1] for at in inputs]
        said = [self._said([*words[: len(words) - len(behind)], *_short(behind)], names)]
        if said[0].count("Input #") < len(inputs):
            said += [self._said(words[before + 2 : last + 2], names) for before, last in pairwise(inputs)]
            said += [self._said([*_SOURCES, *_short(behind)])] if behind else []
        return next((found for text in said if (found := self._unknown_in(words, text)) is not None), None)

    def _unknown_in(self, words: Sequence[str], text: str) -> str | None:
        found = _FFMPEG_UNKNOWN.search(text)
        if found is not None:
            return found[0]
        for side in _WRONG_SIDE.finditer(text):
            if (side[2], side[1]) not in self._coding:
                return side[0]
        for kind in _WRONG_KIND.finditer(text):
            options = [option for option, word in pairwise(words) if word == kind[1]]
            if options and all(map(_OF_A_KIND.fullmatch, options)):
                return kind[0]
        return None

    def _said(self, words: Sequence[str], inputs: Sequence[str] = ()) -> str:
        with self.directory() as directory:
            directory.mkdir(parents=True)
            for name in inputs:
                if _FILE.fullmatch(name):
                    shutil.copyfile(self.sample, directory / name)
            report = directory / "report.txt"
            report.touch()
            give_away(directory)
            _, text = run([self.program, "-nostdin", "-hide_banner", "-y", *words], directory, _REPORT)
            return text + report.read_text(errors="replace")


def _is_query(words: Sequence[str]) -> bool:
    """Whether a line without inputs asks for something: no output begins with `-`, but it may be `-`."""
    return (words[-1].startswith("-") and words[-1] != "-") or any(word in ("-h", "-help") for word in words)


def _short(behind: Sequence[str]) -> Sequence[str]:
    """Outputs, the last of them called so that ffmpeg knows what it is, and soon over."""
    return ("-t", "0.1", *behind[:-1], "o.mkv") if behind else ()
