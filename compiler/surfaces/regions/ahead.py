"""What can still be finished within a budget of tokens, where the surface stands in regions.

Within a region, and in the line that opens one, that is looked for as in the texts of a surface (`masks/ahead.py`).
Elsewhere the policy's own tables know it, but for tokens with which a region opens: near the end of the budget each of
these is looked at.
"""

from __future__ import annotations

import numpy as np

from langc.compiler.surfaces.masks.ahead import Flags, SurfaceAhead
from langc.compiler.surfaces.masks.heads import Ints
from langc.compiler.surfaces.regions.spot import Spot
from langc.compiler.surfaces.regions.tables import RegionTables
from langc.compiler.tokens.ahead import Ahead
from langc.compiler.tokens.stopping import StoppingTables
from langc.compiler.tokens.tables import TokenTables


class RegionAhead(SurfaceAhead[Spot]):
    """See the module."""

    def __init__(self, tables: RegionTables) -> None:
        super().__init__(tables)
        self._placed = tables
        static = tables.policy.tables if isinstance(tables.policy, StoppingTables) else tables.policy
        self._policy = Ahead(tables.policy) if isinstance(static, TokenTables) else None
        self._opening: dict[int, Ints] = {}

    def too_far(self, state: int, left: int) -> Flags | None:
        """bool [size]: the tokens that are refused because `left` more may not be enough; None if there are none."""
        here = self._placed.here(state)
        if self._policy is None or here.open is not None or here.opens_at_end:
            return super().too_far(state, left)
        far = self._policy.too_far(self._placed.policy_state(state), left)
        opening = [token for token in self._opening_from(state).tolist() if self._is_too_far(state, token, left)]
        if not opening:
            return far
        flags = np.zeros(self._placed.size, dtype=np.bool_) if far is None else far
        flags[opening] = True
        return flags

    def _opening_from(self, state: int) -> Ints:
        """The allowed tokens that open a region, or with which the text is in the line that opens one."""
        found = self._opening.get(state)
        if found is None:
            opening = self._placed.opening(state)
            found = self._opening[state] = opening[self._placed.mask(state)[opening]]
        return found

    def _is_too_far(self, state: int, token: int, left: int) -> bool:
        after = self._placed.target(state, token)
        assert after is not None
        least = self._homes.known_least(self._placed.here(after))
        return least is None or least > left
