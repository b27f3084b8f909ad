"""Which tokens the phrases of one trie refuse, found for all tokens of a vocabulary at a time.

The atoms of all tokens lie in one array, and places in it are followed down the trie together. What stands behind an
occurrence settles whether it is barred, but where the token ends: there it is `waiting`. Beside characters that are
passed over, and runs of white space, an occurrence may have more than one begin or end: these are `unsure`, and have
to be read.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.phrases import ATOM_BITS, ROOT, Trie
from langc.compiler.tokens.phrases.keys import FEW, AtomKeys, spread, union
from langc.compiler.unicode.folding import SPACE, Folding, Space
from langc.compiler.unicode.intervals import IntervalSet

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
BOUNDS_KEPT = 1_024
KINDS_KEPT = 16
"""Kinds of ends of phrases of which it is remembered where they are barred, a byte for each atom of the vocabulary."""
NOTHING = -1
"""What stands before the first character of a token, and behind its last."""


@dataclass(frozen=True)
class TokenAtoms:
    """The atoms of all texts, [N] in a row; those of text t are at `first[t]` up to `first[t + 1]`."""

    atoms: Ints
    text: Ints
    begins: Bools
    """Whether the atom is the first of its character."""
    ends: Bools
    """Whether it is the last."""
    before: Ints
    """The character before that of the atom."""
    behind: Ints
    first: Ints
    dropped: Ints
    """The characters without atoms, sorted."""
    leading: Ints
    """The first character of each text."""

    @classmethod
    def of(cls, texts: Sequence[str], folding: Folding) -> TokenAtoms:
        """All texts, under one folding; runs of white space are one atom where the folding says so."""
        symbols = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        owner = np.repeat(np.arange(len(texts)), sizes)
        before, behind = _beside(symbols, owner)
        kinds, which = np.unique(symbols, return_inverse=True)
        folded = [folding.atoms(symbol) for symbol in kinds.tolist()]
        lengths = np.array([len(a) for a in folded], dtype=np.int64)
        flat = np.array([a for row in folded for a in row], dtype=np.int64)
        counts = lengths[which]
        place = np.repeat(np.arange(len(symbols)), counts)
        offset = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        atoms = flat[np.repeat((np.cumsum(lengths) - lengths)[which], counts) + offset]
        kept = ~_runs_on(atoms, owner[place]) if folding.space is Space.RUN else np.ones(len(atoms), dtype=np.bool_)
        atoms, place, offset = atoms[kept], place[kept], offset[kept]
        leading = np.full(len(texts), NOTHING, dtype=np.int64)
        leading[owner[before == NOTHING]] = symbols[before == NOTHING]
        return cls(
            atoms,
            owner[place],
            offset == 0,
            offset == counts[place] - 1,
            before[place],
            behind[place],
            np.searchsorted(owner[place], np.arange(len(texts) + 1)),
            kinds[lengths == 0],
            leading,
        )

    @cached_property
    def is_last(self) -> Bools:
        """bool [N]: whether an atom is the last of its text."""
        found = np.zeros(len(self.atoms), dtype=np.bool_)
        found[self.first[1:][self.first[1:] > self.first[:-1]] - 1] = True
        return found

    @cached_property
    def is_dropped_behind(self) -> Bools:
        """bool [N]: whether the character behind has no atoms."""
        return np.isin(self.behind, self.dropped)

    @cached_property
    def beginning_dropped(self) -> Ints:
        """The texts whose first character has no atoms."""
        return np.flatnonzero(np.isin(self.leading, self.dropped))

    @cached_property
    def empty(self) -> Ints:
        """The texts of dropped characters alone."""
        return np.flatnonzero((self.first[1:] == self.first[:-1]) & (self.leading != NOTHING))


@dataclass(frozen=True)
class Finds:
    """Texts, sorted."""

    refused: Ints
    """In these a phrase is complete."""
    unsure: Ints
    waiting: Ints
    """At the end of these one is complete but for its right boundary."""


@dataclass(frozen=True)
class Carried(Finds):
    """What becomes of an occurrence in progress."""

    going: Ints
    """It is still in progress behind these, in no order, and perhaps twice."""


class TrieSearch:
    """The tokens beside one trie."""

    def __init__(self, trie: Trie, rows: TokenAtoms) -> None:
        self.trie, self.rows = trie, rows
        keys = np.fromiter(trie.edges, dtype=np.int64, count=len(trie.edges))
        targets = np.fromiter(trie.edges.values(), dtype=np.int64, count=len(trie.edges))
        order = np.argsort(keys)
        self._keys, self._targets = np.append(keys[order], NOTHING), targets[order]
        """With a last key that no edge has: what is found there is not the one that was looked for."""
        self._first_edge = self._keys[:-1].searchsorted(np.arange(trie.size + 1) << ATOM_BITS)
        self._parts = np.diff(self._first_edge) > 1
        """bool [nodes]: whether more than one edge leads on."""
        self._bars = list(dict.fromkeys(trie.ends.values()))
        numbers = {bars: number for number, bars in enumerate(self._bars)}
        self._is_barred = lru_cache(KINDS_KEPT)(self._barred_behind)
        self.leaves = {self._kind(node): node for node in trie.ends if not trie.goes_on(node)}
        """One node without children of each kind: what ends there, and whether more white space is passed over."""
        self._end_kind = np.full(trie.size, -1, dtype=np.int64)
        for node, bars in trie.ends.items():
            self._end_kind[node] = numbers[bars]

    def prepare(self) -> None:
        """Find out what all nodes ask for."""
        _ = self._texts, self._numbers, self.rows.is_last, self.rows.is_dropped_behind
        _ = self.rows.beginning_dropped, self.rows.empty
        for kind in range(min(len(self._bars), KINDS_KEPT)):
            self._is_barred(kind)

    @cached_property
    def inside(self) -> Finds:
        """The phrases that begin behind the first character of a token."""
        rows = self.rows
        open_ = rows.begins & (rows.before != NOTHING) & ~within(self.trie.left_bars, rows.before)
        refused, unsure, waiting = self._begun(open_)
        drawn_out = rows.begins & ((rows.atoms == SPACE) | np.isin(rows.before, rows.dropped))
        return Finds(refused, union([unsure, *self._begun(drawn_out & ~open_)]), waiting)

    @cached_property
    def in_front(self) -> Finds:
        """The phrases that begin with the token."""
        return Finds(*self._begun(self.rows.begins & (self.rows.before == NOTHING)))

    def carried(self, node: int) -> Carried:
        """The tokens behind an occurrence that has come to a node."""
        begins, whole = self._next(node)
        found, (nodes, at) = Collected(), self._follow(node, begins)
        self._judge(nodes, at, found)
        if node in self.trie.ends:
            found.unsure.append(self.rows.beginning_dropped)
        refused, unsure, waiting = found.joined()
        going = np.concatenate((self.rows.empty, whole, self.rows.text[at[self.rows.is_last[at]]]))
        return Carried(refused, unsure, waiting, going)

    def representative(self, node: int) -> int:
        """Of the nodes without children the one that stands for all of its kind; any other node for itself."""
        return node if self.trie.goes_on(node) else self.leaves[self._kind(node)]

    def _kind(self, node: int) -> tuple[tuple[IntervalSet, ...], bool]:
        return self.trie.ends[node], self.trie.atom[node] == SPACE

    def _begun(self, begins: Bools) -> tuple[Ints, Ints, Ints]:
        found = Collected()
        self._judge(*self._follow(ROOT, np.flatnonzero(begins)), found)
        return found.joined()

    @cached_property
    def _texts(self) -> AtomKeys:
        return AtomKeys.of(self.rows.atoms, self.rows.first, np.append(self._keys[:-1] & _ATOM, SPACE))

    @cached_property
    def _numbers(self) -> array[int]:
        """What keys hold of the atom that leads to each node."""
        return array("i", self._texts.numbers[np.array(self.trie.atom)].tolist())

    def _next(self, node: int) -> tuple[Ints, Ints]:
        """The places from which a node is to be followed, and the texts that lead on as a whole, with no end inside."""
        if not self.trie.goes_on(node) and self.trie.atom[node] != SPACE:
            return _NONE, _NONE
        to_follow, whole = map(self._texts.between, self._bounds(node))
        places = self.rows.first[to_follow]
        if not (self.trie.folding.space is Space.RUN and self.trie.atom[node] == SPACE):
            return places, whole
        run = int(self._texts.part(np.array([SPACE]), 0)[0])
        to_follow, longer = map(self._texts.between, self._bounds(node, run, 1))
        blank = self._texts.between(np.array([[run, run + 1]]))
        return np.concatenate([places, self.rows.first[to_follow] + 1]), np.concatenate([whole, longer, blank])

    def _bounds(self, node: int, key: int = 0, begin: int = 0) -> tuple[Ints, Ints]:
        """Bounds [n, 2] of the keys of the texts that may matter behind a node; a key's first atoms may be given.

        The first ones are of texts that begin with a whole phrase, or lead on with all atoms that their key holds: what
        follows matters. The second ones are of texts all of whose atoms lead on, and none to the end of a phrase.
        """
        return self._few_bounds(node, key, begin) or self._many_bounds(node, key, begin)

    def _few_bounds(self, node: int, key: int, begin: int) -> tuple[Ints, Ints] | None:
        """The same one node after the other, where there are few; else None."""
        trie, numbers = self.trie, self._numbers
        to_follow, whole, stack = list[int](), list[int](), [(node, key, begin)]
        while stack:
            above, key, place = stack.pop()
            size = self._texts.size(place)
            for child in trie.children(above):
                own = key | numbers[child] * size
                if size == 1 or child in trie.ends:
                    to_follow += own, own + size
                else:
                    whole += own, own + 1
                    stack.append((child, own, place + 1))
            if len(to_follow) + len(whole) > FEW:
                return None
        return _pairs(to_follow), _pairs(whole)

    def _many_bounds(self, node: int, key: int, begin: int) -> tuple[Ints, Ints]:
        """The same level by level."""
        nodes, keys = np.array([node]), np.array([key])
        to_follow, whole = [_NO_PAIRS], [_NO_PAIRS]
        for place in range(begin, self._texts.places):
            first = self._first_edge[nodes]
            counts = self._first_edge[nodes + 1] - first
            edges, size = spread(first, counts), self._texts.size(place)
            keys = np.repeat(keys, counts) | self._texts.part(self._keys[edges] & _ATOM, place)
            nodes = self._targets[edges]
            leads_on = (self._end_kind[nodes] < 0) & (size > 1)
            to_follow.append(np.stack([keys[~leads_on], keys[~leads_on] + size], 1))
            nodes, keys = nodes[leads_on], keys[leads_on]
            whole.append(np.stack([keys, keys + 1], 1))
            if not nodes.size:
                break
        return np.concatenate(to_follow), np.concatenate(whole)

    def _follow(self, node: int, at: Ints) -> tuple[Ints, Ints]:
        """From a node at some places: all nodes behind one atom, behind two, and so on, each with the atom's place."""
        steps = self._few_steps(node, at.tolist()) if len(at) <= FEW else self._steps(node, at)
        nodes, places = zip((_NONE, _NONE), *steps, strict=True)
        return np.concatenate(nodes), np.concatenate(places)

    def _few_steps(self, node: int, begins: list[int]) -> Iterator[tuple[Ints, Ints]]:
        """One place after the other; a step of many at a time takes as long as some dozens of these."""
        edges, found, places = self.trie.edges, list[int](), list[int]()
        for begin in begins:
            here, end = node, self.rows.first[self.rows.text[begin] + 1]
            for place, atom in enumerate(self.rows.atoms[begin:end].tolist(), begin):
                following = edges.get(here << ATOM_BITS | atom)
                if following is None:
                    break
                here = following
                found.append(here)
                places.append(place)
        yield np.array(found, dtype=np.int64), np.array(places, dtype=np.int64)

    def _steps(self, node: int, at: Ints) -> Iterator[tuple[Ints, Ints]]:
        nodes = np.full(len(at), node, dtype=np.int64)
        while at.size:
            found, is_alive = self._edges_of(nodes, self.rows.atoms.take(at))
            alive = np.flatnonzero(is_alive)
            nodes, at = self._targets.take(found.take(alive)), at.take(alive)
            yield nodes, at
            longer = np.flatnonzero(~self.rows.is_last.take(at))
            nodes, at = nodes.take(longer), at.take(longer) + 1

    def _edges_of(self, nodes: Ints, atoms: Ints) -> tuple[Ints, Bools]:
        """The edge behind each node for an atom, and whether there is one. Most nodes have one at most: no search."""
        wanted = nodes << ATOM_BITS | atoms
        found = self._first_edge.take(nodes)
        many = np.flatnonzero(self._parts.take(nodes))
        if many.size:
            found[many] = self._keys[:-1].searchsorted(wanted[many])
        return found, self._keys.take(found) == wanted

    def _judge(self, nodes: Ints, at: Ints, found: Collected) -> None:
        """Collect what the characters behind complete phrases say."""
        ending = (self._end_kind[nodes] >= 0) & self.rows.ends[at]
        nodes, at = nodes[ending], at[ending]
        kinds = self._end_kind[nodes]
        for kind in np.flatnonzero(np.bincount(kinds)).tolist():
            here = at[kinds == kind]
            texts, barred = self.rows.text[here], self._is_barred(kind)[here]
            waits = (self.rows.behind[here] == NOTHING) & all(self._bars[kind])
            found.waiting.append(texts[waits])
            found.refused.append(texts[~barred & ~waits])
            found.unsure.append(texts[barred & self.rows.is_dropped_behind[here]])

    def _barred_behind(self, kind: int) -> Bools:
        """bool [N]: whether the character behind an atom bars the phrases of a kind of end."""
        barred: Bools = np.logical_and.reduce([within(bars, self.rows.behind) for bars in self._bars[kind]])
        return barred


@dataclass
class Collected:
    """Finds in the making."""

    refused: list[Ints] = field(default_factory=list)
    unsure: list[Ints] = field(default_factory=list)
    waiting: list[Ints] = field(default_factory=list)

    def joined(self) -> tuple[Ints, Ints, Ints]:
        """All of each kind."""
        return union(self.refused), union(self.unsure), union(self.waiting)


def within(members: IntervalSet, symbols: Ints) -> Bools:
    """Which of the symbols are members; `NOTHING` never is."""
    inside: Bools = np.searchsorted(_bounds(members), symbols, side="right") % 2 == 1
    return inside


@lru_cache(BOUNDS_KEPT)
def _bounds(members: IntervalSet) -> Ints:
    return np.array([edge for low, high in members.ranges for edge in (low, high + 1)], dtype=np.int64)


_NONE: Ints = np.zeros(0, dtype=np.int64)
_NO_PAIRS: Ints = np.zeros((0, 2), dtype=np.int64)
_ATOM = (1 << ATOM_BITS) - 1


def _pairs(numbers: list[int]) -> Ints:
    return np.array(numbers, dtype=np.int64).reshape(-1, 2)


def _beside(symbols: Ints, owner: Ints) -> tuple[Ints, Ints]:
    """The characters before and behind each, within its text."""
    same = owner[1:] == owner[:-1]
    before, behind = np.full(len(symbols), NOTHING), np.full(len(symbols), NOTHING)
    before[1:][same] = symbols[:-1][same]
    behind[:-1][same] = symbols[1:][same]
    return before, behind


def _runs_on(atoms: Ints, owner: Ints) -> Bools:
    """Which atoms are white space behind white space."""
    runs = np.zeros(len(atoms), dtype=np.bool_)
    runs[1:] = (atoms[1:] == SPACE) & (atoms[:-1] == SPACE) & (owner[1:] == owner[:-1])
    return runs
