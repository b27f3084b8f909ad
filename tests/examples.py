"""How many examples a property is tried on: a third of them in `make test-fast`, all of them anywhere else."""

from __future__ import annotations

import os

LEAST = 20


def examples(count: int) -> int:
    """What `max_examples` is to be where it would be `count`."""
    return max(count // 3, min(count, LEAST)) if os.environ.get("LANGC_FAST") else count
