"""langc's own matcher as an executor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.tokens.vocabulary import Vocabulary


class Own:
    """See the module."""

    name = "langc"

    def __init__(self, engine: Engine, vocabulary: Vocabulary) -> None:
        self._matcher = SurfaceMatcher(engine, vocabulary)
        self._start = self._matcher.fork()

    def mask(self) -> NDArray[np.bool_]:
        """See `Executor`."""
        return self._matcher.mask()

    def advance(self, token: int) -> bool:
        """See `Executor`."""
        return self._matcher.advance(token)

    def reset(self) -> None:
        """See `Executor`."""
        self._matcher = self._start.fork()
