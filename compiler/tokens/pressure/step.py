"""What is known of one step: how much was taken, and from which token for which other one.

Nothing is computed here: `measure.py` does it from logits, `listed.py` from the alternatives that a
server lists.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A token as the model sees it, before the bias."""

    token: int
    """The id; below 0 if only the text is known."""
    probability: float
    rank: int
    """1 for the most probable token: one more than the tokens that are more probable."""


@dataclass(frozen=True)
class Step:
    """What was taken at one step."""

    mass: float
    """The probability that the bias moves, from 0 to 1."""
    refused: Candidate | None
    """The most probable token with a bias below 0; None if the bias touches none that the model could choose."""
    allowed: Candidate | None
    """The token that is most probable under the bias; None if no token that is known is allowed."""
    chosen: int | None = None
    """The token that was written, if that is known."""

    @property
    def top_refused(self) -> bool:
        """Whether the bias takes the first place from the model's most probable token."""
        return self.allowed is None or self.allowed.rank > 1
