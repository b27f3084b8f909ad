"""The floor: one addition of a ready float32 row to the logits, in place, by numpy."""

from __future__ import annotations

import numpy as np

from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary


def translate(_: Policy, __: Vocabulary) -> None:
    """Nothing."""


class Prepare:
    """Nothing."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.rows = vocabulary.size

    def compile(self, _: None) -> FloorSession:
        """See `Prepared`."""
        return FloorSession(self.rows)


class FloorSession:
    """A row and logits."""

    def __init__(self, rows: int) -> None:
        self.row = np.zeros(rows, dtype=np.float32)
        self.row[::2] = -np.inf
        self.logits = np.zeros(rows, dtype=np.float32)

    def reset(self) -> None:
        """See `Session`."""

    def advance(self, token: int) -> None:
        """See `Session`."""

    def mask(self) -> None:
        """See `Session`."""

    def apply(self) -> None:
        """See `Session`."""
        np.add(self.logits, self.row, out=self.logits)

    def prepare(self) -> None:
        """See `Session`."""
        self.mask()

    def fresh(self) -> FloorSession:
        """See `Session`."""
        return FloorSession(len(self.row))
