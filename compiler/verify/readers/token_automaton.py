"""What a format for one vocabulary says, before it is compared: states, priced tokens, and where a text may end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from langc.compiler.verify.readers.token_bytes import Ints

REFUSED = float("inf")
"""The price of what is not allowed."""


@dataclass(frozen=True)
class Priced:
    """The allowed tokens of one state, by id; arrays [n]."""

    ids: Ints
    targets: Ints
    prices: npt.NDArray[np.float64]
    """In logits: 0, or what a violation of a soft policy costs."""


class TokenAutomaton(Protocol):
    """An automaton over the token ids of one vocabulary."""

    @property
    def start(self) -> int:
        """The state of the empty text."""

    @property
    def size(self) -> int:
        """The number of ids."""

    @property
    def eos_ids(self) -> frozenset[int]:
        """The ids that end a text."""

    def edges(self, state: int) -> Priced:
        """What may follow, beside an end."""

    def end(self, state: int) -> float:
        """The price of ending here."""
