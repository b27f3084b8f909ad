"""How much of a text that is still being read can become part of a violation.

The text could have ended at its *settled* places: it is permitted up to there, or the policy started afresh there. A
violation begins at the last settled place, or, if it is a phrase, where its occurrence began. So up to the last settled
place that is not behind the beginning of an occurrence in progress the text is safe.

Invariant: what is safe depends on the text so far and not on how it came, and never becomes less. An occurrence that is
complete but may be in a region that closes, or be barred by what follows, stays in progress until the text could end
again.
"""

from __future__ import annotations

import sys
from collections import deque
from functools import lru_cache

from langc.compiler.automata.phrases import ROOT, Trie, build_tries
from langc.compiler.ir.nodes import RuleKind
from langc.compiler.policy import Policy

_KINDS = (RuleKind.DENY, RuleKind.STOP_BEFORE)
_ASKED = 1 << 14
"""Characters that are remembered to begin an occurrence, or not to."""
_NEVER = sys.maxsize

Threads = dict[int, int]
"""Nodes of a trie in progress, each with where the first occurrence began that is there."""


class HeldText:
    """The settled places of one text, by their offsets in code points. It is read in pieces, each from a `base` on."""

    def __init__(self, policy: Policy) -> None:
        self.settled = 0
        """The last settled place."""
        self._bound = 0
        """The same, or one before it where an occurrence begins that is complete and may yet be a violation."""
        self._occurrences = _Occurrences(policy)
        self._gaps: deque[tuple[int, int]] = deque()
        """The settled places on both sides of stretches without any, as far back as occurrences in progress reach."""

    def settle(self, first: int, last: int) -> None:
        """The text could end at every place from `first` to `last`."""
        if first > self.settled + 1:
            self._gaps.append((self.settled, first))
        self.settled = self._bound = last

    def unsettle(self, place: int, piece: str, base: int) -> None:
        """The text could not end at `place`, in the piece or at its end."""
        if self.settled == place - 1:
            self._occurrences.read(piece, base, place)
            self._bound = self.settled_before(self._occurrences.complete())

    def break_off(self, start: int, end: int, is_sure: bool) -> int:
        """The policy starts afresh behind a violation from `start` to `end`; what could have been a text before it.

        Unless it `is_sure` what broke it, occurrences that are complete are taken for part of the violation.
        """
        settled = self.settled_before(start, is_sure)
        self._gaps.clear()
        self._occurrences.restart(end)
        self.settled = self._bound = end
        return settled

    def safe(self, piece: str, base: int) -> int:
        """How much is safe of the text that ends with the piece."""
        length = base + len(piece)
        self._occurrences.read(piece, base, length)
        begun = min(self._occurrences.begun(), length)
        while self._gaps and self._gaps[0][1] <= begun:
            self._gaps.popleft()
        return self.settled_before(begun, is_sure=False)

    def settled_before(self, place: int, is_sure: bool = True) -> int:
        """The last settled place up to `place`; see `break_off`."""
        found = self.settled
        if place < found:
            found = next((first for first, last in self._gaps if first < place < last), place)
        return found if is_sure else min(found, self._bound)


class _Occurrences:
    """The occurrences of denied phrases that are in progress, from where the policy started afresh on.

    While a delimiter may be in progress, so are the occurrences before it: the border would be their boundary.
    """

    def __init__(self, policy: Policy) -> None:
        scopes = ((*ir.rules, *(r for region in ir.regions for r in region.rules)) for ir in policy.lowered.scopes)
        self._tries = build_tries(p for scope in scopes for r in scope if r.kind in _KINDS for p in r.phrases)
        self._can_begin = lru_cache(_ASKED)(lambda symbol: any(_can_begin(t, symbol) for t in self._tries))
        self._delimiters = {d[:size] for d in policy.markers for size in range(1, len(d))}
        self._longest = max(map(len, self._delimiters), default=0)
        self.restart(0)

    def restart(self, place: int) -> None:
        """Nothing reaches back behind a place."""
        self._place = place
        self._tail = ""
        """The last characters: one for the boundary, and as many as a delimiter in progress can have."""
        self._threads: list[Threads] = [{} for _ in self._tries]
        self._begun: deque[int] = deque([_NEVER], self._longest + 1)
        """Where the first in progress began, at each of the last places."""

    def read(self, piece: str, base: int, place: int) -> None:
        """Go on to a place in a piece or at its end."""
        if not self._tries:
            return
        for character in piece[self._place - base : place - base]:
            symbol = ord(character)
            if self._can_begin(symbol) or any(self._threads):
                pairs = zip(self._tries, self._threads, strict=True)
                self._threads = [self._after(trie, threads, symbol) for trie, threads in pairs]
            starts = (start for threads in self._threads for node, start in threads.items() if node != ROOT)
            self._begun.append(min(starts, default=_NEVER))
            self._tail = self._tail[-self._longest :] + character if self._longest else character
            self._place += 1

    def complete(self) -> int:
        """Where the first began of those that are complete; past any text without one."""
        pairs = zip(self._tries, self._threads, strict=True)
        starts = (start for trie, threads in pairs for node, start in threads.items() if node in trie.ends)
        return min(starts, default=_NEVER)

    def begun(self) -> int:
        """Where the first began; past any text without one."""
        sizes = (size for size in range(1, len(self._begun)) if self._tail[-size:] in self._delimiters)
        return min(self._begun[-1], *(self._begun[-1 - size] for size in sizes), _NEVER)

    def _after(self, trie: Trie, threads: Threads, symbol: int) -> Threads:
        """Behind one more character. An occurrence begins with a character that counts."""
        atoms = trie.folding.atoms(symbol)
        if not self._tail or ord(self._tail[-1]) not in trie.left_bars:
            threads = {**threads, ROOT: self._place}
        if not atoms:
            return {node: self._place + 1 if node == ROOT else start for node, start in threads.items()}
        found: Threads = {}
        for node, start in threads.items():
            if (after := trie.step(node, atoms)) is not None:
                found[after] = min(start, found.get(after, start))
        return found


def _can_begin(trie: Trie, symbol: int) -> bool:
    atoms = trie.folding.atoms(symbol)
    return not atoms or trie.step(ROOT, atoms) is not None
