"""Files with names in them, which may come from strangers.

Invariant: only regular files are opened (a pipe or a device would hang), no more than the budget is read, and no other
file than the one that was named.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, LimitError
from langc.compiler.limits import MAX_ENVIRONMENT_BYTES, over_limit
from langc.compiler.unread import directory, no_file, not_utf8


def require_file(path: Path) -> os.stat_result:
    """What the system says of a regular file. Raises LangcError (LC0001, LC0002, LC0003)."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise LangcError(no_file(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise unreadable(path, error) from None
    if stat.S_ISDIR(found.st_mode):
        raise LangcError(directory(path, "file with names"))
    if not stat.S_ISREG(found.st_mode):
        raise LangcError(Diagnostic("LC0003", f"cannot read {path}: it is no regular file"))
    return found


def read_bytes(path: Path, limit: int = MAX_ENVIRONMENT_BYTES) -> bytes:
    """The content of a file. Raises LangcError (LC0001, LC0002, LC0003), LimitError (LC0701)."""
    if require_file(path).st_size > limit:
        raise LimitError(over_limit(f"bytes in {path}", limit))
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # if it became a pipe meanwhile
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    if len(content) > limit:
        raise LimitError(over_limit(f"bytes in {path}", limit))
    return content


def read_head(path: Path, size: int) -> bytes:
    """The first bytes of a file. Raises as `read_bytes` does."""
    require_file(path)
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            return file.read(size)
    except OSError as error:
        raise unreadable(path, error) from None


def read_text(path: Path) -> str:
    """The content as text without a byte order mark. Raises as `read_bytes` does, and LangcError (LC0004)."""
    return decoded(read_bytes(path), str(path))


def decoded(content: bytes, where: str) -> str:
    """UTF-8 as text with plain line ends. Raises LangcError (LC0004)."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LangcError(not_utf8(where, error)) from None
    return text.replace("\r\n", "\n")


def unreadable(path: Path, error: OSError | ValueError) -> LangcError:
    """LC0003 with the system's reason."""
    reason = error.strerror if isinstance(error, OSError) else None
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return LangcError(Diagnostic("LC0003", f"cannot read {str(path)[:60]}…: {reason}"))
    return LangcError(Diagnostic("LC0003", f"cannot read {path}: {reason or error}"))
