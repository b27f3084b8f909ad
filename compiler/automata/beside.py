"""An automaton and very many phrases beside it, read in step: for texts that their product would be too large for.

Invariant: `Beside` reads as the minimal automaton of the product does. A state is the number of a pair that some text
has led to; from all but `DEAD` a permitted text can still be reached.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.automata.phrase_reader import MATCHED, PhraseReader
from langc.compiler.automata.phrases import phrase_letters, phrase_sets
from langc.compiler.ir.phrases import Phrase
from langc.compiler.unicode.intervals import EMPTY_SET, SCALARS, IntervalSet

Pair = tuple[int, int]
"""(state of the automaton, state of the phrases)."""
STEPS_KEPT = 1 << 18


class Reader(Protocol):
    """What reads a text: a `Dfa`, or a `Beside`."""

    @property
    def start(self) -> int:
        """The state of the empty text."""

    @property
    def accepting(self) -> Container[int]:
        """Where a text may end."""

    def step(self, state: int, symbol: int) -> int:
        """The state behind a character, `DEAD` if no permitted text is left."""

    def staying(self, state: int) -> IntervalSet:
        """Characters behind which the state is the same."""


class Beside:
    """A reader of two things in step."""

    def __init__(self, rest: Dfa, phrases: tuple[Phrase, ...]) -> None:
        self._rest, self._phrases = rest, phrases
        self._reader = PhraseReader(phrases)
        self._pairs: list[Pair] = [(DEAD, MATCHED)]
        self._numbers: dict[Pair, int] = {(DEAD, MATCHED): DEAD}
        self.step = lru_cache(STEPS_KEPT)(self._step)
        """The state behind a character, `DEAD` if no permitted text is left."""
        self.start = self._number((rest.start, self._reader.start))
        self.accepting = _Accepting(self)

    def ends(self, state: int) -> bool:
        """Whether a text may end here."""
        return self._may_end(self._pairs[state])

    def staying(self, state: int) -> IntervalSet:
        """Characters behind which the state is the same."""
        rest, phrases = self._pairs[state]
        begun, going = self._reader.states[phrases]
        if going:
            return EMPTY_SET
        found = self._rest.staying(rest) - self._letters
        for number, trie in enumerate(self._reader.tries):
            found = found - trie.left_bars if number in begun else found & trie.left_bars
        return found

    def is_silent(self) -> bool:
        """Whether no text but the empty one is permitted."""
        return not any(self.step(self.start, symbol) for symbol in self._symbols)

    def _step(self, state: int, symbol: int) -> int:
        return self._number(self._after(self._pairs[state], symbol))

    def _after(self, pair: Pair, symbol: int) -> Pair:
        rest = self._rest.step(pair[0], symbol)
        phrases = MATCHED if rest == DEAD else self._reader.step(pair[1], symbol)
        return (DEAD, MATCHED) if phrases == MATCHED else (rest, phrases)

    def _number(self, pair: Pair) -> int:
        if pair not in self._numbers:
            self._numbers[pair] = len(self._pairs) if self._lives(pair) else DEAD
            if self._numbers[pair] != DEAD:
                self._pairs.append(pair)
        return self._numbers[pair]

    def _may_end(self, pair: Pair) -> bool:
        return pair[0] in self._rest.accepting and not self._reader.bars(pair[1])

    def _lives(self, pair: Pair) -> bool:
        """Whether a text leads on to an end: a depth-first search, which mostly ends at once."""
        seen, stack = {pair}, [pair]
        while stack:
            here = stack.pop()
            if self._may_end(here):
                return True
            fresh = dict.fromkeys(p for p in self._beyond(here) if p[0] != DEAD and p not in seen)
            seen.update(fresh)
            stack.extend(fresh)
        return False

    def _beyond(self, pair: Pair) -> Iterator[Pair]:
        """The places behind one character; only one if that is an end."""
        for symbol in self._guesses(pair):
            after = self._after(pair, symbol)
            if after[0] != DEAD and self._may_end(after):
                yield after
                return
        yield from (self._after(pair, symbol) for symbol in self._symbols)

    def _guesses(self, pair: Pair) -> Iterable[int]:
        """Characters that bar what waits, and probably no more."""
        for members, target in self._rest.edges(pair[0]):
            for bars in self._reader.bars(pair[1]):
                members = members & bars
            if members and target != DEAD:
                yield members.ranges[-1][1]

    @cached_property
    def _letters(self) -> IntervalSet:
        return phrase_letters(self._phrases)

    @cached_property
    def _symbols(self) -> list[int]:
        """A character of each class that neither part tells apart."""
        sets = (*self._rest.partition.members, *phrase_sets(self._phrases))
        return [members.first() for members in Partition.of(SCALARS, sets).members]


@dataclass(frozen=True)
class _Accepting(Container[int]):
    reader: Beside

    def __contains__(self, state: object) -> bool:
        return isinstance(state, int) and state != DEAD and self.reader.ends(state)
