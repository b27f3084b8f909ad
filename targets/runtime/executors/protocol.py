"""What runs a surface, token by token.

Invariant: `advance` takes exactly the tokens behind which the text can go on to a text of the surface.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Executor(Protocol):
    """One text in the making."""

    @property
    def name(self) -> str:
        """What runs it."""

    def mask(self) -> NDArray[np.bool_]:
        """bool [rows]: the tokens that may come next, as far as the executor knows; see `rebuilt.py`."""

    def advance(self, token: int) -> bool:
        """Write a token. A refused one changes nothing and gives False."""

    def reset(self) -> None:
        """Begin anew."""
