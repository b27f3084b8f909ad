"""What is said of files that are not there, are no files, or are no text: one wording for all who read files."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.suggest import closest

_LOOKED_AT = 1_000
"""How many files of a folder are compared with a name."""


def no_file(path: str | Path) -> Diagnostic:
    """LC0001, with the file beside it that may have been meant."""
    return Diagnostic("LC0001", f"there is no file {path}", help=_meant(Path(path)))


def directory(path: str | Path, what: str, kind: str = "a directory") -> Diagnostic:
    """LC0002: the path is something else than `what` was to be read from."""
    help_ = "name a file in it" if kind == "a directory" else "copy what it gives to a file"
    return Diagnostic("LC0002", f"{path} is {kind}, not a {what}", help=help_)


def not_utf8(name: str, error: UnicodeDecodeError) -> Diagnostic:
    """LC0004, for content that was decoded as a whole."""
    content, at = error.object, error.start
    is_wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    return Diagnostic(
        "LC0004",
        f"{name} is not UTF-8: byte 0x{content[at]:02X} at offset {at:,}",
        help="it looks like UTF-16: save it as UTF-8" if is_wide else "save it as UTF-8",
        data={"file": name, "byte": at},
    )


def _meant(path: Path) -> str:
    try:
        with os.scandir(path.parent) as entries:
            files = [Path(entry.name) for entry in islice(entries, _LOOKED_AT) if entry.is_file()]
    except (OSError, ValueError):
        return f"there is no folder {path.parent}, or it cannot be read"
    by_stem = {file.stem: file for file in sorted(files, reverse=True)}
    found = closest(path.stem, by_stem)
    if found is None:
        return "check the spelling, and the folder that the path starts from"
    return f"did you mean `{path.parent / by_stem[found]}`?"
