"""Where tokens stay within the present lexeme, and where they leave it.

Invariant: a `Cut` is about a lexeme and some heads, and not about the place of the text at which the lexeme stands, so
all places at which the same may stand share it. Each token below the heads either ends inside of the lexeme
(`inside`), or leaves it behind bytes that make it complete (`ways`), or cannot be read. What may come behind a way out
is not asked.

A few nodes are followed one by one. Of many, the open part of the lexeme (`shapes.py`) and each finite set
(`listed.py`) are walked apart; the ways out at which both have a say are settled by the lexeme itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from langc.compiler.surfaces.engine.lexemes import Lexeme, Shape, Spellings
from langc.compiler.surfaces.masks.heads import Heads, Ints, Nodes
from langc.compiler.surfaces.masks.ids import Ids, joined
from langc.compiler.surfaces.masks.listed import Listings, Range, Spelled
from langc.compiler.surfaces.masks.shapes import NOWHERE, Shapes, Walk
from langc.compiler.tokens.rows import KeptRows

FEW_NODES = 48
CUT_BYTES = 64 << 20


class Way(NamedTuple):
    """A way out of a lexeme."""

    read: bytes
    """What is read of the lexeme before; of ways that leave it alike, one."""
    spelled: tuple[Spellings, ...]
    shaped: frozenset[Shape]
    """What the lexeme then is."""
    rest: Heads
    """What is left of the tokens."""


@dataclass(frozen=True, eq=False)
class Cut:
    """See the module."""

    inside: tuple[Ids, ...]
    """Tokens; some may be there twice."""
    ways: tuple[Way, ...]

    @property
    def nbytes(self) -> int:
        """The memory that it holds, at least."""
        return 512 + 200 * len(self.ways) + sum(part.nbytes for part in self.inside)


@dataclass(eq=False)
class _Ways:
    """Ways out in the making: those that leave the lexeme alike are one."""

    found: dict[Lexeme, tuple[bytes, list[int]]] = field(default_factory=dict)

    def add(self, lexeme: Lexeme, read: bytes, nodes: Iterable[int]) -> None:
        self.found.setdefault(lexeme, (read, []))[1].extend(nodes)

    def finished(self, nodes: Nodes) -> tuple[Way, ...]:
        return tuple(
            Way(read, tuple(lexeme.spelled), frozenset(lexeme.shaped), nodes.heads(rest))
            for lexeme, (read, rest) in self.found.items()
            if rest
        )


class Cuts:
    """The cuts of one surface and one trie."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._shapes, self._listings = Shapes(nodes), Listings(nodes)
        self._cuts: KeptRows[tuple[Heads, Lexeme], Cut] = KeptRows(lambda key: self._cut(*key), CUT_BYTES)

    def cut(self, heads: Heads, lexeme: Lexeme) -> Cut:
        """What becomes of the tokens below some heads. The text of the lexeme so far does not matter."""
        return self._cuts[heads, replace(lexeme, text=b"") if lexeme.text else lexeme]

    def _cut(self, heads: Heads, lexeme: Lexeme) -> Cut:
        return self._one_by_one(heads, lexeme) if heads.size <= FEW_NODES else self._all_at_once(heads, lexeme)

    # --- node by node ---

    def _one_by_one(self, heads: Heads, lexeme: Lexeme) -> Cut:
        ids: list[int] = []
        ways = _Ways()
        self._descend(heads.nodes.tolist(), lexeme, b"", ids, ways)
        return Cut((Ids(np.array(ids, dtype=np.int32)),) if ids else (), ways.finished(self._nodes))

    def _descend(self, below: Iterable[int], lexeme: Lexeme, read: bytes, ids: list[int], ways: _Ways) -> None:
        for byte, nodes in self._nodes.by_byte(below).items():
            following = lexeme.step(byte)
            if following is None:
                if is_complete(lexeme):
                    ways.add(lexeme, read, nodes)
            elif following.alive:
                for node in nodes:
                    ids += self._nodes.ids_at(node)
                children = [child for node in nodes for child in self._nodes.children(node)]
                if children:
                    self._descend(children, following, read + bytes((byte,)), ids, ways)

    # --- all together ---

    def _all_at_once(self, heads: Heads, lexeme: Lexeme) -> Cut:
        state = self._shapes.state_of(lexeme)
        walk = self._shapes.walk(heads, state)
        spelled = [self._listings.walk(heads, of) for of in _ranges(lexeme)]
        inside = joined([walk.inside, *(one.tokens for one in spelled)])
        ways = _Ways()
        alone = self._leave_open(heads, lexeme, walk, spelled, ways)
        for node in alone:
            self._leave_at(heads, node, lexeme, walk, ways)
        if is_complete(lexeme):
            self._leave_at_once(heads, lexeme, walk, ways)
        return Cut(inside, ways.finished(self._nodes))

    def _leave_open(self, heads: Heads, lexeme: Lexeme, walk: Walk, spelled: list[Spelled], ways: _Ways) -> list[int]:
        """The ways out where only shapes have a say. The nodes behind which others may be, to be looked at alone."""
        is_listed = np.zeros(self._nodes.count, dtype=np.bool_)
        is_listed[_together([one.inside for one in spelled])] = True
        alone = set(self._with_way_out(_together([one.complete for one in spelled]), walk).tolist())
        for state, left, parents in walk.left_by_state:
            apart = is_listed[parents]
            if self._shapes.keeps(state) or apart.all():
                alone.update(parents.tolist())
                continue
            read = self._nodes.path(int(parents[np.argmin(apart)]), heads)
            ways.add(_behind(lexeme, read), read, left[~apart].tolist())
            alone.update(parents[apart].tolist())
        return sorted(alone)

    def _with_way_out(self, complete: Ints, walk: Walk) -> Ints:
        """Those of some nodes that have a child which no munch takes."""
        children, counts = self._nodes.children_of(complete)
        owners = np.repeat(complete, counts)
        return np.unique(owners[walk.states[children] == NOWHERE])

    def _leave_at(self, heads: Heads, node: int, lexeme: Lexeme, walk: Walk, ways: _Ways) -> None:
        read = self._nodes.path(node, heads)
        here = _behind(lexeme, read)
        if is_complete(here):
            ways.add(here, read, self._refused(self._nodes.children(node), here, walk))

    def _leave_at_once(self, heads: Heads, lexeme: Lexeme, walk: Walk, ways: _Ways) -> None:
        ways.add(lexeme, b"", self._refused(heads.nodes, lexeme, walk))

    def _refused(self, below: range | Ints, lexeme: Lexeme, walk: Walk) -> list[int]:
        """The nodes whose byte the lexeme does not take: no shape and no munch, and no spelling either."""
        nodes = np.asarray(below, dtype=np.int32)
        nodes = nodes[walk.states[nodes] == NOWHERE]
        is_spelled = np.zeros(256, dtype=np.bool_)
        is_spelled[list(lexeme.spelled_on())] = True
        refused: list[int] = nodes[~is_spelled[self._nodes.byte[nodes]]].tolist()
        return refused


def is_complete(lexeme: Lexeme) -> bool:
    """Whether the lexeme may end as it stands."""
    return lexeme.begun and bool(lexeme.spelled or lexeme.shaped)


def _behind(lexeme: Lexeme, read: bytes) -> Lexeme:
    """The lexeme with more bytes, all of which it takes."""
    for byte in read:
        following = lexeme.step(byte)
        assert following is not None
        lexeme = following
    return lexeme


def _ranges(lexeme: Lexeme) -> list[Range]:
    return [Range(names, low, high, lexeme.depth, lexeme.fold_case) for names, low, high in lexeme.listed]


def _together(arrays: list[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int32)
