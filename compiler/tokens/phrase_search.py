"""Which tokens hold a whole phrase, or its end: found once for a vocabulary, all tokens at a time.

The atoms of all tokens are laid out in one array, and every place in it is followed down the trie of the phrases at
once. A find is a candidate: boundaries and what else the definition asks for are for the reader to decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.phrases import Trie
from langc.compiler.unicode.folding import SPACE, Folding, Space

Ints = npt.NDArray[np.int64]
_GAP = -1
"""Between tokens."""


def holders(trie: Trie, texts: Sequence[str]) -> Ints:
    """The places of the texts with all atoms of some phrase of the trie in a row, sorted."""
    atoms, owner = _laid_out(texts, trie.folding)
    keys, targets = _edges(trie)
    is_end = np.zeros(len(trie.go), dtype=np.bool_)
    is_end[list(trie.ends)] = True
    places, nodes = np.arange(len(atoms)), np.zeros(len(atoms), dtype=np.int64)
    found: list[Ints] = []
    while places.size:
        wanted = nodes << 21 | atoms[places]
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        alive = keys[at] == wanted
        places, nodes = places[alive], targets[at[alive]]
        found.append(owner[places[is_end[nodes]]])
        places = places + 1
        inside = places < len(atoms)
        places, nodes = places[inside], nodes[inside]
    return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)


def _edges(trie: Trie) -> tuple[Ints, Ints]:
    """The edges as sorted keys `node << 21 | atom`, and where each leads."""
    rows = [(node << 21 | atom, target) for node, go in enumerate(trie.go) for atom, target in go.items()]
    table = np.array(sorted(rows), dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _laid_out(texts: Sequence[str], folding: Folding) -> tuple[Ints, Ints]:
    """The atoms of all texts with gaps between them, and for each the text that it is of."""
    joined = "\ufdd0".join(texts)  # a noncharacter: no phrase of anybody holds it
    symbols = np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    owner = np.cumsum(symbols == 0xFDD0)
    kinds, which = np.unique(symbols, return_inverse=True)
    folded = [(_GAP,) if c == 0xFDD0 else folding.atoms(c) for c in kinds.tolist()]
    lengths = np.array([len(a) for a in folded], dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    flat = np.array([a for row in folded for a in row], dtype=np.int64)
    counts = lengths[which]
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    atoms = flat[np.repeat(starts[which], counts) + offsets]
    owners = np.repeat(owner, counts)
    if folding.space is Space.RUN:
        kept = ~((atoms == SPACE) & (np.concatenate([[_GAP], atoms[:-1]]) == SPACE))
        return atoms[kept], owners[kept]
    return atoms, owners
