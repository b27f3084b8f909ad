"""Tokens that lead nowhere: a bounded search for a way on behind each of the last few that are left.

Matchers that are joined know nothing of one another, and an engine's matcher may know nothing of what its own
vocabulary can spell, so each may offer a token behind which the others have nothing left. Where few tokens remain each
of them is tried. One is dropped only if *every* way on behind it was followed to a place where the parts have nothing
in common, so no text that all of them permit is ever lost. What is not decided within the budget is kept.

A way is taken to go on where end-of-sequence is among the common tokens, or where more than `MAX_LOOK_AHEAD_TOKENS`
are. The second is no proof: that is why dead ends remain possible.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from langc.compiler.limits import MAX_LOOK_AHEAD_STEPS, MAX_LOOK_AHEAD_TOKENS
from langc.compiler.tokens.joined.parts import BoolArray, Part, advance_all, common_row


def without_dead_ends(parts: Sequence[Part], row: BoolArray, ends: Collection[int]) -> BoolArray:
    """The tokens of `row`, bool [rows], without those that are proven to lead nowhere.

    Args:
        parts: left as they were found.
        row: what all parts allow now. A single token is not tried: there is no other to turn to.
        ends: the ids of end-of-sequence, which always lead somewhere. Without any nothing is dropped, because where a
            text is complete cannot be seen from what may follow it.
    """
    if not ends or not 1 < np.count_nonzero(row) <= MAX_LOOK_AHEAD_TOKENS:
        return row
    ids = np.flatnonzero(row).tolist()
    steps = MAX_LOOK_AHEAD_STEPS // len(ids)
    kept = row.copy()
    kept[[token for token in ids if token not in ends and not _leads_on(parts, token, ends, steps)]] = False
    return kept


def _leads_on(parts: Sequence[Part], token: int, ends: Collection[int], steps: int) -> bool:
    """Whether a way on was found behind a token, or could not be ruled out in so many steps."""
    if not advance_all(parts, token):
        return False
    try:
        row = common_row(parts)
        if np.count_nonzero(row) > MAX_LOOK_AHEAD_TOKENS or any(row[end] for end in ends):
            return True
        ids = np.flatnonzero(row).tolist()
        share = (steps - 1) // max(len(ids), 1)  # each gets the same, whatever the order they are tried in
        return bool(ids) and (share < 1 or any(_leads_on(parts, following, ends, share) for following in ids))
    finally:
        for part in parts:
            part.rollback(1)
