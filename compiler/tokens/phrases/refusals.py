"""What the phrases refuse of a vocabulary, as sets of token ids that are put together for a state.

Invariant: in a state between two characters a token completes a phrase iff it is among what `held` refuses of the
boundaries there, or among what `carried` refuses of some occurrence in progress, or not among the `barring` tokens of
some complete phrase that waits for its right boundary.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from operator import and_, itemgetter

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.phrase_reader import MATCHED, Begun, PhraseReader
from langc.compiler.automata.phrases import ROOT, Thread, Trie
from langc.compiler.tokens.phrases.keys import union
from langc.compiler.tokens.phrases.search import Ints, TokenAtoms, TrieSearch, within
from langc.compiler.tokens.phrases.token_texts import IdArray, TokenTexts, characters_from
from langc.compiler.tokens.rows import Remembered
from langc.compiler.unicode.folding import Atoms, Folding
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

Flags = npt.NDArray[np.bool_]
MANY = 4
CHARACTERS_KEPT = 1 << 16
OCCURRENCES_KEPT = 1 << 14
"""Occurrences in progress whose tokens are remembered."""


@dataclass(frozen=True)
class Refused:
    """Ids of tokens."""

    refused: IdArray
    waiting: IdArray
    """Behind these a complete phrase waits for its right boundary."""


@dataclass(frozen=True)
class CarriedOn(Refused):
    """For one occurrence in progress."""

    going: IdArray
    """Behind these it is still in progress."""


class Refusals:
    """The phrases beside the tokens."""

    def __init__(self, reader: PhraseReader, texts: TokenTexts, size: int) -> None:
        self.reader, self.texts, self.size = reader, texts, size
        rows = {f: TokenAtoms.of(texts.texts, f) for f in dict.fromkeys(trie.folding for trie in reader.tries)}
        self._searches = [TrieSearch(trie, rows[trie.folding]) for trie in reader.tries]
        self.held = lru_cache(None)(self._held)
        """What whole phrases in tokens refuse, for the tries that an occurrence can begin in."""
        self._carried_on = lru_cache(OCCURRENCES_KEPT)(self._carried)
        self.barring = lru_cache(None)(self._barring)
        """bool [size]: the tokens that begin with a character that bars a phrase, or are a part of one."""
        self.is_foreign = Remembered(self._is_foreign, CHARACTERS_KEPT)
        """Whether a character can neither begin nor carry on an occurrence."""
        self.is_dropped = Remembered(self._is_dropped, CHARACTERS_KEPT)
        """Whether a character is dropped, so that occurrences stay as they are."""
        self.bars_all = Remembered(self._bars_everything, CHARACTERS_KEPT)
        """Whether a character bars every phrase that may wait."""
        self.can_bar = lru_cache(CHARACTERS_KEPT)(self._can_bar)
        """Whether some character that begins with these bytes is in a set."""
        self.harmless_tokens = lru_cache(None)(self._harmless_tokens)
        """bool [size]: the tokens of such characters alone."""
        for bars in self.all_bars:  # most are asked for sooner or later
            self.barring(bars)
        for number, (trie, search) in enumerate(zip(reader.tries, self._searches, strict=True)):
            search.prepare()
            for node in (*search.leaves.values(), *_crossroads(trie)):
                self.carried((number, node))

    def carried(self, thread: Thread) -> CarriedOn:
        """What an occurrence in progress refuses: where nothing leads on, the same for all of a kind."""
        trie, node = thread
        return self._carried_on((trie, self._searches[trie].representative(node)))

    def _held(self, begun: Begun) -> Refused:
        finds = [s.inside for s in self._searches] + [self._searches[trie].in_front for trie in sorted(begun)]
        unsure = union(f.unsure for f in finds)
        fresh = self.reader.fresh(begun)
        ends = [self.reader.run(fresh, self.texts.texts[place]) for place in unsure.tolist()]
        refused = unsure[[end == MATCHED for end in ends]]
        waiting = unsure[[end != MATCHED and bool(self.reader.bars(end)) for end in ends]]
        return Refused(
            self._ids([refused, *(f.refused for f in finds)]), self._ids([waiting, *(f.waiting for f in finds)])
        )

    def _carried(self, thread: Thread) -> CarriedOn:
        trie, node = thread
        found = self._searches[trie].carried(node)
        read = [self.reader.carries(thread, self.texts.texts[place]) for place in found.unsure.tolist()]
        refused = self._ids([found.refused, found.unsure[read]])
        return CarriedOn(refused, self._ids([found.waiting, found.unsure]), self.texts.ids[found.going])

    def _barring(self, bars: IntervalSet) -> Flags:
        row = np.zeros(self.size, dtype=np.bool_)
        row[self.texts.ids[within(bars, self._leading)]] = True
        row[[f for f in self.texts.fragments.tolist() if self.can_bar(self.texts.bytes_of[f], bars)]] = True
        return row

    @cached_property
    def _leading(self) -> Ints:
        return np.array([ord(text[0]) if text else -1 for text in self.texts.texts], dtype=np.int64)

    def is_harmless(self, character: str, waits: bool) -> bool:
        """Whether a character is foreign; and bars every phrase if some may wait."""
        return self.is_foreign(character) and (not waits or self.bars_all(character))

    def is_idle(self, character: str, waits: bool) -> bool:
        """Whether a character is dropped; and bars every phrase if some may wait."""
        return self.is_dropped(character) and (not waits or self.bars_all(character))

    def _is_foreign(self, character: str) -> bool:
        return all(_is_foreign(folding.atoms(ord(character)), letters) for folding, letters in self._letters)

    def _is_dropped(self, character: str) -> bool:
        return not any(folding.atoms(ord(character)) for folding, _ in self._letters)

    def _bars_everything(self, character: str) -> bool:
        return all(ord(character) in bars for bars in self.all_bars)

    @cached_property
    def _letters(self) -> list[tuple[Folding, set[int]]]:
        return [(trie.folding, set(trie.atom[1:])) for trie in self.reader.tries]

    @cached_property
    def all_bars(self) -> set[IntervalSet]:
        """For each kind of right boundary the characters that bar a phrase."""
        return {bars for trie in self.reader.tries for ends in trie.ends.values() for bars in ends if bars}

    @cached_property
    def common_bars(self) -> IntervalSet:
        """The characters that bar every phrase."""
        return reduce(and_, self.all_bars, SCALARS)

    @cached_property
    def _alphabet(self) -> str:
        """Each character of the tokens once; a set would be walked by each collection of garbage."""
        return "".join(sorted(set().union(*self.texts.texts)))

    def _harmless_tokens(self, waits: bool) -> Flags:
        row = np.zeros(self.size, dtype=np.bool_)
        characters = {c for c in self._alphabet if self.is_harmless(c, waits)}
        whole = [bool(text) and characters.issuperset(text) for text in self.texts.texts]
        row[self.texts.ids[whole]] = True
        row[list(self.texts.rests)] = False
        return row

    def _can_bar(self, rest: bytes, bars: IntervalSet) -> bool:
        return any(_meets(bars, low, high) for low, high in characters_from(rest).ranges)

    def _ids(self, places: Iterable[Ints]) -> IdArray:
        return self.texts.ids[union(places)]


def _crossroads(trie: Trie) -> Iterator[int]:
    """The nodes behind one atom and behind two with many ways on: they take longest, and texts come there at once."""
    near = trie.children(ROOT)
    yield from (n for n in (*near, *(n for m in near for n in trie.children(m))) if len(trie.children(n)) > MANY)


def _meets(members: IntervalSet, low: int, high: int) -> bool:
    """Whether some member lies between two bounds."""
    ranges = members.ranges
    at = bisect_right(ranges, high, key=itemgetter(0)) - 1  # the last range that begins early enough
    return at >= 0 and ranges[at][1] >= low


def _is_foreign(atoms: Atoms, letters: set[int]) -> bool:
    """Whether nothing goes on with a character of these atoms."""
    return bool(atoms) and not letters.issuperset(atoms)
