"""What is known of a text of a surface beyond its next token: what must be written anyway, and what can be finished.

With a budget of tokens, a token is allowed if the text behind it can be finished with what is left. Far from the end of
the budget that is taken to hold for all tokens: none lengthens the way to an end by more than `MAX_SURFACE_DETOUR`, or,
at places in the same rules, by more than a sample of them does and `_SPARE` more. Near it only the tokens that were
looked at are allowed: those with the lowest ids, and the one that is the way. Where a token did lengthen it by more,
and no text can be finished in time any more, the way is all that is left, and the budget is overrun. Where no way is
found in time nothing is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator
from typing import Generic, Protocol

import numpy as np
import numpy.typing as npt

from langc.compiler.limits import MAX_SURFACE_CLOSING_TOKENS, MAX_SURFACE_DETOUR
from langc.compiler.surfaces.masks.heads import ROOT, Ints, Nodes
from langc.compiler.surfaces.masks.ways import FAR, At, Ways
from langc.compiler.tokens.ahead import Ahead
from langc.compiler.tokens.forced import Forced
from langc.compiler.tokens.vocabulary import Vocabulary

Flags = npt.NDArray[np.bool_]
_LONGEST_FORCED = 4_096
"""Bytes."""
_CLOSED_KEPT = 4_096
_SPARE = 6
"""Tokens."""


class PlacedTables(Protocol[At]):
    """Tables whose states are places of texts: those of a surface, and of one with a policy beside it."""

    size: int
    vocabulary: Vocabulary
    nodes: Nodes

    @property
    def homes(self) -> Ways[At]:
        """Ways to an end."""

    def here(self, state: int) -> At:
        """The place that a state is."""

    def open_bytes(self, here: At) -> Iterator[int]:
        """The bytes that may come next."""

    def allowed(self, state: int) -> Ints:
        """The allowed tokens, ascending."""

    def target(self, state: int, token: int) -> int | None:
        """Where an allowed token leads, None for a refused one."""


class SurfaceAhead(Ahead, Generic[At]):
    """See the module. `checked` is that of all tables."""

    def __init__(self, tables: PlacedTables[At]) -> None:
        self._surface = tables
        self._homes = tables.homes
        self._closed: dict[tuple[int, int], Flags] = {}
        self._detours: dict[Hashable, int] = {}

    def least(self, state: int) -> int:
        """A number of tokens with which the text can be finished; see `Homes.least`."""
        return self._homes.least(self._surface.here(state))

    def too_far(self, state: int, left: int) -> Flags | None:
        """bool [size]: the tokens that are refused because `left` more may not be enough; None if there are none."""
        here = self._surface.here(state)
        least = self._homes.known_least(here)
        if least is None or left >= least + MAX_SURFACE_DETOUR or left >= least + self._detour(state, least):
            return None
        first = self._homes.hold(here)
        found = self._closed.get((state, left))
        if found is None:
            if len(self._closed) >= _CLOSED_KEPT:
                self._closed.clear()
            found = self._closed[state, left] = self._refused(state, first, left)
        return found

    def _detour(self, state: int, least: int) -> int:
        """Tokens by which one token lengthens the way at most, as far as a sample shows."""
        here = self._surface.here(state)
        rules = self._homes.rules(here) or self._homes.place(here)  # none in the middle of a lexeme
        found = self._detours.get(rules)
        if found is None:
            if len(self._detours) >= _CLOSED_KEPT:
                self._detours.clear()
            allowed = self._surface.allowed(state)
            sample = allowed[:: -(-len(allowed) // MAX_SURFACE_CLOSING_TOKENS) or 1].tolist()
            longest = max((self._least_behind(state, token) for token in sample), default=least)
            found = self._detours[rules] = max(longest - least, 0) + _SPARE
        return found

    def in_time(self, state: int, token: int, target: int, left: int) -> bool:
        """What `too_far` says of the token."""
        refused = self.too_far(state, left)
        return refused is None or token >= len(refused) or not refused[token]

    def forced(self, state: int) -> Forced:
        """The bytes that every text goes on with, and the longest tokens that spell them."""
        data = self._forced_bytes(self._surface.here(state))
        return Forced(data, self._spelled(data))

    def _refused(self, state: int, first: bytes, left: int) -> Flags:
        allowed = self._surface.allowed(state)
        flags = np.zeros(self._surface.size, dtype=np.bool_)
        flags[allowed] = True
        looked_at = [*allowed[:MAX_SURFACE_CLOSING_TOKENS].tolist(), *self._surface.vocabulary.ids_for_bytes(first)]
        near = [token for token in looked_at if self._least_behind(state, token) <= left]
        flags[near or list(self._surface.vocabulary.ids_for_bytes(first)[:1])] = False  # a list: () would be all
        return flags

    def _least_behind(self, state: int, token: int) -> int:
        after = self._surface.target(state, token)
        least = None if after is None else self._homes.known_least(self._surface.here(after))
        return FAR if least is None else least

    def _forced_bytes(self, here: At) -> bytes:
        found = bytearray()
        while not here.accepting and len(found) < _LONGEST_FORCED:
            following = bytes(itertools.islice(self._surface.open_bytes(here), 2))
            if len(following) != 1:
                break
            behind = self._homes.step(here, following)
            assert behind is not None
            found += following
            here = behind
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
