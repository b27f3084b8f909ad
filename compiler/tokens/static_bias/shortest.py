"""The shortest text of a language that a row of tokens can spell.

Dijkstra's algorithm (1959) over the states of a byte automaton; an edge is a token, its length the characters that
open in it. A token may begin and end inside characters, so text is counted at its lead bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.soften import harden
from langc.compiler.tokens.characters.code_points import Flags
from langc.compiler.tokens.characters.token_text import Ints, TokenText
from langc.compiler.tokens.tables import walk_table
from langc.compiler.tokens.trie import IntArray, TokenTrie


@dataclass(frozen=True)
class _Tokens:
    text: TokenText
    allowed: Flags
    trie: TokenTrie

    def best(self, table: IntArray, state: int) -> list[tuple[int, int]]:
        """For each state that one token leads to: the state, and the number of the shortest such token."""
        ids, ends = self.trie.walk(table, state)
        numbers = np.searchsorted(self.text.ids, ids)
        kept = self.allowed[numbers]
        numbers, ends = numbers[kept], ends[kept]
        order = np.lexsort((np.arange(len(ends)), self.text.letters[numbers], ends))
        targets, first = np.unique(ends[order], return_index=True)
        return list(zip(targets.tolist(), numbers[order][first].tolist(), strict=True))


def shortest_text(language: Dfa, text: TokenText, allowed: Flags) -> str | None:
    """A text of fewest characters that allowed tokens (bool [n]) spell and a canonical byte automaton accepts.

    None if there is none. Among several of the same length it is always the same one.
    """
    tokens = _Tokens(text, allowed, TokenTrie.build(_table_of(text)))
    table = walk_table(harden(language))
    heap: list[tuple[int, bytes, int]] = [(0, b"", language.start)]
    done: set[int] = {DEAD}
    while heap:
        letters, spelled, state = heappop(heap)
        if state in done:
            continue
        if state in language.accepting:
            return spelled.decode()
        done.add(state)
        for target, number in tokens.best(table, state):
            if target not in done:
                heappush(heap, (letters + int(text.letters[number]), spelled + text.token(number), target))
    return None


def _table_of(text: TokenText) -> dict[int, bytes]:
    ids: Ints = text.ids
    return {int(token): text.token(number) for number, token in enumerate(ids)}
