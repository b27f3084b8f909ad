"""How a policy judges each token over all the places where it could stand.

A plain UTF-8 reader would take a token in some places and refuse it in others (`B8` belongs inside a character). That
is no matter of policy, so a token counts as refused only where it would keep the text well-formed. With that it is

* *never* allowed: a static bias may ban it;
* *always* allowed, wherever it is well-formed;
* *dynamic*: allowed in one place and refused in another. Only something that follows the text can be right about it.

The places are the pairs of a state of the policy's tables and a state of a reader of all well-formed UTF-8 that rows of
allowed tokens reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from langc.compiler.automata.boolean import universal
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.automata.soften import harden
from langc.compiler.limits import MAX_VERDICTS
from langc.compiler.policy import Policy
from langc.compiler.tokens.characters.code_points import Flags
from langc.compiler.tokens.tables import TokenTables, build_tables, walk_table
from langc.compiler.tokens.trie import IntArray
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import SCALARS


@dataclass(frozen=True)
class Verdicts:
    """Masks over ids, bool [size]; ids that are no text, and text that is never well-formed, are in none."""

    never: Flags
    always: Flags
    dynamic: Flags


def verdicts(policy: Policy, vocabulary: Vocabulary) -> Verdicts | None:
    """The verdicts of a policy, taken as a hard one; None if its places are too many to visit (`MAX_VERDICTS`).

    Raises PolicyError and LimitError as `build_tables` does.
    """
    tables = build_tables(Policy(policy.lowered), vocabulary)
    allowed = np.zeros(vocabulary.size, dtype=np.bool_)
    refused = np.zeros(vocabulary.size, dtype=np.bool_)
    total = 0
    for state_allows, well_formed in _places(tables):
        total += well_formed.size
        if total > MAX_VERDICTS:
            return None
        refused_here = np.zeros(vocabulary.size, dtype=np.bool_)
        refused_here[well_formed] = True
        refused_here[state_allows] = False
        allowed[state_allows] = True
        refused |= refused_here
    return Verdicts(refused & ~allowed, allowed & ~refused, allowed & refused)


def _places(tables: TokenTables) -> Iterator[tuple[IntArray, IntArray]]:
    """For each place: the ids that are allowed there, and those that are well-formed there."""
    reader = lower_to_bytes(universal(SCALARS))
    table = walk_table(harden(reader))

    @cache
    def readable(state: int) -> tuple[IntArray, IntArray]:
        """Ids in ascending order, and the reader's states behind them."""
        ids, ends = tables.trie.walk(table, state)
        order = np.argsort(ids)
        return ids[order], ends[order]

    queue = [(tables.start, reader.start)]
    seen = set(queue)
    for state, reading in queue:
        edges = tables.edges(state)
        ids, ends = readable(reading)
        yield edges.ids, ids
        behind = ends[np.searchsorted(ids, edges.ids)]
        pairs = np.unique(np.stack([edges.targets, behind]), axis=1)
        fresh = [pair for pair in map(tuple, pairs.T.tolist()) if pair not in seen]
        seen.update(fresh)
        queue += fresh
