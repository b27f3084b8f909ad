"""The shapes of a lexeme as one automaton, and walks of it through the trie.

A lexeme's open part is the states of all shapes that it may have, and of all that say how far it goes. A combination of
them is one state of an automaton whose table, int32 [S, 256], is made where it is needed; so a walk reads a whole
vocabulary level by level, and what it finds is shared by all places where a lexeme is in that state.

Invariant: state 0 takes nothing more: no shape and no munch goes on. `alive[s]`: some shape can still be completed.
`accepting[s]`: some shape is complete. `kept[s]`: some living shape's text is asked for later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SURFACE_SHAPE_STATES, over_limit
from langc.compiler.surfaces.engine.lexemes import Lexeme, Shape
from langc.compiler.surfaces.masks.heads import Heads, Ints, Nodes
from langc.compiler.surfaces.masks.ids import Ids
from langc.compiler.tokens.rows import KeptRows

Bools = npt.NDArray[np.bool_]
IS_SHAPE, IS_MUNCH, IS_KEPT = 1, 2, 4
Member: TypeAlias = tuple[Shape, int, int]
"""A shape, its state, and what it is to the lexeme."""
NOWHERE = 0
_CROWDED = 8
"""From an eighth of the trie on all of it is walked, level by level."""
WALK_BYTES = 64 << 20


@dataclass(frozen=True, eq=False)
class Walk:
    """What the open part of a lexeme does with what is below some heads."""

    states: Ints
    """int32 [N], over all nodes: the state there, 0 where nothing goes on or what is not below the heads."""
    inside: Ids
    """The tokens that end while a shape is alive."""
    left_by_state: tuple[tuple[int, Ints, Ints], ...]
    """The nodes whose byte nothing takes, behind one where a shape is complete: by the state there, with their
    parents."""

    @property
    def nbytes(self) -> int:
        """The memory that it holds."""
        return self.states.nbytes + self.inside.nbytes + sum(2 * left.nbytes for _, left, _ in self.left_by_state)


class Shapes:
    """The states of one surface, and their walks through one trie."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._numbers: dict[frozenset[Member], int] = {frozenset(): NOWHERE}
        self._members: list[frozenset[Member]] = [frozenset()]
        self._known = 1
        """States whose row is in the table."""
        self._table: Ints = np.zeros((64, 256), dtype=np.int32)
        self._rows: dict[Shape, npt.NDArray[np.int64]] = {}
        self._alive = np.zeros(64, dtype=np.bool_)
        self._accepting = np.zeros(64, dtype=np.bool_)
        self._kept = np.zeros(64, dtype=np.bool_)
        self._walks: KeptRows[tuple[Heads, int], Walk] = KeptRows(self._walk, WALK_BYTES)

    def state_of(self, lexeme: Lexeme) -> int:
        """The state of a lexeme's open part."""
        flags: dict[tuple[Shape, int], int] = {}
        for pair in lexeme.shapes:
            flags[pair] = IS_SHAPE | (IS_KEPT if pair[0] in lexeme.kept else 0)
        for pair in lexeme.munched:
            flags[pair] = flags.get(pair, 0) | IS_MUNCH
        state = self._number(frozenset((*pair, flag) for pair, flag in flags.items()))
        self._explore()
        return state

    def walk(self, heads: Heads, state: int) -> Walk:
        """What a lexeme in this state does below some heads."""
        return self._walks[heads, state]

    def keeps(self, state: int) -> bool:
        """Whether the text of a lexeme in this state is asked for later."""
        return bool(self._kept[state])

    def _number(self, members: frozenset[Member]) -> int:
        found = self._numbers.get(members)
        if found is None:
            found = self._numbers[members] = len(self._members)
            self._members.append(members)
            if found >= MAX_SURFACE_SHAPE_STATES:
                raise LimitError(over_limit("states of a surface's tokens together", MAX_SURFACE_SHAPE_STATES))
        return found

    def _explore(self) -> None:
        """Give all states that have been numbered their rows; that numbers more of them."""
        while self._known < len(self._members):
            state = self._known
            if state >= len(self._table):
                self._grow()
            members = self._members[state]
            self._table[state] = self._row(members)
            self._alive[state] = any(flag & IS_SHAPE for _, _, flag in members)
            self._accepting[state] = any(flag & IS_SHAPE and at in shape.accepting for shape, at, flag in members)
            self._kept[state] = any(flag & IS_KEPT for _, _, flag in members)
            self._known += 1

    def _grow(self) -> None:
        self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        self._alive, self._accepting, self._kept = (
            np.concatenate([flags, np.zeros_like(flags)]) for flags in (self._alive, self._accepting, self._kept)
        )

    def _row(self, members: frozenset[Member]) -> Ints:
        """Where each byte leads. Bytes that lead all members alike are looked at once."""
        ordered = list(members)
        key = np.zeros(256, dtype=np.int64)
        for shape, state, _ in ordered:
            key = np.unique(key * len(shape.table) + self._row_of(shape, state), return_inverse=True)[1]
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        targets = [self._number(_moved(ordered, byte)) for byte in first.tolist()]
        row: Ints = np.array(targets, dtype=np.int32)[which]
        return row

    def _row_of(self, shape: Shape, state: int) -> npt.NDArray[np.int64]:
        rows = self._rows.get(shape)
        if rows is None:
            rows = self._rows[shape] = np.array(shape.table, dtype=np.int64)
        row: npt.NDArray[np.int64] = rows[state]
        return row

    def _walk(self, key: tuple[Heads, int]) -> Walk:
        heads, state = key
        states = np.zeros(self._nodes.count, dtype=np.int32)
        if heads.size * _CROWDED >= self._nodes.count:
            self._read_levels(states, heads, state)
            living = np.flatnonzero(states).astype(np.int32)
        else:
            living = self._read_on(states, heads, state)
        inside = living[self._alive[states[living]]]
        return Walk(states, Ids(self._nodes.ids_of(inside)), tuple(self._left(states, inside)))

    def _read_levels(self, states: Ints, heads: Heads, state: int) -> None:
        byte, parent, flat = self._nodes.byte, self._nodes.parent, self._table.ravel()
        states[heads.nodes] = self._table[state, byte[heads.nodes]]
        is_head = np.zeros(len(states), dtype=np.bool_)
        is_head[heads.nodes] = True
        for low, high in self._nodes.levels:
            steps = states.take(parent[low:high])
            steps <<= 8
            steps |= byte[low:high]
            below = flat.take(steps)
            np.copyto(states[low:high], below, where=~is_head[low:high])

    def _read_on(self, states: Ints, heads: Heads, state: int) -> Ints:
        byte, nodes = self._nodes.byte, heads.nodes
        after = self._table[state, byte[nodes]]
        found = []
        while nodes.size:
            alive = after != NOWHERE
            nodes, after = nodes[alive], after[alive]
            states[nodes] = after
            found.append(nodes)
            nodes, counts = self._nodes.children_of(nodes)
            after = self._table[np.repeat(after, counts), byte[nodes]]
        return np.concatenate(found) if found else heads.nodes

    def _left(self, states: Ints, inside: Ints) -> Iterator[tuple[int, Ints, Ints]]:
        complete = inside[self._accepting[states[inside]]]
        children, counts = self._nodes.children_of(complete)
        is_left = states[children] == NOWHERE
        left, parents = children[is_left], np.repeat(complete, counts)[is_left]
        for state in np.unique(states[parents]).tolist():
            here = states[parents] == state
            yield state, left[here], parents[here]


def _moved(members: list[Member], byte: int) -> frozenset[Member]:
    moved = ((shape, shape.table[state][byte], flag) for shape, state, flag in members)
    return frozenset(member for member in moved if member[1])
