"""Reading policy files: bytes to a `Source`, or one error that says why not."""

from __future__ import annotations

import errno
from pathlib import Path

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.limits import MAX_POLICY_BYTES, over_limit
from langc.compiler.source import Source
from langc.compiler.unread import directory, no_file, not_utf8


def read_source(path: Path, what: str = "policy file") -> Source:
    """The text of a file, named as the path is written. A byte order mark is skipped.

    `what` the file should have been is for errors.

    Raises PolicyError if the file is missing, is no regular file, cannot be read, or is not UTF-8, and
    LimitError if it is too long. At most `MAX_POLICY_BYTES` + 1 bytes are read.
    """
    return Source.of(str(path), decode(str(path), _read(path, what)))


def _read(path: Path, what: str) -> bytes:
    try:
        if path.exists() and not path.is_file():
            kind = "a directory" if path.is_dir() else "no regular file"
            raise PolicyError(directory(path, what, kind))
        with path.open("rb") as file:
            data = file.read(MAX_POLICY_BYTES + 1)
    except (OSError, ValueError) as error:
        raise PolicyError(_unreadable(path, error)) from error
    if len(data) > MAX_POLICY_BYTES:
        raise LimitError(over_limit(f"bytes in {path}", MAX_POLICY_BYTES))
    return data


def _unreadable(path: Path, error: OSError | ValueError) -> Diagnostic:
    if isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOTDIR):
        return no_file(path)
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return Diagnostic("LC0003", f"cannot read {path}: {reason}")


def decode(name: str, data: bytes) -> str:
    """The text of a file called `name`. Raises PolicyError if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PolicyError(not_utf8(name, error)) from error
