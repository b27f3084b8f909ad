"""The byte trie of a vocabulary, as flat arrays.

Invariant: nodes are numbered level by level and, within a level, in the order of their byte strings;
so the children of a node are consecutive, and node 0 is the root (the empty string). `ids` of a node are the
tokens whose bytes end there; duplicates share a node. Tokens without bytes are not in the trie.

A walk starts an automaton in one state at the root and follows it down level by level, only where it lives:
from a state inside a character it touches a handful of nodes, from an open one the whole trie once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int32]
_BYTES = [bytes([byte]) for byte in range(256)]


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

    @classmethod
    def build(cls, tokens: Mapping[int, bytes]) -> TokenTrie:
        """The trie of `tokens` (id to bytes), in time linear in their bytes after one sort."""
        order = sorted((b, i) for i, b in tokens.items() if b)
        ids = np.array([i for _, i in order], dtype=np.int32)
        text = np.frombuffer(b"".join(b for b, _ in order), dtype=np.uint8)
        lengths = np.array([len(b) for b, _ in order], dtype=np.int64)
        return _build(ids, text, lengths)

    @cached_property
    def _node_of(self) -> dict[int, int]:
        counts = np.diff(self.first_id)
        return dict(zip(self.ids.tolist(), np.repeat(np.arange(len(counts)), counts).tolist(), strict=True))

    def token_bytes(self, token: int) -> bytes:
        """The bytes of a token; none for one that is not in the trie."""
        node = self._node_of.get(token, 0)
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
        found: list[IntArray] = []
        ends: list[IntArray] = []
        while nodes.size:
            nodes, states = self._descend(table, nodes, states)
            counts = self.first_id[nodes + 1] - self.first_id[nodes]
            found.append(self.ids[_spread(self.first_id[nodes], counts)])
            ends.append(np.repeat(states, counts))
        return np.concatenate(found), np.concatenate(ends)

    def _descend(self, table: IntArray, nodes: IntArray, states: IntArray) -> tuple[IntArray, IntArray]:
        """The living children of all nodes."""
        counts = self.first_child[nodes + 1] - self.first_child[nodes]
        children = _spread(self.first_child[nodes], counts)
        after = table[np.repeat(states, counts), self.byte[children]]
        alive = after != 0
        return children[alive], after[alive]


def _spread(starts: IntArray, counts: IntArray) -> IntArray:
    """The numbers starts[i] .. starts[i] + counts[i] - 1 of every i, one after the other."""
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if ends.size else 0
    offsets = np.repeat(starts - (ends - counts), counts)
    spread: IntArray = (np.arange(total, dtype=np.int64) + offsets).astype(np.int32)
    return spread


def _build(ids: IntArray, text: npt.NDArray[np.uint8], lengths: npt.NDArray[np.int64]) -> TokenTrie:
    """Level by level over the sorted tokens: a row opens a node where its parent or its byte is new."""
    starts = np.cumsum(lengths) - lengths
    parent = np.zeros(len(ids), dtype=np.int64)  # the node that spells the first `depth` bytes of each row
    rows = np.arange(len(ids))
    node_of = np.zeros(len(ids), dtype=np.int64)
    bytes_, parents, count = [np.zeros(1, np.uint8)], [np.zeros(1, np.int64)], 1
    depth = 0
    while rows.size:
        here = text[starts[rows] + depth]
        above = parent[rows]
        fresh = np.ones(rows.size, dtype=bool)
        fresh[1:] = (above[1:] != above[:-1]) | (here[1:] != here[:-1])
        nodes = count + np.cumsum(fresh) - 1
        bytes_.append(here[fresh])
        parents.append(above[fresh])
        parent[rows] = nodes
        depth += 1
        done = lengths[rows] == depth
        node_of[rows[done]] = nodes[done]
        rows = rows[~done]
        count += int(np.count_nonzero(fresh))
    return _flatten(ids, node_of, np.concatenate(bytes_), np.concatenate(parents))


def _flatten(
    ids: IntArray, node_of: npt.NDArray[np.int64], byte: npt.NDArray[np.uint8], parent: npt.NDArray[np.int64]
) -> TokenTrie:
    count = len(byte)
    children = np.bincount(parent[1:], minlength=count)
    tokens = np.bincount(node_of, minlength=count)
    first_child = np.concatenate([[1], 1 + np.cumsum(children)]).astype(np.int32)
    first_id = np.concatenate([[0], np.cumsum(tokens)]).astype(np.int32)
    by_node = np.argsort(node_of, kind="stable")
    return TokenTrie(byte, parent.astype(np.int32), first_child, first_id, ids[by_node])
