"""Token tables of a policy with very many denied phrases: the tables without them, and the phrases beside.

Invariant: as for `TokenTables`, an allowed token leads to a place from which the text can be finished. The product of
the two is never built: a state is a pair that some text has led to.

Between two characters the row of a state is the row of its part without occurrences in progress, which is made once,
less what each occurrence refuses. Inside a character few tokens are allowed, and each is read.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.phrase_reader import Begun, PhraseReader
from langc.compiler.ir.phrases import Phrase
from langc.compiler.tokens.phrase_refusals import Refusals
from langc.compiler.tokens.phrase_ways import Pair, Ways
from langc.compiler.tokens.tables import Edges, TokenTables
from langc.compiler.tokens.token_texts import TokenTexts

Mask = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.integer]
ROWS_KEPT = 128


class PhraseTables:
    """What a `TokenMachine` runs on."""

    def __init__(self, base: TokenTables, phrases: tuple[Phrase, ...]) -> None:
        self.base, self.phrases = base, phrases
        self.size, self.eos_ids = base.size, base.eos_ids
        self.costs, self.end_levels = base.costs[:1], np.zeros(1, dtype=np.int32)  # nothing costs
        self.reader = PhraseReader(phrases)
        self._refusals = Refusals(self.reader, TokenTexts.of(base.trie), base.size)
        self._ways = Ways(base, self._refusals)
        self.pairs: list[Pair] = []
        self._numbers: dict[Pair, int] = {}
        self._plain = lru_cache(ROWS_KEPT)(self._row_without_occurrences)
        self._risky = lru_cache(ROWS_KEPT)(self._risky_from)
        self.start = self._number(Pair(base.start, self.reader.start, b""))
        self.endable = self.accepting = _Accepting(self)

    def target(self, state: int, token: int) -> int | None:
        """Where an allowed token leads, None for a refused one."""
        after = self._ways.after(self.pairs[state], token)
        return None if after is None or not self._ways.lives(after) else self._number(after)

    def edges(self, state: int) -> Edges:
        """The allowed tokens. Where they lead is not found out for all of them: `targets` is the state itself."""
        ids = np.flatnonzero(self.mask(state)).astype(np.int32)
        return Edges(ids, np.full(len(ids), state, dtype=np.int32), np.zeros(len(ids), dtype=np.int32))

    def mask(self, state: int) -> Mask:
        """bool [size]: the allowed tokens."""
        pair = self.pairs[state]
        if pair.rest:
            row = self._base_row(pair.base)
            return self._read(pair, row, np.flatnonzero(row))
        begun, threads = self.reader.states[pair.phrases]
        row = self._plain(pair.base, begun).copy()
        for bars in self.reader.bars(pair.phrases):
            row &= self._refusals.barring(bars)
        for thread in threads:
            row[self._refusals.carried(thread).refused] = False
        return self._read(pair, row, self._doubtful(pair)) if threads else row

    def ends(self, state: int) -> bool:
        """Whether the text may end."""
        return self._ways.ends(self.pairs[state])

    def _number(self, pair: Pair) -> int:
        if pair not in self._numbers:
            self._numbers[pair] = len(self.pairs)
            self.pairs.append(pair)
        return self._numbers[pair]

    def _base_row(self, base: int) -> Mask:
        return _flags(self._ways.edges(base).ids, self.size)

    def _row_without_occurrences(self, base: int, begun: Begun) -> Mask:
        held = self._refusals.held(begun)
        row = self._base_row(base)
        row[held.refused] = False
        doubtful = self._risky(base, False) | (self._risky(base, True) & _flags(held.waiting, self.size))
        return self._read(Pair(base, self.reader.fresh(begun), b""), row, np.flatnonzero(doubtful))

    def _doubtful(self, pair: Pair) -> Ids:
        """The tokens behind which the occurrences in progress may leave no way to an end."""
        begun, threads = self.reader.states[pair.phrases]
        if not self._risky(pair.base, True).any():
            return np.zeros(0, dtype=np.int32)
        carried = [self._refusals.carried(thread) for thread in threads]
        going = np.concatenate([c.going for c in carried])
        held = _flags(self._refusals.held(begun).waiting, self.size)
        waiting = np.concatenate([*(c.waiting for c in carried), going[held[going]]])
        fragments = self._refusals.texts.fragments
        found = ((waiting, True), (going, False), (fragments, bool(self.reader.bars(pair.phrases))))
        return np.concatenate([ids[self._risky(pair.base, waits)[ids]] for ids, waits in found])

    def _risky_from(self, base: int, waits: bool) -> Mask:
        """bool [size]: the tokens behind which phrases may leave no way to an end; some may be waiting there."""
        edges, rests = self._ways.edges(base), self._refusals.texts.rests
        targets, which = np.unique(edges.targets, return_inverse=True)
        is_risky = [not self._ways.is_sure(target, b"", waits) for target in targets.tolist()]
        row = _flags(edges.ids[np.array(is_risky, dtype=np.bool_)[which]], self.size)
        is_unfinished = _flags(np.fromiter(rests, dtype=np.int32), self.size)[edges.ids]
        for token, target in zip(edges.ids[is_unfinished].tolist(), edges.targets[is_unfinished].tolist(), strict=True):
            row[token] = not self._ways.is_sure(target, rests[token], waits)
        return row

    def _read(self, pair: Pair, row: Mask, tokens: Ids) -> Mask:
        """The row with these tokens looked at one by one."""
        for token in tokens[row[tokens]].tolist():
            after = self._ways.after(pair, token)
            row[token] = after is not None and self._ways.lives(after)
        return row


def _flags(ids: Ids, size: int) -> Mask:
    row = np.zeros(size, dtype=np.bool_)
    row[ids] = True
    return row


@dataclass(frozen=True)
class _Accepting(Container[int]):
    tables: PhraseTables

    def __contains__(self, state: object) -> bool:
        return isinstance(state, int) and self.tables.ends(state)
