"""Whether tokens lead on to an end beside phrases: what `live` is to `TokenTables`.

Almost always some character that no phrase has leads on, whatever was read before; that is known for each state of the
tables alone. Only where there is none the product of tables and phrases is searched, up to the first end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from langc.compiler.automata.phrase_reader import MATCHED
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_PHRASE_STEPS, over_limit
from langc.compiler.tokens.phrases.refusals import Flags, Refusals
from langc.compiler.tokens.phrases.search import within
from langc.compiler.tokens.phrases.token_texts import IdArray, characters_from, split
from langc.compiler.tokens.tables import Edges, TokenTables
from langc.compiler.unicode.folding import Atoms, Folding
from langc.compiler.unicode.intervals import IntervalSet

EDGES_KEPT = 64
"""States of the tables whose tokens are remembered."""
PLACES_KEPT = 1 << 16
INSIDE_KEPT = 1 << 12
NO_ATOM, MANY_ATOMS = -1, -2
PLACES_TRIED = 1024
"""Places that are looked at for a way along characters that no phrase has."""


Place = tuple[int, bytes]
"""A state of the tables, and the bytes of an unfinished character."""


class Pair(NamedTuple):
    """A state of the tables, one of the phrases, and the bytes of an unfinished character."""

    base: int
    phrases: int
    rest: bytes


@dataclass(frozen=True)
class Inside:
    """The tokens of a place inside a character, by id. Arrays [n]."""

    ids: IdArray
    is_plain: Flags
    """Which complete the character and no more, and lead on whatever is in progress, if no phrase waits or ends."""
    atoms: Mapping[Folding, IdArray]
    """What the first character is for phrases: its only atom, `NO_ATOM`, or `MANY_ATOMS`."""


class Ways:
    """The product of tables and phrases, one step at a time."""

    def __init__(self, base: TokenTables, refusals: Refusals) -> None:
        self.base, self.refusals, self.reader = base, refusals, refusals.reader
        self.edges = lru_cache(EDGES_KEPT)(base.edges)
        """The tokens that the tables alone allow."""
        self.is_sure = lru_cache(PLACES_KEPT)(self._is_sure)
        """Whether an end is within reach of a state of the tables, with the bytes of an unfinished character, whatever
        occurrences are in progress; `waits` says that some may be complete but for their right boundaries."""
        self.inside = lru_cache(INSIDE_KEPT)(self._inside)
        """The tokens of a state of the tables and the bytes of an unfinished character."""
        self._found: tuple[dict[Place, bool], dict[Place, bool]] = ({}, {})
        """Whether places are sure, without and with occurrences that wait, as far as it was found out."""
        self._can_complete = lru_cache(PLACES_KEPT)(self._completes_one_of)
        """Whether the tables let an unfinished character become one of a set."""
        self._lives = lru_cache(PLACES_KEPT)(self._search)

    def _inside(self, base: int, rest: bytes) -> Inside:
        edges, bytes_of = self.edges(base), self.refusals.texts.bytes_of
        spelled = [split(rest + bytes_of[token]) for token in edges.ids.tolist()]
        sure = {t for t in dict.fromkeys(edges.targets.tolist()) if self.is_sure(t, b"", False)}
        is_plain = [
            len(text) == 1 and not left and target in sure
            for (text, left), target in zip(spelled, edges.targets.tolist(), strict=True)
        ]
        foldings = dict.fromkeys(trie.folding for trie in self.reader.tries)
        atoms = {f: np.array([_only(f.atoms(ord(text[:1] or "\0"))) for text, _ in spelled]) for f in foldings}
        return Inside(edges.ids, np.array(is_plain, dtype=np.bool_), atoms)

    def prepare(self, base: int) -> None:
        """Find out what will be asked for where tokens end inside a character, from a state between two."""
        edges, rests = self.edges(base), self.refusals.texts.rests
        places = {(target, rests[t]) for t, target in _pairs(edges, slice(None)) if t in rests}
        for place in sorted(places):
            self.inside(*place)
            for bars in self.refusals.all_bars:
                if self.refusals.can_bar(place[1], bars):
                    self._can_complete(*place, bars)

    def forget(self) -> None:
        """What is known of pairs: the reader begins to number anew."""
        self._lives.cache_clear()

    def after(self, pair: Pair, token: int) -> Pair | None:
        """The place behind a token; None if the tables refuse it, or a phrase is complete or cannot be barred."""
        base = self.base.target(pair.base, token)
        if base is None:
            return None
        text, rest = split(pair.rest + self.refusals.texts.bytes_of[token])
        phrases = self.reader.run(pair.phrases, text)
        bars = self.reader.bars(phrases) if rest else ()
        can_bar = phrases != MATCHED and all(self.refusals.can_bar(rest, each) for each in bars)
        return Pair(base, phrases, rest) if can_bar else None

    def ends(self, pair: Pair) -> bool:
        """Whether the text may end here: the end is a right boundary."""
        return pair.base in self.base.accepting and not self.reader.bars(pair.phrases)

    def lives(self, pair: Pair) -> bool:
        """Whether some tokens lead on to an end, or this is one."""
        return self._is_settled(pair) or (self._may_be_barred(pair) and self._lives(pair))

    def _is_settled(self, pair: Pair) -> bool:
        return self.is_sure(pair.base, pair.rest, bool(self.reader.bars(pair.phrases)))

    def _may_be_barred(self, pair: Pair) -> bool:
        """Whether the tables let the unfinished character become one that bars each phrase that waits."""
        waiting = self.reader.bars(pair.phrases) if pair.rest else ()
        return all(self._can_complete(pair.base, pair.rest, bars) for bars in waiting)

    def _completes_one_of(self, base: int, rest: bytes, members: IntervalSet) -> bool:
        """Byte by byte: tokens can do no more."""
        possible = characters_from(rest)
        if not possible & members:
            return False
        missing = (2 if rest[0] < 0xE0 else 3 if rest[0] < 0xF0 else 4) - len(rest)
        states, points = np.array([base]), np.array([possible.first() >> 6 * missing])
        for _ in range(missing):
            states = self.base.table[states, 0x80:0xC0].ravel()
            points = (points[:, None] << 6 | np.arange(64)).ravel()[states != 0]
            states = states[states != 0]
        return bool(within(members, points).any())

    def _search(self, pair: Pair) -> bool:
        """Raises LimitError where it takes too long to find out."""
        seen, stack, steps = {pair}, [pair], 0
        while stack:
            here = stack.pop()
            tokens = self.edges(here.base).ids.tolist()
            steps += len(tokens)
            if steps > MAX_PHRASE_STEPS:
                raise LimitError(over_limit("tokens read in search of an end beside the phrases", MAX_PHRASE_STEPS))
            for token in tokens:
                after = self.after(here, token)
                if after is not None and after not in seen:
                    if self._is_settled(after):
                        return True
                    seen.add(after)
                    stack.append(after)
        return False

    def _is_sure(self, base: int, rest: bytes, waits: bool) -> bool:
        if base in self.base.accepting and not waits:
            return True
        if waits and rest and not self.refusals.can_bar(rest, self.refusals.common_bars):
            return False  # no such character is harmless, or passed over
        seen, stack, found = {(base, rest)}, [(base, rest)], self._found[waits]
        while stack and len(seen) < PLACES_TRIED:
            for place, settles in self._harmless_steps(*stack.pop(), waits):
                if (settles and place[0] in self.base.accepting) or found.get(place):
                    found[base, rest] = True
                    return True
                if place not in seen and place not in found:
                    seen.add(place)
                    stack.append(place)
        if not stack:  # all that they lead to was looked at
            found.update(dict.fromkeys(seen, False))
        return False

    def _harmless_steps(self, base: int, rest: bytes, waits: bool) -> Iterator[tuple[Place, bool]]:
        """Where tokens lead whose whole characters are in no phrase, and whether nothing waits any longer there."""
        edges, texts = self.edges(base), self.refusals.texts
        if rest:
            for token, target in _pairs(edges, slice(None)):
                text, left = split(rest + texts.bytes_of[token])
                harmless = [self.refusals.is_harmless(c, waits) for c in text]
                if all(h or self.refusals.is_idle(c, waits) for h, c in zip(harmless, text, strict=True)):
                    yield (target, left), not waits or any(harmless)
            return
        whole = self.refusals.harmless_tokens(waits)[edges.ids]
        yield from (((target, b""), True) for target in np.unique(edges.targets[whole]).tolist())
        fragments = np.isin(edges.ids, texts.fragments)
        yield from (((target, texts.bytes_of[token]), not waits) for token, target in _pairs(edges, fragments))


def _only(atoms: Atoms) -> int:
    return MANY_ATOMS if len(atoms) > 1 else atoms[0] if atoms else NO_ATOM


def _pairs(edges: Edges, chosen: Flags | slice) -> Iterator[tuple[int, int]]:
    return zip(edges.ids[chosen].tolist(), edges.targets[chosen].tolist(), strict=True)
