"""Token tables of a policy with very many denied phrases: the tables without them, and the phrases beside.

Invariant: as for `TokenTables`, an allowed token leads to a place from which the text can be finished. The product of
the two is never built: a state is a pair that some text has led to, and its number spells the pair out. So nothing has
to be kept for a number to mean something, however long texts become; what is kept is forgotten when it is too much.

Between two characters the row of a state is the row of its part without occurrences in progress, which is made once,
less what each occurrence refuses. Inside a character few tokens are allowed, and those are read that may end a phrase.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.phrase_reader import Begun, PhraseReader
from langc.compiler.automata.phrases import ROOT
from langc.compiler.ir.phrases import Phrase
from langc.compiler.tokens.phrases.refusals import Refusals
from langc.compiler.tokens.phrases.token_texts import TokenTexts
from langc.compiler.tokens.phrases.ways import MANY_ATOMS, Pair, Ways
from langc.compiler.tokens.rows import Remembered
from langc.compiler.tokens.tables import Edges, TokenTables

Mask = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.integer]
ROWS_KEPT = 128
STATES_KEPT = 1 << 14
"""States, and those of the phrases, that are remembered."""
_WIDTH = 32
"""Bits of each part of a number."""
_LOW = (1 << _WIDTH) - 1


class PhraseTables:
    """What a `TokenMachine` runs on."""

    def __init__(self, base: TokenTables, phrases: tuple[Phrase, ...]) -> None:
        self.base, self.phrases = base, phrases
        self.size, self.eos_ids = base.size, base.eos_ids
        self.costs, self.end_levels = base.costs[:1], np.zeros(1, dtype=np.int32)  # nothing costs
        self.reader = PhraseReader(phrases)
        self._refusals = Refusals(self.reader, TokenTexts.of(base.trie), base.size)
        self._ways = Ways(base, self._refusals)
        self._ways.prepare(base.start)
        sizes = [trie.size for trie in self.reader.tries]
        self._first = [sum(sizes[:number]) + 1 for number in range(len(sizes))]
        """For each trie what is added to its nodes, so that all nodes are numbered from 1."""
        self._pair = Remembered(self._decoded, STATES_KEPT)
        self._number = Remembered(self._encoded, STATES_KEPT)
        self._plain = lru_cache(ROWS_KEPT)(self._row_without_occurrences)
        self._risky = lru_cache(ROWS_KEPT)(self._risky_from)
        self._ending = lru_cache(STATES_KEPT)(self._atoms_that_end)
        self.start = self._number(Pair(base.start, self.reader.start, b""))
        self.endable = self.accepting = _Accepting(self)
        for begun in self.reader.starts:  # a text comes to each of these at once
            self._plain(base.start, begun)

    def target(self, state: int, token: int) -> int | None:
        """Where an allowed token leads, None for a refused one."""
        after = self._ways.after(self._known(state), token)
        return None if after is None or not self._ways.lives(after) else self._number(after)

    def edges(self, state: int) -> Edges:
        """The allowed tokens. Where they lead is not found out for all of them: `targets` is −1."""
        ids = np.flatnonzero(self.mask(state)).astype(np.int32)
        return Edges(ids, np.full(len(ids), -1, dtype=np.int32), np.zeros(len(ids), dtype=np.int32))

    def mask(self, state: int) -> Mask:
        """bool [size]: the allowed tokens."""
        pair = self._known(state)
        if pair.rest:
            row = self._base_row(pair.base)
            return self._read(pair, row, self._doubtful_inside(pair))
        begun, threads = self.reader.states[pair.phrases]
        row = self._plain(pair.base, begun).copy()
        for bars in self.reader.bars(pair.phrases):
            row &= self._refusals.barring(bars)
        for thread in threads:
            row[self._refusals.carried(thread).refused] = False
        return self._read(pair, row, self._doubtful(pair)) if threads else row

    def without_occurrences(self, state: int) -> int:
        """The state with nothing in progress, whose mask has all tokens of this one's; itself inside a character."""
        pair = self._known(state)
        if pair.rest:
            return state
        return self._number(pair._replace(phrases=self.reader.fresh(self.reader.states[pair.phrases][0])))

    def plain_states(self) -> list[int]:
        """The states at the start of the tables with nothing in progress, the first one among them."""
        return [self._number(Pair(self.base.start, self.reader.fresh(b), b"")) for b in self.reader.starts]

    def ends(self, state: int) -> bool:
        """Whether the text may end."""
        return self._ways.ends(self._known(state))

    def _known(self, state: int) -> Pair:
        """The pair of a state. No pair from before a call of this may be used behind it."""
        if len(self.reader.states) > STATES_KEPT:
            self.reader.forget()
            for memory in (self._ways, self._pair, self._number):
                memory.forget()
        return self._pair(state)

    def _encoded(self, pair: Pair) -> int:
        """The base, the unfinished character behind a 1, what may begin, and the nodes of occurrences in progress."""
        begun, threads = self.reader.states[pair.phrases]
        code = 0
        for node in sorted(self._first[trie] + node for trie, node in threads):
            code = code << _WIDTH | node
        code = code << len(self._first) | sum(1 << trie for trie in begun)
        return (code << _WIDTH | int.from_bytes(b"\1" + pair.rest, "big")) << _WIDTH | pair.base

    def _decoded(self, state: int) -> Pair:
        base, state = state & _LOW, state >> _WIDTH
        rest, state = (state & _LOW).to_bytes(4, "big").lstrip(b"\0")[1:], state >> _WIDTH
        begun = frozenset(trie for trie in range(len(self._first)) if state >> trie & 1)
        state >>= len(self._first)
        threads = set()
        while state:
            trie = bisect_right(self._first, state & _LOW) - 1
            threads.add((trie, (state & _LOW) - self._first[trie]))
            state >>= _WIDTH
        return Pair(base, self.reader.number(begun, frozenset(threads)), rest)

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

    def _doubtful_inside(self, pair: Pair) -> Ids:
        """Inside a character: all tokens but those that complete one which ends no phrase, and leads on."""
        inside = self._ways.inside(pair.base, pair.rest)
        if self.reader.bars(pair.phrases):
            return inside.ids
        doubtful = ~inside.is_plain
        begun, threads = self.reader.states[pair.phrases]
        for trie, node in (*threads, *((trie, ROOT) for trie in begun)):
            atoms = inside.atoms[self.reader.tries[trie].folding]
            doubtful |= (atoms == MANY_ATOMS) | np.isin(atoms, self._ending(trie, node))
        return inside.ids[doubtful]

    def _atoms_that_end(self, trie: int, node: int) -> Ids:
        """The atoms behind which a phrase is complete, but perhaps for its right boundary."""
        of = self.reader.tries[trie]
        return np.array([of.atom[child] for child in of.children(node) if child in of.ends], dtype=np.int64)

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
