"""A part of a joined matcher that knows a few rows of tokens by heart, and nothing of dead ends."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.vocabulary import Vocabulary

Path = tuple[int, ...]


def follows(paths: Collection[Path], history: Path) -> set[int]:
    """The tokens that some path has behind a history that it begins with."""
    at = len(history)
    return {path[at] for path in paths if len(path) > at and path[:at] == history}


@dataclass
class Paths:
    """Allows what follows on some path, and the end behind those that are `whole`."""

    vocabulary: Vocabulary
    rows: int
    paths: frozenset[Path]
    whole: frozenset[Path]
    history: Path = field(default=())

    @property
    def accepting(self) -> bool:
        """Whether the history is a whole path."""
        return self.history in self.whole

    def mask(self) -> npt.NDArray[np.bool_]:
        """bool [rows]."""
        row = np.zeros(self.rows, dtype=np.bool_)
        row[sorted(follows(self.paths, self.history))] = True
        row[sorted(self.vocabulary.eos_ids)] = self.accepting
        return row

    def advance(self, token: int) -> bool:
        """Take a token."""
        assert token not in self.vocabulary.eos_ids, "the end is the joined matcher's business"
        if token not in follows(self.paths, self.history):
            return False
        self.history = (*self.history, token)
        return True

    def rollback(self, count: int) -> None:
        """Take tokens back."""
        assert 0 < count <= len(self.history)
        self.history = self.history[:-count]


class Copied(Paths):
    """The same with a fork and a preference: a token costs its own number."""

    def fork(self) -> Copied:
        """A copy."""
        return Copied(self.vocabulary, self.rows, self.paths, self.whole, self.history)

    def bias(self) -> npt.NDArray[np.float32]:
        """float32 [rows]; where the mask is False, anything."""
        return -np.arange(self.rows, dtype=np.float32)
