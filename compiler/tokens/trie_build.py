"""The arrays of a byte trie, from its strings in order.

Invariant: each string opens one node for every byte that it does not share with the one before. So the nodes of a
level, in the order in which they are opened, are in the order of their byte strings.

Parents are found without a search. A node is the first child of its parent iff its string has opened the parent too, or
the string before ends there. In the order of the nodes, the n-th first child belongs to the n-th node with children.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.byte_order import Bools, Ints, Strings

IntArray = npt.NDArray[np.int32]
Arrays = tuple[npt.NDArray[np.uint8], IntArray, IntArray, IntArray, IntArray]


def trie_arrays(ids: IntArray, tokens: Sequence[bytes]) -> Arrays:
    """`byte`, `parent`, `first_child`, `first_id` and `ids` of a `TokenTrie`.

    Args:
        ids: int32 [n], ascending.
        tokens: their bytes; empty ones are left out.
    """
    strings = Strings.of(tokens)
    order, shared = strings.in_order()
    empty = len(tokens) - int(np.count_nonzero(strings.lengths))
    order, shared = order[empty:], shared[empty:]
    lengths = strings.lengths[order]
    is_new = shared < lengths
    distinct = _Distinct(strings, order[is_new], shared[is_new])
    byte, parent, ends = distinct.nodes()
    nodes = ends[np.cumsum(is_new) - 1]
    by_node = np.argsort((lengths - 1).astype(np.uint16), kind="stable")  # by level, and there in their order
    children, here = (np.bincount(n, minlength=len(byte)) for n in (parent[1:], nodes))
    first_child = np.concatenate([[1], 1 + np.cumsum(children)]).astype(np.int32)
    first_id = np.concatenate([[0], np.cumsum(here)]).astype(np.int32)
    return byte, parent, first_child, first_id, ids[order[by_node]]


class _Distinct:
    """Strings in order, each once, and how many bytes each shares with the one before."""

    def __init__(self, strings: Strings, order: Ints, shared: Ints) -> None:
        self.text, self.starts, self.lengths = strings.text, strings.starts[order], strings.lengths[order]
        self.shared = shared
        self.opened = self.lengths - shared
        self.last = np.cumsum(self.opened) - 1
        """The place of each string's own node, in the order in which nodes are opened."""

    def nodes(self) -> tuple[npt.NDArray[np.uint8], IntArray, IntArray]:
        """The byte and the parent of every node, and the node of every string."""
        depth = np.arange(self.opened.sum()) - np.repeat(self.last + 1 - self.lengths, self.opened)
        order = np.argsort(depth.astype(np.uint8 if depth.max(initial=0) < 256 else np.uint16), kind="stable")
        byte = self.text[(depth + np.repeat(self.starts, self.opened))[order]]
        with_children = np.concatenate([[0], 1 + np.flatnonzero(self._has_children()[order])]).astype(np.int32)
        parent = with_children[np.cumsum(self._is_first_child()[order]) - 1]
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(1, len(order) + 1)
        return np.append(np.uint8(0), byte), np.concatenate([_ROOT, parent]), number[self.last]

    def _is_first_child(self) -> Bools:
        flags = np.ones(int(self.opened.sum()), dtype=bool)
        flags[(self.last - self.opened + 1)[1:]] = self.shared[1:] == self.lengths[:-1]
        return flags

    def _has_children(self) -> Bools:
        flags = np.ones(int(self.opened.sum()), dtype=bool)
        flags[self.last] = np.append(self.shared[1:] == self.lengths[:-1], False)[: len(self.last)]
        return flags


_ROOT: IntArray = np.zeros(1, dtype=np.int32)
