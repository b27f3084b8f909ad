"""What the tokens of one state cost, added to rows of logits.

Invariant: the sum is rounded once, to the format of the logits, and what costs nothing keeps its value, −0 too: −0 is
added to it. Whether a token is allowed is no matter here; refused ones have −0 as well.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.logits.half_costs import HalfCosts, half_costs
from langc.compiler.tokens.logits.layout import BFLOAT16, FLOAT16, Array, Layout

Bias = npt.NDArray[np.float32]
_NOTHING = np.float32(-0.0)


@dataclass(frozen=True)
class Costs:
    """For logits of one layout."""

    row: Any
    """[rows]: an array of the format of the logits; a tensor for bfloat16."""
    layout: Layout

    @property
    def nbytes(self) -> int:
        """The memory of the row."""
        return int(self.row.nbytes)

    def add(self, source: Array, out: Array) -> None:
        """Write the sums of views [..., rows] of the logits."""
        if self.layout is BFLOAT16:
            torch = sys.modules["torch"]
            before, after = (torch.from_numpy(a.view(np.int16)).view(torch.bfloat16) for a in (source, out))
            torch.add(before, self.row, out=after)
            return
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # as logits of a model may be
            np.add(source.view(self.row.dtype), self.row, out=out.view(self.row.dtype))


def summand(bias: Bias, layout: Layout) -> Costs | HalfCosts | None:
    """What adds the costs on the CPU: `costs_of`, or something faster."""
    costs = costs_of(bias, layout)
    if costs is None or layout is not FLOAT16:
        return costs
    return half_costs(costs.row) or costs


def costs_of(bias: Bias, layout: Layout) -> Costs | None:
    """The finite part of a bias, float32 [rows]; None where nothing costs."""
    costs = np.where(np.isneginf(bias) | (bias == 0), _NOTHING, bias)
    if not costs.any():
        return None
    if layout is BFLOAT16:
        torch = sys.modules["torch"]
        return Costs(torch.from_numpy(costs).to(torch.bfloat16), layout)
    with np.errstate(over="ignore", under="ignore"):
        return Costs(costs.astype(layout.name), layout)
