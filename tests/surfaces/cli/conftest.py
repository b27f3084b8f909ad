"""What the tests of command lines share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def ground() -> Iterator[Path]:
    """A directory that every user may enter, as those of pytest may not be."""
    memory = Path("/dev/shm")  # where there is such a thing: ten times as fast for repositories
    with tempfile.TemporaryDirectory(prefix="langc-", dir=memory if os.access(memory, os.W_OK) else None) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
