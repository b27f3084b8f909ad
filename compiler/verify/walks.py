"""Rows of tokens that lead an engine to every place where its mask may differ from another's.

Invariant: no two walks have the same key, and every walk is permitted, token by token. A key is a place in text: the
state at the last border between characters, and the bytes of the character that was begun since. Two keys may share a
state of the token automaton, and then their masks should be equal; an engine that follows text in its own way has no
such sharing, so each is worth a look.

Every state of the token automaton comes first, by a row that has the fewest bytes; then as many unfinished characters
as are wanted, spread evenly over the states. They are written in single bytes, in longer pieces and behind text in one
token, as far as the vocabulary has such tokens; by turns behind the row of fewest bytes and behind another one into the
same state, for an engine may have more states than the policy, and be where it began behind no text but the empty one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.tables import TokenTables
from langc.compiler.verify.engines.protocol import VocabularyLike

Ints = npt.NDArray[np.int64]
Key = tuple[int, bytes]
"""The state at the last border, and the unfinished bytes behind it."""

_ORDER = np.array([*range(0x61, 0x7B), *range(0x20, 0x61), *range(0x7B, 0x7F), *range(0x80, 0x100), *range(0x20), 0x7F])
"""Bytes by how willingly a walk takes them. NUL is last: some engines end a text at it."""
_BYTE_ORDER: Ints = np.concatenate([_ORDER[_ORDER != 0], [0]])
_LONGER = 4
"""How many further rows lead into a state, where there is room for them."""


@dataclass(frozen=True)
class Walk:
    """One row of tokens."""

    tokens: tuple[int, ...]
    state: int
    """Of the token automaton, where the row ends."""
    key: Key


@dataclass(frozen=True)
class Walks:
    """The walks of one policy over one vocabulary."""

    rows: tuple[Walk, ...]
    reachable: int
    """How many states of the token automaton rows of tokens can reach."""

    @property
    def states(self) -> int:
        """How many states the walks end in."""
        return len({walk.state for walk in self.rows})


def walks(tables: TokenTables, vocabulary: VocabularyLike, most: int) -> Walks:
    """Up to `most` walks, always the same ones."""
    walker = _Walker(tables, vocabulary)
    ways = walker.ways()
    rows = list(islice(ways, most))
    rows += islice(walker.unfinished(ways, most - len(rows)), most - len(rows))
    return Walks(tuple(rows), len(ways))


def further(tables: TokenTables, vocabulary: VocabularyLike, found: Walks, most: int) -> Walks:
    """The same walks and, up to `most`, longer rows into the states that they end in.

    An engine may have more states than the policy, and be another one behind each repetition. These walks have the
    keys of others.
    """
    longer = islice(_Walker(tables, vocabulary).longer(found.rows), max(0, most - len(found.rows)))
    return Walks((*found.rows, *longer), found.reachable)


def unfinished(spelled: bytes) -> bytes:
    """The bytes at the end that begin a character and do not end it; none if there are no such bytes."""
    for length in range(1, min(3, len(spelled)) + 1):
        byte = spelled[-length]
        if byte >= 0xC0:
            return spelled[-length:] if _width(byte) > length else b""
        if byte < 0x80:
            break
    return b""


def _width(lead: int) -> int:
    """How many bytes the character has that a byte begins."""
    return 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)


class _Pieces:
    """The tokens of a vocabulary by what they can do in a walk."""

    def __init__(self, vocabulary: VocabularyLike) -> None:
        self.short: dict[bytes, int] = {}
        """One to three bytes to the first id that writes them."""
        self.glued: dict[bytes, list[tuple[int, bytes]]] = {}
        """Unfinished bytes to the tokens that end in them behind something else: the id and all bytes."""
        for token in range(vocabulary.size):
            spelled = vocabulary.token_bytes(token)
            if 0 < len(spelled) <= 3:
                self.short.setdefault(spelled, token)
            if len(spelled) > 1 and spelled[-1] >= 0x80 and 0 not in spelled:
                tail = unfinished(spelled)
                if tail and tail != spelled:
                    self.glued.setdefault(tail, []).append((token, spelled))
        tails = [*self.short, *self.glued]
        self.written: Ints = np.unique(np.frombuffer(b"".join(tails), np.uint8)).astype(np.int64)
        """The bytes that an unfinished character can have."""
        self.bytes: Ints = np.array([b for b in _BYTE_ORDER.tolist() if bytes([b]) in self.short], np.int64)

    def spell(self, text: bytes, turn: int) -> tuple[int, ...] | None:
        """A row of tokens for up to three bytes; another one each turn where there are several."""
        rows = [row for cut in _CUTS[len(text)] if None not in (row := tuple(map(self.short.get, _cut(text, cut))))]
        return rows[turn % len(rows)] if rows else None  # type: ignore[return-value]  # None was left out


_CUTS: tuple[tuple[tuple[int, ...], ...], ...] = ((), ((1,),), ((1, 1), (2,)), ((1, 1, 1), (3,), (1, 2), (2, 1)))
"""The ways to cut a row of bytes, by its length."""


def _cut(text: bytes, lengths: Sequence[int]) -> Iterator[bytes]:
    for length in lengths:
        yield text[:length]
        text = text[length:]


@lru_cache(maxsize=8)
def _pieces(vocabulary: VocabularyLike) -> _Pieces:
    return _Pieces(vocabulary)


class _Walker:
    def __init__(self, tables: TokenTables, vocabulary: VocabularyLike) -> None:
        self.tables = tables
        self.live = tables.live
        self.after = tables.table[: len(tables.live)] % len(tables.live)
        """int32 [S, 256]; of a soft policy, whatever a byte costs."""
        self.pieces = _pieces(vocabulary)

    def ways(self) -> list[Walk]:
        """A walk into each state, those of the fewest bytes first where the vocabulary has all single bytes."""
        start = self.tables.start
        found = {start: Walk((), start, (start, b""))}
        self._by_bytes(found)
        if len(found) < self._byte_states():
            self._by_tokens(found)
        return list(found.values())

    def _by_bytes(self, found: dict[int, Walk]) -> None:
        queue = list(found)
        order = self.pieces.bytes
        for state in queue:
            targets, first = np.unique(self.after[state, order], return_index=True)
            for target, place in sorted(zip(targets.tolist(), first.tolist(), strict=True), key=lambda pair: pair[1]):
                if self.live[target] and target not in found:
                    byte = bytes([int(order[place])])
                    found[target] = self.then(found[state], self.pieces.short[byte], byte)
                    queue.append(target)

    def _by_tokens(self, found: dict[int, Walk]) -> None:
        """Go on with whole tokens: where single bytes are missing they may lead further."""
        queue = list(found)
        for state in queue:
            edges = self.tables.edges(state)
            targets, first = np.unique(edges.targets[::-1], return_index=True)
            for target, place in zip(targets.tolist(), first.tolist(), strict=True):
                if target not in found:
                    token = int(edges.ids[::-1][place])
                    found[target] = self.then(found[state], token, self.tables.trie.token_bytes(token))
                    queue.append(target)

    def _byte_states(self) -> int:
        """How many living states bytes can reach, whether or not there are tokens for them."""
        seen = {self.tables.start}
        queue = [self.tables.start]
        for state in queue:
            fresh = {t for t in np.unique(self.after[state]).tolist() if self.live[t]} - seen
            seen |= fresh
            queue.extend(sorted(fresh))
        return len(seen)

    def then(self, walk: Walk, token: int, spelled: bytes) -> Walk:
        """The walk with one more token, which must be permitted."""
        state, (border, rest) = walk.state, walk.key
        for byte in spelled:
            state = int(self.after[state, byte])
            rest += bytes([byte])
            if len(rest) == _width(rest[0]):
                border, rest = state, b""
        return Walk((*walk.tokens, token), state, (border, rest))

    def unfinished(self, ways: Sequence[Walk], most: int) -> Iterator[Walk]:
        """Walks to about `most` further places inside characters."""
        borders = [walk for walk in ways if not walk.key[1]]
        seen = {walk.key for walk in ways}
        places = {walk.state: self._places(walk.state, seen) for walk in borders}
        shares = _shares([len(places[walk.state]) for walk in borders], most)
        chosen = [_spread(places[walk.state], share) for walk, share in zip(borders, shares, strict=True)]
        others = self._others(borders)
        missed = 0
        for turn in range(max(map(len, chosen), default=0)):
            for walk, codes in zip(borders, chosen, strict=True):
                if turn < len(codes):
                    before = walk if turn % 4 < 2 else others.get(walk.state, walk)
                    found = self._into(before, _bytes(int(codes[turn])), turn)
                    missed += found is None
                    if found is not None:
                        seen.add(found.key)
                        yield found
        if missed:
            yield from self._behind_text(borders, seen)

    def longer(self, rows: Sequence[Walk]) -> Iterator[Walk]:
        """Up to `_LONGER` further rows into each state, one byte longer than another row each."""
        queue = list(rows)
        seen = {walk.tokens for walk in rows}
        found: dict[int, int] = {}
        order = self.pieces.bytes
        for walk in queue:
            targets, first = np.unique(self.after[walk.state, order], return_index=True)
            for target, place in zip(targets.tolist(), first.tolist(), strict=True):
                if not self.live[target] or found.get(target, 0) >= _LONGER:
                    continue
                byte = bytes([int(order[place])])
                row = self.then(walk, self.pieces.short[byte], byte)
                if row.tokens not in seen:
                    seen.add(row.tokens)
                    found[target] = found.get(target, 0) + 1
                    queue.append(row)
                    yield row

    def _others(self, borders: Sequence[Walk]) -> dict[int, Walk]:
        """Another row into each border state, by one byte out of some border, where there is such a row."""
        known = {walk.state: walk.tokens for walk in borders}
        found: dict[int, Walk] = {}
        for walk in borders:
            targets, first = np.unique(self.after[walk.state, self.pieces.bytes], return_index=True)
            for target, byte in zip(targets.tolist(), self.pieces.bytes[first].tolist(), strict=True):
                if target in known and target not in found:
                    other = self.then(walk, self.pieces.short[bytes([byte])], bytes([byte]))
                    if other.tokens != known[target]:
                        found[target] = other
        return found

    def _places(self, border: int, seen: set[Key]) -> Ints:
        """The unfinished rows of bytes that can follow a border, as numbers (see `_bytes`)."""
        codes, states, found = np.ones(1, np.int64), np.array([border]), []
        for length in (1, 2, 3):
            following = self.pieces.written[_may_come(self.pieces.written, length)]
            after = self.after[states][:, following]
            grown = codes[:, None] << 8 | following
            alive = self.live[after]
            codes, states = grown[alive], after[alive]
            longer = _leads(codes, length) >= (0xC2, 0xE0, 0xF0)[length - 1]
            codes, states = codes[longer], states[longer]
            found.append(codes)
        taken = [int.from_bytes(b"\1" + rest, "big") for state, rest in seen if state == border and rest]
        every: Ints = np.concatenate(found)
        left: Ints = every[~np.isin(every, taken)]
        return left

    def _into(self, walk: Walk, rest: bytes, turn: int) -> Walk | None:
        """The walk, and then an unfinished character; None if no row of tokens was found for it."""
        glued = self.pieces.glued.get(rest, ())
        tries = range(min(len(glued), 3)) if turn % 2 else ()
        for token, spelled in (glued[(turn // 2 + k) % len(glued)] for k in tries):
            found = self._glue(walk, token, spelled)
            if found is not None and found.key == (walk.state, rest):
                return found
        row = self.pieces.spell(rest, turn)
        if row is None:
            return None
        state = walk.state
        for byte in rest:
            state = int(self.after[state, byte])
        return Walk((*walk.tokens, *row), state, (walk.state, rest))

    def _glue(self, walk: Walk, token: int, spelled: bytes) -> Walk | None:
        state = walk.state
        for byte in spelled:
            state = int(self.after[state, byte])
        return self.then(walk, token, spelled) if self.live[state] else None

    def _behind_text(self, borders: Sequence[Walk], seen: set[Key]) -> Iterator[Walk]:
        """Where a character cannot be begun by itself: with the tokens that begin it behind other text."""
        tokens = [pair for pairs in self.pieces.glued.values() for pair in pairs]
        for turn, (token, spelled) in enumerate(tokens):
            found = self._glue(borders[turn % len(borders)], token, spelled)
            if found is not None and found.key not in seen:
                seen.add(found.key)
                yield found


def _may_come(following: Ints, length: int) -> npt.NDArray[np.bool_]:
    """Which bytes can be at a place in an unfinished character, counted from 1."""
    low, high = (0xC2, 0xF4) if length == 1 else (0x80, 0xBF)
    return (low <= following) & (following <= high)


def _leads(codes: Ints, length: int) -> Ints:
    """The first of `length` bytes of each number."""
    return codes >> 8 * (length - 1) & 0xFF


def _bytes(code: int) -> bytes:
    """The bytes of a number: a leading 1, so that none are lost, and then they themselves."""
    return code.to_bytes((code.bit_length() + 7) // 8, "big")[1:]


def _shares(sizes: Sequence[int], total: int) -> list[int]:
    """How much each gives to `total`: the same, as far as it has so much."""
    shares, left = [0] * len(sizes), total
    for done, place in enumerate(sorted(range(len(sizes)), key=lambda k: sizes[k])):
        shares[place] = min(sizes[place], -(-left // (len(sizes) - done)))
        left -= shares[place]
    return shares


def _spread(codes: Ints, count: int) -> Ints:
    """`count` of the numbers at even distances, in an order that begins with a coarse sample."""
    picks = codes[np.arange(count) * len(codes) // max(count, 1)]
    stride = next(s for s in range(max(1, int(count * 0.618)), count + 2) if np.gcd(s, max(count, 1)) == 1)
    spread: Ints = picks[np.arange(count) * stride % max(count, 1)]
    return spread
