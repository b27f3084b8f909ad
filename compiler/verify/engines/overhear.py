"""What an engine prints from native code: it goes to the process's standard error stream past Python."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def overhear() -> Iterator[list[str]]:
    """Keep what is printed to file descriptor 2 meanwhile; the lines are there afterwards."""
    said: list[str] = []
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 2)
        try:
            yield said
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(kept, 2)
            os.close(kept)
            printed.seek(0)
            said += [line for line in printed.read().decode(errors="replace").splitlines() if line.strip()]
