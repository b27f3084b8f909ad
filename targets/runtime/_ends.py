"""`stop before` over torch rows: end-of-sequence gets what is taken from the tokens that would complete a phrase."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from langc.compiler.tokens.stopping import Stopping


def raise_end(row: torch.Tensor, ending: Stopping, eos_ids: Sequence[int]) -> None:
    """As `Stopping.raise_end`, in place, for logits [rows] on any device; no bias yet."""
    if ending.ids.size and eos_ids:
        wanted = row[torch.from_numpy(ending.ids).to(row.device)] + torch.from_numpy(ending.bias).to(row)
        end = eos_ids[int(row[list(eos_ids)].argmax())]
        row[end] = torch.maximum(row[end], wanted.max())
