"""Texts in the order of their first atoms, so that those that begin in some way are found by bisection.

Invariant: a key holds what is known of the first `places` atoms of a text, the first one in its highest bits: 0 for no
atom, 1 for one that no phrase has, else the atom's number among those of the phrases. Texts whose first atoms are
phrases' own have one key iff these are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
MOST_PLACES = 6
"""Atoms of a text that are looked at: few texts that begin like a phrase by so many are not wanted."""
FEW = 128
"""Numbers that are handled one by one."""
_KEY_BITS = 63
_FOREIGN = 1


@dataclass(frozen=True)
class AtomKeys:
    """The texts that have atoms, by their keys."""

    numbers: Ints
    """By atom; the atoms of the phrases from 2 on."""
    bits: int
    """Of each place."""
    places: int
    keys: Ints
    """Sorted."""
    texts: Ints
    """The text of each key."""

    @classmethod
    def of(cls, atoms: Ints, first: Ints, letters: Ints) -> AtomKeys:
        """Of texts whose atoms lie in a row, those of text t at `first[t]` up to `first[t + 1]`."""
        letters = np.unique(letters)
        numbers = np.full(1 + max(atoms.max(initial=0), letters.max(initial=0)), _FOREIGN, dtype=np.int64)
        numbers[letters] = np.arange(2, len(letters) + 2)
        bits = (len(letters) + 2).bit_length()
        places = min(MOST_PLACES, _KEY_BITS // bits)
        texts = np.flatnonzero(first[1:] > first[:-1])
        keys = np.zeros(len(texts), dtype=np.int64)
        for place in range(places):
            at = first[texts] + place
            there = np.flatnonzero(at < first[texts + 1])
            keys[there] |= numbers[atoms[at[there]]] << bits * (places - 1 - place)
        order = np.argsort(keys, kind="stable")
        return cls(numbers, bits, places, keys[order], texts[order])

    def part(self, atoms: Ints, place: int) -> Ints:
        """What keys hold of an atom at a place, the others 0."""
        return self.numbers[atoms] << self.bits * (self.places - 1 - place)

    def size(self, place: int) -> int:
        """How many keys begin alike up to a place: the texts that go on in any way behind it."""
        return 1 << self.bits * (self.places - 1 - place)

    def between(self, bounds: Ints) -> Ints:
        """The texts whose keys lie between some bounds [n, 2], the upper ones excluded."""
        places = np.searchsorted(self.keys, bounds)
        return self.texts[spread(places[:, 0], places[:, 1] - places[:, 0])]


def union(parts: Iterable[Ints]) -> Ints:
    """What is in any of the arrays, sorted and each once."""
    some = [part for part in parts if len(part)]
    if sum(map(len, some)) <= FEW:  # numpy takes longer to begin than this does
        return np.array(sorted(set().union(*(part.tolist() for part in some))), dtype=np.int64)
    return np.unique(np.concatenate(some))


def spread(first: Ints, counts: Ints) -> Ints:
    """The numbers from each of `first` on, so many of each, in a row."""
    ends = np.cumsum(counts)
    return np.repeat(first - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)
