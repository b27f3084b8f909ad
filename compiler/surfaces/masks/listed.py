"""Finite sets of spellings, walked through the trie.

Invariant: what is found depends on the set, its range and the heads alone, so it is shared by all places that offer the
same names. A surface that folds compares A-Z as a-z, and spellings are folded; tokens may be written in either case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from langc.compiler.surfaces.engine.lexemes import FOLD, Spellings
from langc.compiler.surfaces.masks.heads import Heads, Ints, Nodes, spread
from langc.compiler.surfaces.masks.ids import Ids
from langc.compiler.tokens.rows import KeptRows

_FEW = 64
"""Spellings that are followed one after another."""
LISTED_BYTES = 32 << 20
_FOLD = np.frombuffer(FOLD, dtype=np.uint8)
_NONE: Ints = np.zeros(0, dtype=np.int32)


class Range(NamedTuple):
    """The part of a set that shares its first `depth` bytes; those have been read."""

    names: Spellings
    low: int
    high: int
    depth: int
    fold_case: bool


@dataclass(frozen=True, eq=False)
class Spelled:
    """What the spellings of a range do with what is below some heads."""

    tokens: Ids
    """Those that end there."""
    inside: Ints
    """The nodes up to which a spelling, or the beginning of one, is read; each once."""
    complete: Ints
    """Those of them at which a spelling is complete."""

    @property
    def nbytes(self) -> int:
        """The memory that it holds, at least."""
        return 256 + self.tokens.nbytes + self.inside.nbytes + self.complete.nbytes


@dataclass(frozen=True)
class _Text:
    """All spellings of a set in one array."""

    text: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        return self.text.nbytes + self.starts.nbytes + self.lengths.nbytes


def _text_of(names: Any) -> _Text:
    spellings = names.spellings
    lengths = np.fromiter(map(len, spellings), dtype=np.int64, count=len(spellings))
    text = np.frombuffer(b"".join(spellings) + b"\0", dtype=np.uint8)
    return _Text(text, np.cumsum(lengths) - lengths, lengths)


class Listings:
    """Walks of sets through one trie."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._texts: KeptRows[Any, _Text] = KeptRows(_text_of, LISTED_BYTES)
        self._walks: KeptRows[tuple[Heads, Range], Spelled] = KeptRows(self._walk, LISTED_BYTES)

    def walk(self, heads: Heads, of: Range) -> Spelled:
        """What a range does below some heads."""
        return self._walks[heads, of]

    def _walk(self, key: tuple[Heads, Range]) -> Spelled:
        heads, of = key
        return self._few(heads, of) if of.high - of.low <= _FEW else self._many(heads, of)

    def _few(self, heads: Heads, of: Range) -> Spelled:
        inside: dict[int, bool] = {}
        for spelling in of.names.spellings[of.low : of.high]:
            nodes: list[int] = []
            for place in range(of.depth, len(spelling)):
                nodes = self._behind(heads, nodes, spelling[place], place == of.depth, of.fold_case)
                if not nodes:
                    break
                for node in nodes:
                    inside.setdefault(node, False)
            else:
                inside.update(dict.fromkeys(nodes, True))
        ends = [node for node, is_end in inside.items() if is_end]
        return self._spelled(np.array(list(inside), dtype=np.int32), np.array(ends, dtype=np.int32))

    def _behind(self, heads: Heads, nodes: list[int], byte: int, is_first: bool, fold_case: bool) -> list[int]:
        found: list[int] = []
        for one in _cases(byte) if fold_case else (byte,):
            if is_first:
                found += heads.groups.get(one, ())
            else:
                found += filter(None, (self._nodes.child(node, one) for node in nodes))
        return found

    def _many(self, heads: Heads, of: Range) -> Spelled:
        text = self._texts[of.names]
        who, nodes = self._first(text, heads, of)
        found, ends, place = [_NONE], [_NONE], of.depth + 1
        while who.size:
            found.append(np.unique(nodes))
            is_end = text.lengths[who] == place
            ends.append(np.unique(nodes[is_end]))
            who, nodes = who[~is_end], nodes[~is_end]
            who, nodes = self._next(text, who, nodes, place, of.fold_case)
            place += 1
        return self._spelled(np.concatenate(found), np.concatenate(ends))

    def _spelled(self, inside: Ints, complete: Ints) -> Spelled:
        return Spelled(Ids(self._nodes.ids_of(inside)), inside, complete)

    def _first(self, text: _Text, heads: Heads, of: Range) -> tuple[npt.NDArray[np.int64], Ints]:
        """Each spelling of the range that begins with a head's byte, with the head."""
        everyone = np.arange(of.low, of.high)
        everyone = everyone[text.lengths[everyone] > of.depth]
        firsts = text.text[text.starts[everyone] + of.depth]
        byte = self._nodes.byte[heads.nodes]
        folded = _FOLD[byte] if of.fold_case else byte
        order = np.argsort(folded, kind="stable")
        low, high = (np.searchsorted(folded[order], firsts, side) for side in ("left", "right"))
        counts = (high - low).astype(np.int32)
        return np.repeat(everyone, counts), heads.nodes[order][spread(low.astype(np.int32), counts)]

    def _next(
        self, text: _Text, who: npt.NDArray[np.int64], nodes: Ints, place: int, fold_case: bool
    ) -> tuple[npt.NDArray[np.int64], Ints]:
        """Each spelling one byte on, where the trie goes on with it; twice where it does in both cases."""
        byte = text.text[text.starts[who] + place].astype(np.int64)
        found = [self._children(nodes, byte)]
        if fold_case:
            is_letter = (byte >= 0x61) & (byte <= 0x7A)
            found.append(np.where(is_letter, self._children(nodes, byte - 32), 0).astype(np.int32))
        there = [children != 0 for children in found]
        behind = np.concatenate([children[flags] for children, flags in zip(found, there, strict=True)])
        return np.concatenate([who[flags] for flags in there]), behind

    def _children(self, nodes: Ints, byte: npt.NDArray[np.int64]) -> Ints:
        """The node behind each of some nodes by its byte, 0 where there is none."""
        wanted = nodes.astype(np.int64) << 8 | byte
        keys = self._nodes.keys
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, at + 1, 0).astype(np.int32)


def _cases(byte: int) -> tuple[int, ...]:
    return (byte, byte - 32) if 0x61 <= byte <= 0x7A else (byte,)
