"""A directory to try a tool in, and what the tool said.

Invariant: a tool gets an environment of its own (a home that is empty, no terminal, no input, no network protocol, no
editor and no pager) and a few seconds; its home and working directory are copies that are deleted afterwards.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TypeVar

SECONDS = 10
WORKERS = 2
_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(frozen=True)
class Answer:
    """What a run gave. `code` is None if the time was up."""

    code: int | None
    out: str
    err: str

    @property
    def text(self) -> str:
        """All that was printed."""
        return f"{self.err}\n{self.out}"


class Sandbox:
    """A directory `work` to run in, and copies of it."""

    def __init__(self, root: Path, variables: Mapping[str, str]) -> None:
        self.root = root
        self.work = root / "work"
        self.variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TERM": "dumb", **variables}
        self._copies = count()
        self.work.mkdir()

    def run(self, words: Sequence[str], fresh: bool = False) -> Answer:
        """Runs a command; with `fresh` in a copy of the directory that is deleted afterwards."""
        if not fresh:
            return self._run(words, self.work)
        copy = self.copy()
        try:
            return self._run(words, copy)
        finally:
            shutil.rmtree(copy, ignore_errors=True)

    def copy(self) -> Path:
        """A copy of the directory, for one user."""
        copy = self.root / f"copy-{next(self._copies)}"
        shutil.copytree(self.work, copy, symlinks=True)
        return copy

    def run_in(self, words: Sequence[str], copy: Path) -> Answer:
        """Runs a command in a copy, and removes the files that were not there before."""
        try:
            return self._run(words, copy)
        finally:
            for path in copy.iterdir():
                if not (self.work / path.name).exists():
                    path.unlink()

    def _run(self, words: Sequence[str], directory: Path) -> Answer:
        variables = {**self.variables, "HOME": str(directory / "home")}
        try:
            done = subprocess.run(
                list(words), cwd=directory, env=variables, stdin=subprocess.DEVNULL, capture_output=True,
                timeout=SECONDS, encoding="utf-8", errors="replace", check=False, start_new_session=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Answer(None, "", "")
        return Answer(done.returncode, done.stdout, done.stderr)


@contextmanager
def sandbox(variables: Mapping[str, str]) -> Iterator[Sandbox]:
    """A sandbox with these variables in its environment."""
    with tempfile.TemporaryDirectory(prefix="langc-") as root:
        yield Sandbox(Path(root), variables)


def each(function: Callable[[_T], _R], items: Iterable[_T]) -> list[_R]:
    """The results for all items, a few of them at a time."""
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(function, items))
