"""What `langc check --fix` does to files: what the policy has a replacement for is replaced in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from langc.compiler.checking.check import check, malformed
from langc.compiler.checking.mending import mend
from langc.compiler.checking.report import CheckReport
from langc.compiler.cli.console import Console
from langc.compiler.cli.files import STREAM, read_chunks, shown, write_files
from langc.compiler.cli.usage import wrong
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.policy import Policy
from langc.compiler.unicode.glyphs import visible


@dataclass(frozen=True)
class Mended:
    """A file's text before and after, and what is left in it."""

    before: str
    after: str
    replaced: int
    """Characters and phrases."""
    report: CheckReport
    """On the text after."""

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after

    def diff(self, name: str) -> str:
        """What would change, as a unified diff to look at: what a terminal would obey is shown as code points."""
        from difflib import unified_diff

        before, after = (text.split("\n") for text in (self.before, self.after))
        return "\n".join(map(visible, unified_diff(before, after, name, f"{name} (mended)", lineterm="")))

    def to_json(self, with_text: bool) -> dict[str, object]:
        """As JSON values, before those of the report."""
        return {"replaced": self.replaced, "changed": self.is_changed} | ({"text": self.after} if with_text else {})


def mend_file(path: str, policy: Policy) -> Mended:
    """Raises LangcError if the file cannot be read or is not UTF-8."""
    data = b"".join(read_chunks(path))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise LangcError(malformed(shown(path), error.start, error)) from None
    after, replaced = mend(text, policy)
    return Mended(text, after, replaced, check(after, policy))


def require_one_stream(files: Collection[str]) -> None:
    """Raises LangcError (LC0020) if stdin stands among other files: its text goes to stdout, alone."""
    if STREAM in files and len(files) > 1:
        raise LangcError(wrong("stdin (-) cannot be mended together with other files", help="mend it by itself"))


def write_mended(console: Console, mended: Mapping[str, Mended]) -> None:
    """Write what was changed into the files, all of it or none; the text of stdin to stdout."""
    if STREAM in mended:
        if not console.json:
            console.data(mended[STREAM].after.encode())
        return
    changed: dict[Path, bytes] = {}
    for path, each in mended.items():
        if each.is_changed:
            changed[Path(path).resolve()] = each.after.encode()  # one file may have several names
        if each.is_changed and not Path(path).is_file():
            help_ = "hand a pipe over as stdin: `langc check --fix -`"
            raise LangcError(Diagnostic("LC0010", f"cannot write {path}: it is not a regular file", help=help_))
    write_files(changed)


def show_diffs(console: Console, mended: Iterable[tuple[str, Mended]]) -> None:
    """Write what would change to stdout."""
    if console.json:
        return
    for path, each in mended:
        if each.is_changed:
            console.out(each.diff(shown(path)))
