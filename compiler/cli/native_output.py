"""What libraries in C write to the standard error stream behind Python's back.

llama.cpp tells of every vocabulary that it loads, xgrammar of every token that it refuses: hundreds of lines that are
no concern of the user, in the middle of a progress bar or beside JSON.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2


@contextmanager
def dropped() -> Iterator[None]:
    """Drop it, and let Python write where it did. `LANGC_DEBUG` in the environment lets everything through."""
    if os.environ.get("LANGC_DEBUG") or not _is_open(_STDERR):
        yield
        return
    ours, kept, nowhere = sys.stderr, os.dup(_STDERR), os.open(os.devnull, os.O_WRONLY)
    with os.fdopen(kept, "w", encoding=ours.encoding, errors=ours.errors) as stream:
        if _writes_to(ours, _STDERR):
            ours.flush()
            sys.stderr = stream
        os.dup2(nowhere, _STDERR)
        os.close(nowhere)
        try:
            yield
        finally:
            stream.flush()
            sys.stderr = ours
            os.dup2(kept, _STDERR)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _writes_to(stream: object, descriptor: int) -> bool:
    """Whether a stream is that of a descriptor; one that a test put in its place has none."""
    try:
        return stream.fileno() == descriptor  # type: ignore[attr-defined,no-any-return]
    except (AttributeError, OSError, ValueError):
        return False
