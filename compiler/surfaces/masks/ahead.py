"""What is known of a text of a surface beyond its next token: what must be written anyway, and what can be finished.

With a budget of tokens, a token is allowed if the text behind it can be finished with what is left. Far from the end of
the budget that holds for all tokens, as none lengthens the way to an end by more than `MAX_SURFACE_DETOUR`. Near it
only the tokens that were looked at are allowed: those with the lowest ids, and the one that is the way. Where a token
did lengthen it by more, and no text can be finished in time any more, the way is all that is left, and the budget is
overrun.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SURFACE_CLOSING_TOKENS, MAX_SURFACE_DETOUR
from langc.compiler.surfaces.config import Config
from langc.compiler.surfaces.masks.heads import ROOT
from langc.compiler.surfaces.masks.home import Homes
from langc.compiler.surfaces.masks.next_bytes import next_bytes
from langc.compiler.surfaces.masks.tables import State, SurfaceTables
from langc.compiler.tokens.ahead import Ahead
from langc.compiler.tokens.forced import Forced

Flags = npt.NDArray[np.bool_]
_LONGEST_FORCED = 4_096
"""Bytes."""
_CLOSED_KEPT = 4_096


class SurfaceAhead(Ahead):
    """See the module. `checked` is that of all tables."""

    def __init__(self, tables: SurfaceTables) -> None:
        self._surface = tables
        self._homes = Homes(tables.start.config.engine.parser, tables.nodes, tables.bytes_alone)
        self._closed: dict[tuple[int, int], Flags] = {}

    def least(self, state: int) -> int:
        """A number of tokens with which the text can be finished; see `Homes.least`."""
        return self._homes.least(_config(state))

    def too_far(self, state: int, left: int) -> Flags | None:
        """bool [size]: the tokens that are refused because `left` more may not be enough; None if there are none."""
        config = _config(state)
        if left >= self._homes.least(config) + MAX_SURFACE_DETOUR:
            return None
        first = self._homes.hold(config)
        found = self._closed.get((state, left))
        if found is None:
            if len(self._closed) >= _CLOSED_KEPT:
                self._closed.clear()
            found = self._closed[state, left] = self._refused(state, first, left)
        return found

    def in_time(self, state: int, token: int, target: int, left: int) -> bool:
        """What `too_far` says of the token."""
        refused = self.too_far(state, left)
        return refused is None or token >= len(refused) or not refused[token]

    def forced(self, state: int) -> Forced:
        """The bytes that every text goes on with, and the longest tokens that spell them."""
        data = self._forced_bytes(_config(state))
        return Forced(data, self._spelled(data))

    def _refused(self, state: int, first: bytes, left: int) -> Flags:
        allowed = self._surface.allowed(state)
        flags = np.zeros(self._surface.size, dtype=np.bool_)
        flags[allowed] = True
        looked_at = [*allowed[:MAX_SURFACE_CLOSING_TOKENS].tolist(), *self._surface.vocabulary.ids_for_bytes(first)]
        near = [token for token in looked_at if self._is_near(state, token, left)]
        flags[near or list(self._surface.vocabulary.ids_for_bytes(first)[:1])] = False  # a list: () would be all
        return flags

    def _is_near(self, state: int, token: int, left: int) -> bool:
        after = self._surface.target(state, token)
        try:
            return after is not None and self.least(after) <= left
        except LimitError:  # no way was found in time: another token is one
            return False

    def _forced_bytes(self, config: Config) -> bytes:
        found = bytearray()
        while not config.accepting and len(found) < _LONGEST_FORCED:
            following = list(itertools.islice(next_bytes(config), 2))
            if len(following) != 1:
                break
            behind = config.step(following[0])
            assert behind is not None
            found.append(following[0])
            config = behind
        return bytes(found)

    def _spelled(self, text: bytes) -> tuple[int, ...]:
        """Tokens of a text, each the longest that fits."""
        nodes, found, at = self._surface.nodes, [], 0
        while at < len(text):
            node, longest = ROOT, ROOT
            end = at
            for place in range(at, len(text)):
                node = nodes.child(node, text[place])
                if node == ROOT:
                    break
                if nodes.has_token(node):
                    longest, end = node, place + 1
            if longest == ROOT:
                break
            found.append(nodes.ids_at(longest)[0])
            at = end
        return tuple(found)


def _config(state: int) -> Config:
    assert isinstance(state, State)
    return state.config
