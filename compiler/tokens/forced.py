"""What must be written next: the bytes that every permitted continuation begins with.

Invariant: every text that this vocabulary can write on from a state begins with the forced bytes, and they have no
more in common. Where the text may end nothing is forced.

The bytes are found by following all rows of tokens at once, one byte at a time, as sets of nodes of the trie: the
subset construction (Rabin and Scott 1959), as far as it goes one way only.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from langc.compiler.tokens.tables import TokenTables

ROOT = 0


class Forced(NamedTuple):
    """What must come next."""

    data: bytes
    """The bytes that every continuation begins with."""
    tokens: tuple[int, ...]
    """Tokens that spell a beginning of them: each is the longest that fits, and of several the one with the lowest id.
    There are none unless every byte is a token too: otherwise they might leave a continuation out of reach."""


class Forcing:
    """Over the states of some tables."""

    def __init__(self, tables: TokenTables) -> None:
        self.tables = tables
        self._leads: dict[tuple[int, int], bool] = {}
        self._known: dict[int, Forced] = {}

    def forced(self, state: int) -> Forced:
        """What must come next in a living state."""
        if state not in self._known:
            data = self._bytes(state)
            self._known[state] = Forced(data, self._tokens(state, data) if self._spells_all else ())
        return self._known[state]

    def _bytes(self, state: int) -> bytes:
        data, nodes = bytearray(), {ROOT}
        while not (ROOT in nodes and state in self.tables.endable):
            found = self._only_step(state, nodes)
            if found is None:
                break
            byte, nodes = found
            state = self._after(state, byte)
            data.append(byte)
            if any(self._ends(node, state) for node in nodes):
                nodes.add(ROOT)
        return bytes(data)

    def _only_step(self, state: int, nodes: set[int]) -> tuple[int, set[int]] | None:
        """The one byte that some token may go on with, and the nodes that it leads to; None if there are more."""
        only, found = -1, set[int]()
        for node in nodes:
            for byte, child in self._children(node):
                after = self._after(state, byte)
                if after == 0 or not self._leads_on(child, after):
                    continue
                if found and byte != only:
                    return None
                only = byte
                found.add(child)
        return (only, found) if found else None

    def _children(self, node: int) -> Iterator[tuple[int, int]]:
        trie = self.tables.trie
        first, end = int(trie.first_child[node]), int(trie.first_child[node + 1])
        yield from zip(trie.byte[first:end].tolist(), range(first, end), strict=True)

    def _after(self, state: int, byte: int) -> int:
        return int(self.tables.table[state, byte]) % len(self.tables.live)

    def _ends(self, node: int, state: int) -> bool:
        """Whether a token ends in a node, and something can follow it."""
        trie = self.tables.trie
        return bool(trie.first_id[node] < trie.first_id[node + 1]) and bool(self.tables.live[state])

    def _leads_on(self, node: int, state: int) -> bool:
        """Whether some token goes through a node, in a state that is not dead, and something can follow it."""
        if (node, state) not in self._leads:
            self._leads[node, state] = self._finds_end(node, state)
        return self._leads[node, state]

    def _finds_end(self, node: int, state: int) -> bool:
        stack = [(node, state)]
        while stack:
            node, state = stack.pop()
            if self._ends(node, state):
                return True
            steps = ((child, self._after(state, byte)) for byte, child in self._children(node))
            stack.extend((child, after) for child, after in steps if after)
        return False

    def _tokens(self, state: int, data: bytes) -> tuple[int, ...]:
        found, at = [], 0
        while (longest := self._longest(state, data, at)) is not None:
            node, state, at = longest
            found.append(int(self.tables.trie.ids[self.tables.trie.first_id[node]]))
        return tuple(found)

    def _longest(self, state: int, data: bytes, at: int) -> tuple[int, int, int] | None:
        """The node of the longest allowed token that stands at a place, the state behind it, and its end."""
        found, node = None, ROOT
        for place in range(at, len(data)):
            node = next((child for byte, child in self._children(node) if byte == data[place]), ROOT)
            if node == ROOT:
                break
            state = self._after(state, data[place])
            if self._ends(node, state):
                found = node, state, place + 1
        return found

    @cached_property
    def _spells_all(self) -> bool:
        """Whether every byte of any token is a token: then whatever a token was cut out of can be spelled."""
        trie = self.tables.trie
        alone = {byte for byte, node in self._children(ROOT) if trie.first_id[node] < trie.first_id[node + 1]}
        return alone.issuperset(np.unique(trie.byte[1:]).tolist())
