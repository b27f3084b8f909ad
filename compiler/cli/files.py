"""Files that commands read and write.

Invariant: a written file is complete or it is not there: the content goes into a new file beside it, which then
takes its name in one step. Of several files none takes its name before all are written.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.unread import directory, no_file

STREAM = "-"
"""Stands for stdin among inputs and for stdout as an output."""
_CHUNK = 1 << 20


def shown(path: str) -> str:
    """What messages call a file."""
    return "<stdin>" if path == STREAM else path


def stdin() -> BinaryIO:
    """The standard input. Raises LangcError (LC0003) if the shell closed it, which must not read as an empty text."""
    if sys.stdin is None:
        raise LangcError(Diagnostic("LC0003", f"cannot read {shown(STREAM)}: it is closed"))
    return sys.stdin.buffer


def read_chunks(path: str) -> Iterator[bytes]:
    """The bytes of a file or of stdin, a piece at a time. Raises LangcError (LC0001, LC0002, LC0003)."""
    try:
        if path == STREAM:
            yield from _chunks(stdin())
        else:
            with Path(path).open("rb") as file:
                yield from _chunks(file)
    except FileNotFoundError:
        raise LangcError(no_file(path)) from None
    except IsADirectoryError:
        raise LangcError(directory(path, "text file")) from None
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise LangcError(Diagnostic("LC0003", f"cannot read {path}: {_reason(error)}")) from None


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write all files or none. Raises LangcError (LC0010), and then nothing is left behind."""
    waiting: dict[Path, Path] = {}
    try:
        for path, content in files.items():
            with _blaming(path):
                if path.exists() and not path.is_file():
                    path.write_bytes(content)  # a pipe or a device; a folder raises
                    continue
                final = path.resolve()  # a link stays a link
                unfinished = final.with_name(f".{final.name}.{os.getpid()}.tmp")
                waiting[unfinished] = final
                _write_beside(final, unfinished, content)
        for unfinished, final in waiting.items():
            with _blaming(final):
                unfinished.replace(final)
    finally:
        for unfinished in waiting:
            with suppress(OSError):  # it took its name, or could not even be begun
                unfinished.unlink()


def _write_beside(final: Path, unfinished: Path, content: bytes) -> None:
    """Fill the unfinished file, with the access rights of the one that it is to replace."""
    if final.exists() and not os.access(final, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with unfinished.open("xb") as file:
        file.write(content)
    if final.exists():
        unfinished.chmod(stat.S_IMODE(final.stat().st_mode))


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        help_ = "create the folder first" if isinstance(error, FileNotFoundError) else None
        raise LangcError(Diagnostic("LC0010", f"cannot write {path}: {_reason(error)}", help=help_)) from None


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
