"""The byte trie of a vocabulary, as flat arrays.

Invariant: nodes are numbered level by level and, within a level, in the order of their byte strings;
so the children of a node are consecutive, and node 0 is the root (the empty string). `ids` of a node are the
tokens whose bytes end there, sorted; duplicates share a node. Tokens without bytes are not in the trie.

A walk starts an automaton in one state at the root and follows it down level by level. While it lives in few places
only these are followed: from a state inside a character a handful of nodes. From where it lives in many, whole levels
are read, which costs less for each node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.trie_build import trie_arrays

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
_BYTES = [bytes([byte]) for byte in range(256)]
_CROWD = 512
_CROWDED = 6
"""From a sixth of a level on it is read whole, unless that is a handful."""


@dataclass(frozen=True)
class TokenTrie:
    """Arrays over nodes, int32 [N] and uint8 [N]; the tokens of node n are `ids[first_id[n]:first_id[n + 1]]`."""

    byte: npt.NDArray[np.uint8]
    """The last byte of each node's string; the root's is 0 and means nothing."""
    parent: IntArray
    first_child: IntArray
    """[N + 1]: the children of n are the nodes from `first_child[n]` up to `first_child[n + 1]`."""
    first_id: IntArray
    ids: IntArray
    tokens: Sequence[bytes] | None = field(default=None, repr=False, compare=False)
    """The bytes of every id, where they are at hand: otherwise they are read off the nodes."""

    @classmethod
    def build(cls, tokens: Mapping[int, bytes] | Sequence[bytes]) -> TokenTrie:
        """The trie of `tokens` (id to bytes), in time linear in their bytes after one sort. A sequence is kept."""
        if not isinstance(tokens, Mapping):
            return cls(*trie_arrays(np.arange(len(tokens), dtype=np.int32), tokens), tokens)
        ids = sorted(tokens)
        return cls(*trie_arrays(np.array(ids, dtype=np.int32), [tokens[i] for i in ids]))

    @cached_property
    def node_of(self) -> IntArray:
        """int32 [highest id + 1]: the node of each token, the root for an id without bytes."""
        nodes = np.zeros(int(self.ids.max(initial=-1)) + 1, dtype=np.int32)
        nodes[self.ids] = self._nodes
        return nodes

    def token_bytes(self, token: int) -> bytes:
        """The bytes of a token; none for one that is not in the trie."""
        if self.tokens is not None:
            return self.tokens[token] if 0 <= token < len(self.tokens) else b""
        spelled = self._spelled.get(token)
        if spelled is None:
            spelled = self._spell(int(self.node_of[token])) if 0 <= token < len(self.node_of) else b""
            self._spelled[token] = spelled
        return spelled

    def _spell(self, node: int) -> bytes:
        spelled = bytearray()
        while node:
            spelled.append(int(self.byte[node]))
            node = int(self.parent[node])
        return bytes(reversed(spelled))

    def spellings(self) -> list[bytes]:
        """The bytes of every node."""
        spelled = [b""] * len(self.byte)
        for node, (parent, byte) in enumerate(zip(self.parent[1:].tolist(), self.byte[1:].tolist(), strict=True), 1):
            spelled[node] = spelled[parent] + _BYTES[byte]
        return spelled

    def walk(self, table: IntArray, state: int) -> tuple[IntArray, IntArray]:
        """The tokens that `table` (int32 [S, 256], state 0 dead) can read from `state`, and where each leads.

        Returns:
            Token ids and end states, int32 [n] each, ordered by node.
        """
        nodes = np.zeros(1, dtype=np.int32)
        states = np.full(1, state, dtype=np.int32)
        found, ends = [_NONE], [_NONE]
        for level, (low, high) in enumerate(self._levels):
            counts = self.first_child[nodes + 1] - self.first_child[nodes]
            children = int(counts.sum())
            if children == 0:
                break
            if children > _CROWD and children * _CROWDED >= high - low:
                below = self._walk_levels(table, nodes, states, level)
                found.append(below[0])
                ends.append(below[1])
                break
            nodes, states, _ = self._descend(table, nodes, states, counts)
            tokens = self.first_id[nodes + 1] - self.first_id[nodes]
            found.append(self.ids[_spread(self.first_id[nodes], tokens)])
            ends.append(np.repeat(states, tokens))
        return np.concatenate(found), np.concatenate(ends)

    def walks(self, table: IntArray, states: Sequence[int]) -> list[tuple[IntArray, IntArray]]:
        """What `walk` gives for each of some states. Those from which few tokens can be read are followed together."""
        owner, nodes = np.arange(len(states)), np.zeros(len(states), dtype=np.int32)
        here = np.array(states, dtype=np.int32)
        found, ends, owners = [_NONE], [_NONE], [owner[:0]]
        crowded: list[int] = []
        for level, (low, high) in enumerate(self._levels):
            counts = self.first_child[nodes + 1] - self.first_child[nodes]
            owner = np.repeat(owner, counts)
            nodes, here, alive = self._descend(table, nodes, here, counts)
            owner = owner[alive]
            if level == 0:
                children = np.bincount(owner, self.first_child[nodes + 1] - self.first_child[nodes], len(states))
                crowded = np.flatnonzero((children > _CROWD) & (children * _CROWDED >= high - low)).tolist()
                kept = ~np.isin(owner, crowded)
                owner, nodes, here = owner[kept], nodes[kept], here[kept]
            if not nodes.size:
                break
            tokens = self.first_id[nodes + 1] - self.first_id[nodes]
            found.append(self.ids[_spread(self.first_id[nodes], tokens)])
            ends.append(np.repeat(here, tokens))
            owners.append(np.repeat(owner, tokens))
        whose = np.concatenate(owners)
        order = np.argsort(whose, kind="stable")
        cuts = np.searchsorted(whose[order], np.arange(1, len(states)))
        pairs = zip(*(np.split(np.concatenate(a)[order], cuts) for a in (found, ends)), strict=True)
        return [self.walk(table, states[n]) if n in crowded else pair for n, pair in enumerate(pairs)]

    def _descend(
        self, table: IntArray, nodes: IntArray, states: IntArray, counts: IntArray
    ) -> tuple[IntArray, IntArray, BoolArray]:
        """The living children of all nodes, their states, and which of the children live."""
        children = _spread(self.first_child[nodes], counts)
        after = table[np.repeat(states, counts), self.byte[children]]
        alive = after != 0
        return children[alive], after[alive], alive

    def _walk_levels(self, table: IntArray, nodes: IntArray, states: IntArray, level: int) -> tuple[IntArray, IntArray]:
        """From nodes above a level: the tokens on this and all further levels."""
        after = np.zeros(len(self.byte), dtype=np.int32)
        after[nodes] = states
        flat = table.ravel()
        for low, high in self._levels[level:]:
            steps = after.take(self.parent[low:high])
            steps <<= 8
            steps |= self.byte[low:high]
            flat.take(steps, out=after[low:high], mode="clip")  # as nothing is outside; "raise" would need a copy
        first = self.first_id[self._levels[level][0]]
        reached = after.take(self._nodes[first:])
        alive = np.flatnonzero(reached)
        return self.ids[first:].take(alive), reached.take(alive)

    @cached_property
    def _levels(self) -> list[tuple[int, int]]:
        """The first node of each level below the root, and the one behind its last."""
        found: list[tuple[int, int]] = []
        low, high = 0, 1
        while True:
            low, high = int(self.first_child[low]), int(self.first_child[high])
            if low == high:
                return found
            found.append((low, high))

    @cached_property
    def _nodes(self) -> IntArray:
        """The node of each entry of `ids`."""
        having = np.flatnonzero(self.first_id[1:] != self.first_id[:-1]).astype(np.int32)
        if len(having) == len(self.ids):
            return having  # most vocabularies have no two tokens with the same bytes
        return np.repeat(having, np.diff(self.first_id)[having])

    @cached_property
    def _spelled(self) -> dict[int, bytes]:
        return {}


_NONE: IntArray = np.zeros(0, dtype=np.int32)


def _spread(starts: IntArray, counts: IntArray) -> IntArray:
    """The numbers starts[i] .. starts[i] + counts[i] - 1 of every i, one after the other."""
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if ends.size else 0
    offsets = np.repeat(starts - (ends - counts), counts)
    spread: IntArray = (np.arange(total, dtype=np.int64) + offsets).astype(np.int32)
    return spread
