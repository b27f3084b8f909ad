"""Parts of a vocabulary's trie: what is left of tokens behind their first bytes.

Invariant: `Heads` are nodes of one trie none of which is below another, so each token is below one of them at most.
What may be read next is the last byte of a head, and then what is below it. Of one `Nodes` equal heads are the same
object, as long as they are remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.rows import Remembered
from langc.compiler.tokens.trie import TokenTrie

Ints = npt.NDArray[np.int32]
ROOT = 0
_REMEMBERED = 20_000
"""Heads; some hundred bytes each."""


class Heads:
    """Some subtrees of a trie; compared by identity."""

    __slots__ = ("_first", "_groups", "_members", "nodes", "owner", "size")

    def __init__(self, owner: Nodes, nodes: Ints) -> None:
        self.owner, self.nodes = owner, nodes
        self.size = int(owner.sizes[nodes].sum())
        """Nodes in all of them."""
        self._groups: Mapping[int, tuple[int, ...]] | None = None
        self._members: frozenset[int] | None = None
        self._first: int | None = None

    @property
    def first(self) -> int:
        """The bytes that are read next: bit b for byte b."""
        if self._first is None:
            self._first = sum(1 << byte for byte in self.groups)
        return self._first

    @property
    def groups(self) -> Mapping[int, tuple[int, ...]]:
        """The heads by their byte."""
        if self._groups is None:
            self._groups = self.owner.by_byte(self.nodes.tolist())
        return self._groups

    @property
    def members(self) -> frozenset[int]:
        """The heads as a set."""
        if self._members is None:
            self._members = frozenset(self.nodes.tolist())
        return self._members


class Nodes:
    """A trie with what walks of all kinds ask of it."""

    def __init__(self, trie: TokenTrie) -> None:
        self.trie = trie
        self.count = len(trie.byte)
        self.byte, self.parent, self.first_child = trie.byte, trie.parent, trie.first_child
        self._byte, self._parent, self._first_child = trie.byte.data, trie.parent.data, trie.first_child.data
        self._first_id, self._ids = trie.first_id.data, trie.ids.data
        self._heads: dict[bytes, Heads] = {}
        self._together: Remembered[tuple[Heads, ...], Heads] = Remembered(self._joined, _REMEMBERED)
        self._begun: Remembered[tuple[Heads, int], Heads] = Remembered(self._only, _REMEMBERED)

    @cached_property
    def levels(self) -> list[tuple[int, int]]:
        """The first node of each level below the root, and the one behind its last."""
        found: list[tuple[int, int]] = []
        low, high = 0, 1
        while True:
            low, high = int(self.first_child[low]), int(self.first_child[high])
            if low == high:
                return found
            found.append((low, high))

    @cached_property
    def sizes(self) -> Ints:
        """int32 [N]: how many nodes are in each subtree."""
        sizes = np.ones(self.count, dtype=np.int64)
        for low, high in reversed(self.levels):
            sizes += np.bincount(self.parent[low:high], sizes[low:high], self.count).astype(np.int64)
        return sizes.astype(np.int32)

    @cached_property
    def tokens_below(self) -> Ints:
        """int32 [N]: how many tokens end in each subtree."""
        counts = np.diff(self.trie.first_id[: self.count + 1]).astype(np.int64)
        for low, high in reversed(self.levels):
            counts += np.bincount(self.parent[low:high], counts[low:high], self.count).astype(np.int64)
        return counts.astype(np.int32)

    @cached_property
    def keys(self) -> npt.NDArray[np.int64]:
        """int64 [N - 1], ascending: 256 p + b for the node behind p by byte b, of each node but the root."""
        return self.parent[1:].astype(np.int64) << 8 | self.byte[1:]

    @cached_property
    def root(self) -> Heads:
        """All tokens."""
        return self.heads(self.children(ROOT))

    def heads(self, nodes: Iterable[int] | Ints) -> Heads:
        """The heads of these nodes."""
        array = np.unique(np.asarray(nodes if isinstance(nodes, np.ndarray) else list(nodes), dtype=np.int32))
        key = array.tobytes()
        found = self._heads.get(key)
        if found is None:
            if len(self._heads) >= _REMEMBERED:
                self._heads.clear()
            found = self._heads[key] = Heads(self, array)
        return found

    def begun_by(self, heads: Heads, first: int) -> Heads | None:
        """Those of some heads whose byte is one of some (bit b for byte b); None if there are none."""
        if not heads.first & ~first:
            return heads
        return self._begun((heads, first)) if heads.first & first else None

    def _only(self, key: tuple[Heads, int]) -> Heads:
        heads, first = key
        return self.heads([node for byte, group in heads.groups.items() if first >> byte & 1 for node in group])

    def without(self, heads: Heads, ids: Sequence[Ints]) -> Heads | None:
        """Those of some heads below which there are other tokens than some that are there; None if there are none."""
        if not ids:
            return heads
        counts = np.zeros(len(heads.nodes), dtype=np.int64)
        nodes = self.trie.node_of[np.unique(np.concatenate(ids))]
        while nodes.size:
            at = np.minimum(np.searchsorted(heads.nodes, nodes), len(heads.nodes) - 1)
            is_there = heads.nodes[at] == nodes
            counts += np.bincount(at[is_there], minlength=len(counts))
            nodes = self.parent[nodes[~is_there]]
        left = heads.nodes[counts < self.tokens_below[heads.nodes]]
        return self.heads(left) if left.size else None

    def together(self, several: Sequence[Heads]) -> Heads:
        """All of several heads, none of which is below another."""
        return several[0] if len(several) == 1 else self._together(tuple(several))

    def _joined(self, several: tuple[Heads, ...]) -> Heads:
        return self.heads(np.concatenate([heads.nodes for heads in several]))

    def split(self, heads: Heads, bytes_: int) -> tuple[Heads | None, Heads | None]:
        """The heads at and below which none of some bytes (bit b for byte b) is read, and the others."""
        without = [node for node in heads.nodes.tolist() if not self._reads(node, bytes_)]
        if not without:
            return None, heads
        left = sorted(heads.members.difference(without))
        return self.heads(without), self.heads(left) if left else None

    def _reads(self, node: int, bytes_: int) -> bool:
        waiting = [node]
        for one in waiting:
            if bytes_ >> self._byte[one] & 1:
                return True
            waiting.extend(self.children(one))
        return False

    def children(self, node: int) -> range:
        """The nodes right below one."""
        return range(self._first_child[node], self._first_child[node + 1])

    def child(self, node: int, byte: int) -> int:
        """The node behind one more byte, or the root if there is none."""
        for child in self.children(node):
            if self._byte[child] == byte:
                return child
        return ROOT

    def has_token(self, node: int) -> bool:
        """Whether a token ends at a node."""
        return self._first_id[node] < self._first_id[node + 1]

    def ids_at(self, node: int) -> list[int]:
        """The tokens that end at a node."""
        return self._ids[self._first_id[node] : self._first_id[node + 1]].tolist()

    def ids_of(self, nodes: Ints) -> Ints:
        """The tokens that end at some nodes."""
        starts = self.trie.first_id[nodes]
        return self.trie.ids[spread(starts, self.trie.first_id[nodes + 1] - starts)]

    def children_of(self, nodes: Ints) -> tuple[Ints, Ints]:
        """The nodes right below some, and how many each has."""
        counts = self.first_child[nodes + 1] - self.first_child[nodes]
        return spread(self.first_child[nodes], counts), counts

    def by_byte(self, nodes: Iterable[int]) -> dict[int, tuple[int, ...]]:
        """Nodes by their last byte."""
        groups: dict[int, list[int]] = {}
        for node in nodes:
            groups.setdefault(self._byte[node], []).append(node)
        return {byte: tuple(group) for byte, group in groups.items()}

    def path(self, node: int, heads: Heads) -> bytes:
        """What is read from some heads to a node below them, or one of them."""
        found = bytearray()
        while True:
            found.append(self._byte[node])
            if node in heads.members:
                return bytes(reversed(found))
            node = self._parent[node]


def spread(starts: Ints, counts: Ints) -> Ints:
    """The numbers starts[i] .. starts[i] + counts[i] - 1 of every i, one after the other."""
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if ends.size else 0
    offsets = np.repeat(starts - (ends - counts), counts)
    spread_out: Ints = (np.arange(total, dtype=np.int64) + offsets).astype(np.int32)
    return spread_out
