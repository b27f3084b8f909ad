"""Denied phrases read a character at a time, states made as they are met: for sets too large to be built out.

Invariant: `step` follows the definition of `ir/phrases.py`, exactly as `automata/phrases.py` does. A state is a small
number; equal numbers have equal futures, and `MATCHED` (0) means that a phrase has occurred and nothing can undo it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from langc.compiler.automata.partition import Partition
from langc.compiler.automata.phrases import ROOT, Thread, build_tries
from langc.compiler.ir.phrases import Phrase
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

MATCHED = 0
STEPS_KEPT = 1 << 18
Threads = frozenset[Thread]
"""Every occurrence in progress, but for those that `Begun` has too."""
Begun = frozenset[int]
"""The tries that an occurrence can begin in here."""


class PhraseReader:
    """The phrases, and the states that texts have led to so far."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self.tries = build_tries(phrases)
        self.step = lru_cache(STEPS_KEPT)(self._step)
        """The state behind one character."""
        self._begun_behind = lru_cache(STEPS_KEPT)(self._begun_at)
        self.forget()

    def forget(self) -> None:
        """Begin to number anew: no state from before means anything any longer."""
        self.states: list[tuple[Begun, Threads]] = [(frozenset(), frozenset())]
        self._numbers: dict[tuple[Begun, Threads], int] = {}
        self.step.cache_clear()
        self.start = self.fresh(frozenset(range(len(self.tries))))

    def fresh(self, begun: Begun) -> int:
        """The state with nothing in progress."""
        return self.number(begun, frozenset())

    def run(self, state: int, text: str) -> int:
        """The state behind a text, `MATCHED` as soon as a phrase has occurred."""
        for character in text:
            state = self.step(state, ord(character))
            if state == MATCHED:
                break
        return state

    def bars(self, state: int) -> list[IntervalSet]:
        """For each phrase that is complete but for its right boundary, the characters that would still bar it."""
        return [bars for thread in self.states[state][1] for bars in self._ends(thread)]

    def carries(self, thread: Thread, text: str) -> bool:
        """Whether a text completes an occurrence in progress."""
        return self.inherited(frozenset((thread,)), text) is None

    def inherited(self, threads: Threads, text: str) -> Threads | None:
        """Where occurrences in progress are behind a text, no new ones begun; None if a phrase is complete."""
        for symbol in map(ord, text):
            if any(symbol not in bars for thread in threads for bars in self._ends(thread)):
                return None
            after = self._advanced(threads, symbol)
            if after is None:
                return None
            threads = after
        return threads

    def _step(self, state: int, symbol: int) -> int:
        begun, threads = self.states[state]
        if any(symbol not in bars for bars in self.bars(state)):
            return MATCHED
        after = self._advanced(threads | {(trie, ROOT) for trie in begun}, symbol)
        if after is None:
            return MATCHED
        begun = self._begun_behind(symbol)
        return self.number(begun, after - {(trie, ROOT) for trie in begun})

    def _advanced(self, threads: Iterable[Thread], symbol: int) -> Threads | None:
        after = frozenset(self._moved(threads, symbol))
        return None if any(not bars for thread in after for bars in self._ends(thread)) else after

    def _moved(self, threads: Iterable[Thread], symbol: int) -> Iterator[Thread]:
        for trie, node in threads:
            following = self.tries[trie].step(node, self.tries[trie].folding.atoms(symbol))
            if following is not None:
                yield trie, following

    def _ends(self, thread: Thread) -> Sequence[IntervalSet]:
        trie, node = thread
        return self.tries[trie].ends.get(node, ())

    def _begun_at(self, symbol: int) -> Begun:
        return frozenset(n for n, trie in enumerate(self.tries) if symbol not in trie.left_bars)

    def number(self, begun: Begun, threads: Threads) -> int:
        """The number of a state."""
        key = (begun, threads)
        if key not in self._numbers:
            self._numbers[key] = len(self.states)
            self.states.append(key)
        return self._numbers[key]

    @cached_property
    def starts(self) -> list[Begun]:
        """Every set of tries that an occurrence can begin in behind some character, or at the start of the text."""
        kinds = Partition.of(SCALARS, dict.fromkeys(trie.left_bars for trie in self.tries)).members
        everything = frozenset(range(len(self.tries)))
        return list(dict.fromkeys((everything, *(self._begun_behind(members.first()) for members in kinds))))
