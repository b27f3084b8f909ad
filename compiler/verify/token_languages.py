"""Comparison of a token automaton out of a file with what a policy allows over the same vocabulary.

Breadth-first search over pairs of states, the file's and the policy's. Two states agree if they allow the same ids at
the same prices, end of text among them; where they do not, the row of tokens that leads there is as short as can be.
So not only the texts are compared that come to an end, but every mask: a token that leads into a dead end is one too
many.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_READ_EDGES, over_limit
from langc.compiler.policy import Policy
from langc.compiler.tokens.tables import TokenTables, build_tables, readable_tokens
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.verify.readers.token_automaton import REFUSED, Priced, TokenAutomaton
from langc.compiler.verify.readers.token_bytes import Ints
from langc.compiler.verify.report import Language, Witness

Pair = tuple[int, int]
"""A state of the file and one of the policy."""


def compare_tokens(policy: Policy, read: TokenAutomaton, vocabulary: Vocabulary) -> Language:
    """Both differences. Raises LimitError past `MAX_READ_EDGES`, and as `build_tables` and the automaton do."""
    right = _Allowed(build_tables(policy, vocabulary))
    return _Walk(read, right, readable_tokens(policy, vocabulary)).run()


@dataclass(frozen=True)
class _Allowed:
    """What a policy allows, in the form of a file."""

    tables: TokenTables

    @property
    def start(self) -> int:
        return self.tables.start

    @property
    def size(self) -> int:
        return self.tables.size

    @property
    def eos_ids(self) -> frozenset[int]:
        return self.tables.eos_ids

    def edges(self, state: int) -> Priced:
        found = self.tables.edges(state)
        prices = self.tables.costs[found.levels]
        return Priced(found.ids.astype(np.int64), found.targets.astype(np.int64), prices)

    def end(self, state: int) -> float:
        if state not in self.tables.endable:
            return REFUSED
        return float(self.tables.costs[self.tables.end_levels[state]])


@dataclass
class _Walk:
    read: TokenAutomaton
    right: TokenAutomaton
    tokens: Mapping[int, bytes]
    """What the ids write that stand for text."""
    came_from: dict[Pair, tuple[Pair, int]] = field(default_factory=dict)
    found: dict[str, Witness] = field(default_factory=dict)
    edges: int = 0

    def run(self) -> Language:
        start = (self.read.start, self.right.start)
        self.came_from[start] = (start, -1)
        queue = deque([start])
        while queue:
            pair = queue.popleft()
            self._compare_ends(pair)
            queue.extend(self._compare_edges(pair))
        states = len({state for state, _ in self.came_from})
        return Language(states, self.found.get("artefact"), self.found.get("policy"))

    def _compare_ends(self, pair: Pair) -> None:
        left = dict.fromkeys(self.read.eos_ids, self.read.end(pair[0]))
        right = dict.fromkeys(self.right.eos_ids, self.right.end(pair[1]))
        ids = sorted(left.keys() | right.keys())
        self._note(pair, "artefact", (i for i in ids if left.get(i, REFUSED) < right.get(i, REFUSED)))
        self._note(pair, "policy", (i for i in ids if left.get(i, REFUSED) > right.get(i, REFUSED)))

    def _compare_edges(self, pair: Pair) -> list[Pair]:
        left, right = self.read.edges(pair[0]), self.right.edges(pair[1])
        self._count(left.ids.size + right.ids.size)
        _, mine, theirs = np.intersect1d(left.ids, right.ids, assume_unique=True, return_indices=True)
        cheaper = left.prices[mine] < right.prices[theirs]
        dearer = left.prices[mine] > right.prices[theirs]
        self._note(pair, "artefact", [*np.delete(left.ids, mine).tolist(), *left.ids[mine[cheaper]].tolist()])
        self._note(pair, "policy", [*np.delete(right.ids, theirs).tolist(), *right.ids[theirs[dearer]].tolist()])
        return self._fresh(pair, left.ids[mine], left.targets[mine], right.targets[theirs])

    def _fresh(self, pair: Pair, ids: Ints, targets: Ints, others: Ints) -> list[Pair]:
        """The pairs not yet seen that tokens lead to, each by the first of its tokens."""
        both, first = np.unique(np.stack([targets, others], axis=1), axis=0, return_index=True)
        fresh = []
        for (target, other), token in zip(both.tolist(), ids[first].tolist(), strict=True):
            if (target, other) not in self.came_from:
                self.came_from[target, other] = (pair, token)
                fresh.append((target, other))
        return fresh

    def _note(self, pair: Pair, passes: str, tokens: Iterable[int]) -> None:
        """Keep the first difference of a kind, with the token of fewest bytes."""
        if passes in self.found:
            return
        last = min(tokens, key=lambda i: (len(self._spelled(i)), i), default=None)
        if last is not None:
            row = [*self._way_to(pair), last]
            self.found[passes] = Witness(b"".join(map(self._spelled, row)), passes, tuple(row))

    def _way_to(self, pair: Pair) -> list[int]:
        row = []
        while self.came_from[pair][0] != pair:
            pair, token = self.came_from[pair]
            row.append(token)
        return row[::-1]

    def _spelled(self, token: int) -> bytes:
        """What a token writes; nothing for an end, or an id that the vocabulary does not have."""
        return self.tokens.get(token, b"")

    def _count(self, edges: int) -> None:
        self.edges += edges
        if self.edges > MAX_READ_EDGES:
            raise LimitError(over_limit("tokens of all states of an artefact", MAX_READ_EDGES))
