"""Token tables of a policy with very many denied phrases: the tables without them, and the phrases beside.

Invariant: as for `TokenTables`, an allowed token leads to a place from which the text can be finished. The product of
the two is never built: a state is a pair that some text has led to.

In a state between characters the refused tokens are those that

* hold a whole phrase by themselves: found once for the vocabulary, for each set of left boundaries that can hold;
* complete an occurrence that is in progress: found by following that occurrence down the sorted tokens;
* show that a complete phrase has its right boundary: known from a token's first character.

Inside a character few tokens are allowed, and each is read.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.phrases import ROOT
from langc.compiler.ir.phrases import Phrase
from langc.compiler.tokens.phrase_reader import MATCHED, Begun, PhraseReader, Threads
from langc.compiler.tokens.phrase_search import holders
from langc.compiler.tokens.tables import Edges, TokenTables
from langc.compiler.tokens.token_texts import TokenTexts, split
from langc.compiler.unicode.folding import SPACE, Space
from langc.compiler.unicode.intervals import IntervalSet

Mask = npt.NDArray[np.bool_]
_FEW = 200
"""Tokens of a common beginning that are looked at one by one."""


class Pair(NamedTuple):
    """A state: that of the tables, that of the phrases, and the bytes of an unfinished character."""

    base: int
    phrases: int
    rest: bytes


class PhraseTables:
    """What a `TokenMachine` runs on."""

    def __init__(self, base: TokenTables, phrases: tuple[Phrase, ...], tokens: dict[int, bytes]) -> None:
        self.base, self.phrases = base, phrases
        self.reader = PhraseReader(phrases)
        self.texts = TokenTexts.of(tokens)
        self.size, self.eos_ids = base.size, base.eos_ids
        self.costs, self.end_levels = base.costs[:1], np.zeros(1, dtype=np.int32)  # nothing costs
        self.pairs: list[Pair] = []
        self._numbers: dict[Pair, int] = {}
        self._refused: dict[int, npt.NDArray[np.int32]] = {}
        self._living: dict[Pair, bool] = {}
        self._rows: dict[int, npt.NDArray[np.int32]] = {}
        self.start = self._number(Pair(base.start, self.reader.start, b""))
        self.endable = self.accepting = _Accepting(self)

    def target(self, state: int, token: int) -> int | None:
        """Where an allowed token leads, None for a refused one."""
        after = self._after(self.pairs[state], token)
        return None if after is None or not self._lives(after) else self._number(after)

    def edges(self, state: int) -> Edges:
        """The allowed tokens. Where they lead is not found out for all of them: `targets` is the state itself."""
        ids = np.flatnonzero(self.mask(state)).astype(np.int32)
        return Edges(ids, np.full(len(ids), state, dtype=np.int32), np.zeros(len(ids), dtype=np.int32))

    def mask(self, state: int) -> Mask:
        """bool [size]: the allowed tokens."""
        pair = self.pairs[state]
        row = np.zeros(self.size, dtype=np.bool_)
        allowed = self._base_ids(pair.base)
        if pair.rest:
            row[[t for t in allowed.tolist() if self.target(state, t) is not None]] = True
            return row
        row[allowed] = True
        row[self._refused_at(pair.phrases)] = False
        for token in self._doubtful(pair.phrases):
            row[token] = row[token] and self.target(state, token) is not None
        return row

    # --- single steps ---------------------------------------------------------------------------------------------

    def _after(self, pair: Pair, token: int) -> Pair | None:
        base = self.base.target(pair.base, token)
        if base is None:
            return None
        text, rest = split(pair.rest + self.base.trie.token_bytes(token))
        phrases = self.reader.run(pair.phrases, text)
        return None if phrases == MATCHED else Pair(base, phrases, rest)

    def _number(self, pair: Pair) -> int:
        if pair not in self._numbers:
            self._numbers[pair] = len(self.pairs)
            self.pairs.append(pair)
        return self._numbers[pair]

    def ends(self, state: int) -> bool:
        """Whether the text may end: the end is a right boundary."""
        pair = self.pairs[state]
        return pair.base in self.base.accepting and not self.reader.bars(pair.phrases)

    def _lives(self, pair: Pair) -> bool:
        """Whether some tokens lead on to an end. Only a phrase that waits for its boundary can stand in the way."""
        if pair.base in self.base.accepting and not pair.rest and not self.reader.bars(pair.phrases):
            return True
        if not self.reader.bars(pair.phrases):
            return self._has_way(pair)
        if pair not in self._living:
            self._living[pair] = False  # on a way back to itself there is no end
            self._living[pair] = self._has_way(pair)
        return self._living[pair]

    def _has_way(self, pair: Pair) -> bool:
        seen, stack = {pair}, [pair]
        while stack:
            here = stack.pop()
            if here.base in self.base.accepting and not self.reader.bars(here.phrases):
                return True
            for token in self._base_ids(here.base).tolist():
                after = self._after(here, token)
                if after is not None and after not in seen:
                    if after.base in self.base.accepting and not self.reader.bars(after.phrases):
                        return True
                    seen.add(after)
                    stack.append(after)
        return False

    def _base_ids(self, base: int) -> npt.NDArray[np.int32]:
        if base not in self._rows:
            self._rows[base] = self.base.edges(base).ids
        return self._rows[base]

    # --- refused tokens -------------------------------------------------------------------------------------------

    def _refused_at(self, phrases: int) -> npt.NDArray[np.int32]:
        if phrases not in self._refused:
            begun, threads = self.reader.states[phrases]
            places = [p for p, is_whole in self._continuing(threads) if is_whole]
            held = self._held[begun][0]
            late = [self._not_behind(bars) for bars in self.reader.bars(phrases)]
            self._refused[phrases] = np.concatenate([self.texts.ids[places], held, *late]).astype(np.int32)
        return self._refused[phrases]

    def _doubtful(self, phrases: int) -> list[int]:
        """Tokens at whose end a phrase waits for its right boundary: they are read one by one."""
        begun, threads = self.reader.states[phrases]
        places = [p for p, is_whole in self._continuing(threads) if not is_whole]
        behind = self._unfinished if self.reader.bars(phrases) else []
        return [*self.texts.ids[places].tolist(), *self._held[begun][1], *behind]

    @cached_property
    def _held(self) -> dict[Begun, tuple[npt.NDArray[np.int32], list[int]]]:
        """For each set of boundaries the tokens with a whole phrase in them, and those with one at their end."""
        candidates = np.unique(np.concatenate([holders(t, self.texts.texts) for t in self.reader.tries]))
        found = {}
        for begun in self.reader.starts:
            fresh = self.reader.fresh(begun)
            ends = [(p, self.reader.run(fresh, self.texts.texts[p])) for p in candidates.tolist()]
            whole = self.texts.ids[[p for p, end in ends if end == MATCHED]]
            waiting = self.texts.ids[[p for p, end in ends if end != MATCHED and self.reader.bars(end)]]
            found[begun] = (whole, waiting.tolist())
        return found

    def _continuing(self, threads: Threads) -> Iterator[tuple[int, bool]]:
        """The places of tokens that carry on an occurrence to its end: with its right boundary, or up to there."""
        stack = [("", threads)]
        while stack:
            prefix, going = stack.pop()
            for character in self._next_characters(prefix, going):
                longer = prefix + character
                places = self.texts.beginning(longer.encode())
                after = self.reader.inherited(going, ord(character)) if places else frozenset()
                if after is None:
                    yield from ((place, True) for place in places)
                    continue
                bars = [b for t, n in after for b in self.reader.tries[t].ends.get(n, ())]
                if bars:
                    yield from ((place, self._decided(place, longer, bars)) for place in places)
                if after:
                    stack.append((longer, after))

    def _next_characters(self, prefix: str, threads: Threads) -> set[str]:
        """Characters that some token has behind a prefix; at least those that could continue an occurrence."""
        places = self.texts.beginning(prefix.encode()) if prefix else range(0)
        if 0 < len(places) <= _FEW:
            at = len(prefix)
            return {text[at] for text in map(self.texts.texts.__getitem__, places) if len(text) > at}
        return set(map(chr, self._symbols(threads)))

    def _decided(self, place: int, prefix: str, bars: list[IntervalSet]) -> bool:
        """Whether the character behind the prefix shows that a phrase is complete."""
        behind = self.texts.texts[place][len(prefix) : len(prefix) + 1]
        return bool(behind) and any(ord(behind) not in b for b in bars)

    def _symbols(self, threads: Threads) -> set[int]:
        """The characters of the vocabulary that could continue an occurrence."""
        found: set[int] = set()
        for trie, node in threads:
            by_atom, space = self._by_atom[trie]
            atoms = (*self.reader.tries[trie].go[node], *([SPACE] if space and node != ROOT else []))
            found.update(self._dropped[trie], *(by_atom.get(atom, ()) for atom in atoms))
        return found

    @cached_property
    def _by_atom(self) -> list[tuple[dict[int, list[int]], bool]]:
        """For each trie the characters of the vocabulary by their first atom, and whether blanks run together."""
        found = []
        for trie in self.reader.tries:
            by_atom: dict[int, list[int]] = {}
            for symbol in self._alphabet:
                atoms = trie.folding.atoms(symbol)
                if atoms:
                    by_atom.setdefault(atoms[0], []).append(symbol)
            found.append((by_atom, trie.folding.space is Space.RUN))
        return found

    @cached_property
    def _dropped(self) -> list[list[int]]:
        return [[s for s in self._alphabet if not trie.folding.atoms(s)] for trie in self.reader.tries]

    @cached_property
    def _alphabet(self) -> list[int]:
        return sorted(set(map(ord, set("".join(self.texts.texts)))))

    # --- the character behind a phrase ----------------------------------------------------------------------------

    def _not_behind(self, bars: IntervalSet) -> npt.NDArray[np.int32]:
        """The tokens that begin with a character outside `bars`."""
        if bars not in self._first_outside:
            kinds = {c: ord(c) not in bars for c in {t[:1] for t in self.texts.texts} if c}
            places = [p for p, text in enumerate(self.texts.texts) if text and kinds[text[0]]]
            self._first_outside[bars] = self.texts.ids[places]
        return self._first_outside[bars]

    @cached_property
    def _first_outside(self) -> dict[IntervalSet, npt.NDArray[np.int32]]:
        return {}

    @cached_property
    def _unfinished(self) -> list[int]:
        """The tokens that are the beginning of one character and no more."""
        pairs = zip(self.texts.texts, self.texts.spelled, self.texts.ids.tolist(), strict=True)
        return [token for text, spelled, token in pairs if not text and spelled[0] >= 0xC0]


@dataclass(frozen=True)
class _Accepting(Container[int]):
    tables: PhraseTables

    def __contains__(self, state: object) -> bool:
        return isinstance(state, int) and self.tables.ends(state)
