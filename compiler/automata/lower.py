"""From code points to bytes: the automaton of the UTF-8 encodings of a language.

Each edge of the code point automaton becomes sequences of one to four byte ranges (`unicode/utf8.py`).
At every state the sequences of all its edges form a trie; tries with equal futures share their states.
Since no two sequences overlap the result is deterministic, and it reads well-formed UTF-8 only: overlong
forms, surrogates and bytes above F4 lead nowhere.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from itertools import pairwise

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_BYTE_STATES, over_limit
from langc.compiler.unicode.intervals import BYTES, IntervalSet, Range
from langc.compiler.unicode.utf8 import sequences

Tail = tuple[tuple[Range, ...], int]
"""What is left of a byte sequence, and the state behind it."""
Edge = tuple[int, int, int]
"""(first byte, last byte, target)."""


def lower_to_bytes(dfa: Dfa) -> Dfa:
    """The canonical byte automaton. Raises LimitError past `MAX_BYTE_STATES`."""
    return minimize(lower_states(dfa))


def lower_states(dfa: Dfa) -> Dfa:
    """A byte automaton whose first `dfa.size` states are those of `dfa`; the others are inside characters."""
    return _Lowering(dfa).run()


class _Lowering:
    """States 0..dfa.size-1 are those of the code point automaton; states inside characters follow."""

    def __init__(self, dfa: Dfa) -> None:
        self.dfa = dfa
        self.edges: list[list[Edge]] = [[] for _ in dfa.table]
        self.inside: dict[tuple[Tail, ...], int] = {}
        self.spelled: dict[IntervalSet, list[tuple[Range, ...]]] = {}

    def run(self) -> Dfa:
        first: dict[tuple[int, ...], int] = {}
        for state, row in enumerate(self.dfa.table):
            if (known := first.setdefault(row, state)) != state:
                self.edges[state] = self.edges[known]
                continue
            tails = [(s, target) for members, target in self.dfa.edges(state) for s in self._sequences(members)]
            self._fill(state, sorted(tails))
        return self._table()

    def _sequences(self, members: IntervalSet) -> list[tuple[Range, ...]]:
        """The byte sequences of a label; many states share one."""
        if members not in self.spelled:
            self.spelled[members] = list(sequences(members))
        return self.spelled[members]

    def _fill(self, state: int, tails: list[Tail]) -> None:
        """Give `state` its edges, and the states behind them theirs."""
        work = [(state, tails)]
        while work:
            source, left = work.pop()
            for low, high, rest in _split(left):
                target, is_new = self._target(rest)
                self.edges[source].append((low, high, target))
                if is_new:
                    work.append((target, list(rest)))

    def _target(self, rest: tuple[Tail, ...]) -> tuple[int, bool]:
        if not rest[0][0]:  # the character is complete, and no other sequence is a prefix of it
            return rest[0][1], False
        if rest in self.inside:
            return self.inside[rest], False
        if len(self.edges) >= MAX_BYTE_STATES:
            raise LimitError(over_limit("states of the byte automaton", MAX_BYTE_STATES))
        self.inside[rest] = len(self.edges)
        self.edges.append([])
        return self.inside[rest], True

    def _table(self) -> Dfa:
        """Edges as a table over the byte classes."""
        labels = dict.fromkeys((low, high) for edges in self.edges for low, high, _ in edges)
        partition = Partition.of(BYTES, (IntervalSet((r,)) for r in labels))
        firsts = [m.first() for m in partition.members]  # ascending
        spans = {label: (bisect_left(firsts, label[0]), bisect_right(firsts, label[1])) for label in labels}
        table = tuple(_row(edges, spans, partition.size) for edges in self.edges)
        return Dfa(partition, table, self.dfa.accepting, self.dfa.start)


def _row(edges: list[Edge], spans: Mapping[tuple[int, int], tuple[int, int]], size: int) -> tuple[int, ...]:
    """The target for each class. Those of an edge follow one another: classes are ordered by their least byte."""
    row = [DEAD] * size
    for low, high, target in edges:
        start, end = spans[low, high]
        row[start:end] = [target] * (end - start)
    return tuple(row)


def _split(tails: list[Tail]) -> list[tuple[int, int, tuple[Tail, ...]]]:
    """The first bytes of all tails cut where any begins or ends, each piece with what follows it."""
    cuts = sorted({t[0][0][0] for t in tails} | {t[0][0][1] + 1 for t in tails})
    pieces = []
    for low, end in pairwise(cuts):
        rest = tuple((t[1:], target) for t, target in tails if t[0][0] <= low <= t[0][1])
        if rest:
            pieces.append((low, end - 1, rest))
    return pieces
