"""Which phrase has just occurred: for messages about a text that the automaton refuses.

Invariant: a find is an occurrence by the definition of `ir/phrases.py`, the one that began first. Only as many
characters are remembered as `reach` says: an occurrence with more in it than that (a page of blanks, where runs of
blanks are one) is not found, and the message has to do without it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from langc.compiler.automata.phrases import ROOT, Trie, build_tries
from langc.compiler.ir.phrases import Phrase

Owner = TypeVar("Owner", bound=Hashable)


@dataclass(frozen=True)
class Found(Generic[Owner]):
    """An occurrence: whose phrase it is, and where it stands in the text."""

    owner: Owner
    start: int
    end: int


class PhraseFinder(Generic[Owner]):
    """Finds occurrences of phrases, each of which has an owner (a rule)."""

    def __init__(self, phrases: Iterable[tuple[Owner, Phrase]]) -> None:
        self._tries: list[tuple[Owner, Trie]] = []
        by_owner: dict[int, tuple[Owner, list[Phrase]]] = {}  # by identity: the hash of a rule is that of its phrases
        for owner, phrase in phrases:
            by_owner.setdefault(id(owner), (owner, []))[1].append(phrase)
        for owner, found in by_owner.values():
            self._tries += [(owner, trie) for trie in build_tries(found)]

    def ending(self, text: str, after: str) -> Found[Owner] | None:
        """The occurrence that is certain once `after` is read behind `text`: one character, or empty at the end.

        It ends with `text`, where `after` bars it no longer, or it ends with `after`.
        """
        finds = [f for owner, trie in self._tries for f in self._in_trie(owner, trie, text, after)]
        return min(finds, key=lambda f: f.start, default=None)

    def begun(self, text: str) -> int | None:
        """Where the first of the occurrences that are in progress at the end of a text begins."""
        starts = [start for _, trie in self._tries for node, start in _threads(trie, text) if node != ROOT]
        return min(starts, default=None)

    def first_in(self, text: str) -> Owner | None:
        """Whose phrase occurs in the text: of several the one whose occurrence is certain first."""
        return next((f.owner for end in range(len(text)) if (f := self.ending(text[:end], text[end]))), None)

    def _in_trie(self, owner: Owner, trie: Trie, text: str, after: str) -> Iterable[Found[Owner]]:
        threads = _threads(trie, text)
        for node, start in threads:
            for bars in trie.ends.get(node, ()):
                if bars and (not after or ord(after) not in bars):
                    yield Found(owner, start, len(text))
        if after:
            for node, start in _advance(trie, threads, ord(after), len(text), text):
                if any(not bars for bars in trie.ends.get(node, ())):
                    yield Found(owner, start, len(text) + 1)


def reach(phrases: Iterable[Phrase]) -> int:
    """How many characters before a place can matter to any of the phrases; 0 without one."""
    return max((4 * len(phrase.atoms) + 64 for phrase in phrases), default=0)


def _threads(trie: Trie, text: str) -> set[tuple[int, int]]:
    """The (node, start) pairs in progress at the end of a text."""
    threads: set[tuple[int, int]] = set()
    for place, symbol in enumerate(map(ord, text)):
        threads = _advance(trie, threads, symbol, place, text)
    return threads


def _advance(trie: Trie, threads: set[tuple[int, int]], symbol: int, place: int, text: str) -> set[tuple[int, int]]:
    """The (node, start) pairs in progress behind one more character."""
    atoms = trie.folding.atoms(symbol)
    begins = place == 0 or ord(text[place - 1]) not in trie.left_bars
    going = {*threads, (ROOT, place)} if begins else threads
    if not atoms:  # an occurrence that begins here begins with the next character that counts
        return {(node, place + 1 if node == ROOT else start) for node, start in going}
    moved = ((trie.step(node, atoms), start) for node, start in going)
    return {(node, start) for node, start in moved if node is not None}
