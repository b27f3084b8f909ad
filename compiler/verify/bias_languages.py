"""Comparison of a static bias with a policy: what the tokens that it leaves can write, and what they no longer can.

The tokens are the same at every step, so the texts that pass are the rows of allowed tokens, A*, and those that the
vocabulary can spell at all are V*. With L the policy's texts, `over` is a shortest well-formed text of A* outside L,
and `under` one of L and V* outside A*.

* `over` is a shortest path through the complement of the policy's automaton, with tokens for edges.
* `under` needs no path if a single character is lost. If none is, every character that A cannot spell alone, and that
  occurs in texts of L and V*, decides: if A* holds none of them anywhere, a text is lost iff it has one of them, which
  an automaton can say. If it holds some (a vocabulary with ` é` and without `é`), all spellings of a text are followed
  at once, within `MAX_SPELLING_STATES`.

Length is counted in characters. This is the referee of the flags that target logit-bias claims, and shares no code
with the search that it makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

import numpy as np

from langc.compiler.automata.boolean import complement, intersection
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SPELLING_STATES, over_limit
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union
from langc.compiler.verify.readers.bias import BANNED
from langc.compiler.verify.readers.token_bytes import Flags, Ints, TokenBytes, table_of
from langc.compiler.verify.report import Language, Witness
from langc.compiler.verify.spellings import alone, held

Path = tuple[bytes, tuple[int, ...]]
"""A text, and the tokens that spell it."""


def compare_bias(policy: Policy, added: Mapping[int, float], vocabulary: Vocabulary) -> Language:
    """Both differences.

    Under a soft policy a text passes if it costs nothing, so any entry below 0 blocks its token; under a hard one only
    a ban does. Raises LimitError if `under` cannot be decided.
    """
    blocked = {i for i, bias in added.items() if bias == BANNED or (policy.is_soft and bias < 0)}
    return _Bias(policy, vocabulary, frozenset(blocked)).language()


@dataclass(frozen=True)
class _Bias:
    policy: Policy
    vocabulary: Vocabulary
    blocked: frozenset[int]

    def language(self) -> Language:
        over = self._over() if self.can_end else None
        under = self._under() if self.can_end else shortest(lower_to_bytes(self.policy.dfa), self.every)
        notes = [f"{len(strange)} of its ids are not in the vocabulary"] if (strange := self._strange) else []
        return Language(1, _witness(over, "artefact"), _witness(under, "policy"), tuple(notes))

    @property
    def can_end(self) -> bool:
        """Whether a text can come to an end: some end token is left, or nothing is known of any."""
        return not self.vocabulary.eos_ids or not self.vocabulary.eos_ids <= self.blocked

    @property
    def _strange(self) -> list[int]:
        return [i for i in self.blocked if i >= self.vocabulary.size]

    @cached_property
    def every(self) -> TokenBytes:
        """V: all tokens that write text."""
        return TokenBytes.of(dict(enumerate(self.vocabulary.tokens)))

    @cached_property
    def allowed(self) -> TokenBytes:
        """A: those that are left."""
        return self.every.only(~np.isin(self.every.ids, list(self.blocked)))

    def _over(self) -> Path | None:
        return shortest(lower_to_bytes(complement(self.policy.dfa)), self.allowed)

    def _under(self) -> Path | None:
        dfa = self.policy.dfa
        letters = _members(_letters(dfa))
        doubtful = letters[~alone(self.allowed, letters)]
        doubtful = doubtful[held(self.every, doubtful)]
        singles = doubtful[_flags(doubtful, _singles(dfa))]
        lost = singles[alone(self.every, singles)]
        if lost.size:
            return _spelled(chr(int(lost[0])).encode(), self.every)
        if not doubtful.size:
            return None
        left = held(self.allowed, doubtful)
        if left.any():
            text = _search(lower_to_bytes(dfa), _Tokens.of(self.every), _Tokens.of(self.allowed))
            return None if text is None else _spelled(text, self.every)
        return shortest(lower_to_bytes(intersection(dfa, _with_one_of(_set_of(doubtful)))), self.every)


def shortest(dfa: Dfa, tokens: TokenBytes) -> Path | None:
    """A text of fewest characters that a byte automaton accepts and a row of tokens spells, by Dijkstra's algorithm."""
    table, leads = table_of(dfa), tokens.leads
    heap: list[tuple[int, int, bytes, tuple[int, ...], int]] = [(0, 0, b"", (), dfa.start)]
    done = {DEAD}
    while heap:
        letters, size, text, row, state = heappop(heap)
        if state in dfa.accepting:
            return text, row
        if state in done:
            continue
        done.add(state)
        numbers, ends = tokens.walk(table, state)
        order = np.lexsort((numbers, tokens.lengths[numbers], leads[numbers], ends))
        targets, first = np.unique(ends[order], return_index=True)
        for target, number in zip(targets.tolist(), numbers[order][first].tolist(), strict=True):
            if target not in done:
                longer = (letters + int(leads[number]), size + int(tokens.lengths[number]))
                heappush(heap, (*longer, text + tokens.token(number), (*row, int(tokens.ids[number])), target))
    return None


def _letters(dfa: Dfa) -> IntervalSet:
    """The characters that occur in texts of a language."""
    edges = (edge for state in _reachable(dfa) if state in dfa.live for edge in dfa.edges(state))
    return union(label for label, target in edges if target in dfa.live)


def _reachable(dfa: Dfa) -> list[int]:
    found = [dfa.start]
    for state in found:
        found.extend(sorted({t for t in dfa.table[state] if t != DEAD} - set(found)))
    return found


def _singles(dfa: Dfa) -> IntervalSet:
    """The characters that are texts of a language by themselves."""
    return union(label for label, target in dfa.edges(dfa.start) if target in dfa.accepting)


def _with_one_of(members: IntervalSet) -> Dfa:
    """The texts that have a character of a set somewhere in them."""
    partition = Partition.of(SCALARS, [members])
    inside = set(partition.classes_in(members))
    row = tuple(2 if number in inside else 1 for number in range(partition.size))
    return Dfa(partition, ((DEAD,) * partition.size, row, (2,) * partition.size), frozenset({2}), 1)


def _members(members: IntervalSet) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *(np.arange(low, high + 1) for low, high in members.ranges)])


def _flags(characters: Ints, members: IntervalSet) -> Flags:
    """Which of the characters are in a set."""
    bounds = np.array([b for low, high in members.ranges for b in (low, high + 1)], dtype=np.int64)
    found: Flags = np.searchsorted(bounds, characters, side="right") % 2 == 1
    return found


def _set_of(characters: Ints) -> IntervalSet:
    return IntervalSet(tuple((c, c) for c in characters.tolist()))


@dataclass(frozen=True)
class _Tokens:
    """Tokens for a search byte by byte: themselves, and all that one of them begins with."""

    whole: frozenset[bytes]
    beginnings: frozenset[bytes]

    @classmethod
    def of(cls, tokens: TokenBytes) -> _Tokens:
        whole = frozenset(tokens.token(number) for number in range(tokens.size))
        return cls(whole, frozenset(token[:n] for token in whole for n in range(len(token))))

    def follow(self, open_: frozenset[bytes], byte: bytes) -> frozenset[bytes]:
        """What may be unfinished behind one more byte; the empty string where a token may have ended."""
        longer = {rest + byte for rest in open_}
        return frozenset(
            {rest for rest in longer if rest in self.beginnings} | ({b""} if longer & self.whole else set())
        )


def _search(dfa: Dfa, every: _Tokens, allowed: _Tokens) -> bytes | None:
    """A shortest text of the language that `every` spells and `allowed` does not, with all spellings at once."""
    table = table_of(dfa)
    none = frozenset({b""})
    heap = [(0, b"", dfa.start, none, none)]
    seen = set()
    while heap:
        letters, text, state, by_every, by_allowed = heappop(heap)
        if (state, by_every, by_allowed) in seen:
            continue
        seen.add((state, by_every, by_allowed))
        if state in dfa.accepting and b"" in by_every and b"" not in by_allowed:
            return text
        if len(seen) > MAX_SPELLING_STATES:
            raise LimitError(over_limit("ways to spell a text", MAX_SPELLING_STATES))
        for byte in np.flatnonzero(table[state]).tolist():
            piece = bytes([byte])
            after = every.follow(by_every, piece)
            if after:
                more = letters + (byte & 0xC0 != 0x80)
                heappush(heap, (more, text + piece, int(table[state, byte]), after, allowed.follow(by_allowed, piece)))
    return None


def _spelled(text: bytes, tokens: TokenBytes) -> Path:
    """A text with a row of tokens that spells it, of as few as can be."""
    ids = {tokens.token(n): int(tokens.ids[n]) for n in _parts_of(text, tokens)}
    rows: dict[int, tuple[int, ...]] = {0: ()}
    for end in range(1, len(text) + 1):
        ways = [(*rows[start], ids[text[start:end]]) for start in rows if text[start:end] in ids]
        if ways:
            rows[end] = min(ways, key=len)
    return text, rows[len(text)]


def _parts_of(text: bytes, tokens: TokenBytes) -> Iterator[int]:
    """The numbers of the tokens that stand in a text."""
    for number in np.flatnonzero(tokens.lengths <= len(text)).tolist():
        if tokens.token(number) in text:
            yield number


def _witness(path: Path | None, passes: str) -> Witness | None:
    return None if path is None else Witness(path[0], passes, path[1])
