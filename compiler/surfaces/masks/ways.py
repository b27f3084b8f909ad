"""Ways to an end of a text from any place of it, and how many tokens they have.

A way is looked for lexeme by lexeme, best first (Dijkstra 1959, with an estimate of what is left in front, Hart,
Nilsson and Raphael 1968). The first way that is found is taken; most often none is shorter.

Invariant: what `least` has told of a place does not change while it is remembered, and the places of its way are
remembered with it (`hold`). Where it is n > 0, some token leads to a place where it is n - 1, so that a text which
never takes a token behind which it is larger than what is left comes to an end in time.
"""

from __future__ import annotations

import heapq
import itertools
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SURFACE_WAY_STEPS, over_limit
from langc.compiler.surfaces.masks.heads import ROOT, Nodes

FAR = 1 << 30
"""Bytes or tokens to where nothing leads."""
_SHORTEST_FIRST = 40
"""Texts."""
_HASTE = 2
"""How much more what is left counts than what has been read: less is looked at, and ways may be longer (Pohl 1970)."""
_GREEDY = 500
"""Texts, at least."""
_AGAIN = 8
"""Bytes that count against a place for each other one on its way at the same place in the rules."""
_REMEMBERED = 100_000


class Here(Protocol):
    """A place of a text, byte by byte; see `Config`."""

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""


At = TypeVar("At", bound=Here)


class Told(NamedTuple):
    """What is said of a place."""

    tokens: int
    """How many there are to an end."""
    first: bytes
    """What the first of them writes."""
    then: Hashable
    """The place behind it."""


_AT_END = Told(0, b"", None)


class Generations:
    """A memory in which what has been asked for lately outlives the rest."""

    def __init__(self) -> None:
        self._young: dict[Hashable, Told] = {}
        self._old: dict[Hashable, Told] = {}

    def get(self, here: Hashable) -> Told | None:
        """What was said, if it is remembered."""
        told = self._young.get(here)
        if told is None and (told := self._old.get(here)) is not None:
            self.keep(here, told)
        return told

    def keep(self, here: Hashable, told: Told) -> None:
        """Remember."""
        if len(self._young) >= _REMEMBERED:
            self._old, self._young = self._young, {}
        self._young[here] = told


class _Try(NamedTuple, Generic[At]):
    """A text to be read behind a place."""

    here: At
    text: bytes
    read: bytes
    """All that was read before it, from where the search began."""


class _Waiting(Generic[At]):
    """Places to go on from, how they were come to, and where in the rules that led by; in three orders in turn.

    Those that have least left come first: of equals the latest, or the shortest. The third order has those first whose
    like was not met before, so that a search gets over what is larger for a while.
    """

    def __init__(self) -> None:
        self._orders: list[list[tuple[int, int, int]]] = [[], [], []]
        self._places: dict[int, tuple[At, bytes, tuple[Hashable, ...]]] = {}
        self._met = Counter[Hashable]()
        self._count, self._turn = 0, 0

    def push(self, left: int, here: At, read: bytes, passed: tuple[Hashable, ...]) -> None:
        """Another one, of which so much is left. The last place in the rules is its own."""
        self._count += 1
        self._places[self._count] = here, read, passed
        met = self._met[passed[-1:]]
        self._met[passed[-1:]] += 1
        keys = ((left, -self._count), (left, len(read)), (met, left))
        for order, key in zip(self._orders, keys, strict=True):
            heapq.heappush(order, (*key, self._count))

    def pop(self) -> tuple[At, bytes, tuple[Hashable, ...]] | None:
        """The next one."""
        self._turn = (self._turn + 1) % len(self._orders)
        while self._places:
            found = self._places.pop(heapq.heappop(self._orders[self._turn])[-1], None)
            if found is not None:
                return found
        return None


class Ways(ABC, Generic[At]):
    """Ways from places, in tokens of one trie. What lexemes there are, and when places are the same, is told below."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._told = Generations()
        self._lost = set[Hashable]()

    @abstractmethod
    def place(self, here: At) -> Hashable:
        """What tells places apart, though an engine has forgotten them in between."""

    @abstractmethod
    def step(self, here: At, text: bytes) -> At | None:
        """The place behind a text."""

    @abstractmethod
    def behind(self, here: At) -> Hashable:
        """What tells apart the places behind a lexeme; None where it is not complete."""

    @abstractmethod
    def left(self, here: At) -> int:
        """How many bytes are needed behind a lexeme that is complete, by estimate."""

    @abstractmethod
    def rules(self, here: At) -> Hashable:
        """Where in the rules of the surface a place behind a lexeme is, and how much is owed there, but not to whom."""

    @abstractmethod
    def _tries(self, here: At, is_first: bool) -> Iterator[tuple[int, bytes]]:
        """Texts that may complete the next lexeme, and what is left behind them by estimate.

        `is_first`: in the middle of a lexeme, where a search begins, also texts that complete this one.
        """

    def least(self, here: At) -> int:
        """With so many tokens some text comes to an end. Raises LimitError if the search takes too long."""
        if here.accepting:
            return 0
        told = self._told.get(self.place(here))
        if told is None:
            self._publish(here, self.way(here))
            told = self._told.get(self.place(here))
            assert told is not None
        return told.tokens

    def known_least(self, here: At) -> int | None:
        """As `least`; None where the search takes too long, which is remembered."""
        place = self.place(here)
        if place in self._lost:
            return None
        try:
            return self.least(here)
        except LimitError:
            if len(self._lost) >= _REMEMBERED:
                self._lost.clear()
            self._lost.add(place)
            return None

    def hold(self, here: At) -> bytes:
        """Remember a place and all of its way for longer than others. What the first token of the way writes."""
        count = self.least(here)
        place: Hashable = self.place(here)
        first = b""
        while count and place is not None and (told := self._told.get(place)) is not None:
            first = first or told.first
            place = told.then
        return first

    def known(self, here: At) -> bytes | None:
        """The way from a place if all of it is remembered."""
        way, place = b"", self.place(here)
        while (told := self._told.get(place)) is not None:
            if not told.tokens:
                return way
            way, place = way + told.first, told.then
        return None

    def way(self, here: At) -> bytes:
        """A short text that leads to an end. Raises LimitError if the search takes too long.

        The shortest ways are looked at first; where there are too many of them, what has least left, and then one is
        followed that has less left at each step, or as little more as can be.
        """
        found = self._some_way(here, MAX_SURFACE_WAY_STEPS)
        if found is None:
            raise LimitError(over_limit("places on the way to an end of a text", MAX_SURFACE_WAY_STEPS))
        return found

    def _some_way(self, here: At, steps: int) -> bytes | None:
        return (
            self._shortest_way(here) or self._greedy_way(here, max(steps // 5, _GREEDY)) or self._descent(here, steps)
        )

    def _shortest_way(self, start: At) -> bytes | None:
        """Best first; of equals the latest. What is left is estimated anew once a text has been read."""
        waiting: list[tuple[int, int, _Try[At]]] = []
        order = itertools.count(0, -1)
        seen = set[Hashable]()

        def push(here: At, read: bytes) -> None:
            for estimate, text in self._tries(here, is_first=not read):
                heapq.heappush(
                    waiting, (len(read) + len(text) + _HASTE * estimate, next(order), _Try(here, text, read))
                )

        push(start, b"")
        for _ in range(_SHORTEST_FIRST):
            if not waiting:
                break
            expected, _, tried = heapq.heappop(waiting)
            read = tried.read + tried.text
            here = self.step(tried.here, tried.text) if tried.text else tried.here
            if here is None or (point := self.behind(here)) is None:
                continue
            if here.accepting and read:
                return read
            left = _HASTE * self.left(here)
            if tried.text and len(read) + left > expected:
                heapq.heappush(waiting, (len(read) + left, next(order), _Try(here, b"", read)))
            elif point not in seen:
                seen.add(point)
                push(here, read)
        return None

    def _greedy_way(self, start: At, steps: int) -> bytes | None:
        """What has least left first (Doran and Michie 1966), or is new; see `_Waiting`."""
        waiting = _Waiting[At]()
        seen = set[Hashable]()
        waiting.push(0, start, b"", ())
        while steps > 0 and (found := waiting.pop()) is not None:
            here, read, passed = found
            for _, text in self._tries(here, is_first=not read):
                steps -= 1
                after = self.step(here, text)
                if after is None or (point := self.behind(after)) is None or point in seen:
                    continue
                if after.accepting:
                    return read + text
                seen.add(point)
                rules = self.rules(after)
                left = self.left(after) + _AGAIN * passed.count(rules)
                waiting.push(left, after, read + text, (*passed, rules))
        return None

    def _descent(self, start: At, steps: int) -> bytes | None:
        """Depth first, by what is left as it seems before a lexeme is read: so it gets over what is owed behind it."""
        reads, seen = [b""], set[Hashable]()
        levels = [iter(sorted(self._tries(start, is_first=True)))]
        places = [start]
        for _ in range(steps):
            step = next(levels[-1], None)
            if step is None:
                for row in (levels, places, reads):
                    row.pop()
                if not levels:
                    return None
                continue
            here = self.step(places[-1], step[1])
            if here is None or (point := self.behind(here)) is None or point in seen:
                continue
            if here.accepting:
                return reads[-1] + step[1]
            seen.add(point)
            reads.append(reads[-1] + step[1])
            places.append(here)
            levels.append(iter(sorted(self._tries(here, is_first=False))))
        return None

    # --- tokens ---

    def _publish(self, here: At, way: bytes) -> None:
        row = [here]
        for at in range(len(way)):
            following = self.step(row[-1], way[at : at + 1])
            assert following is not None
            row.append(following)
        places = list(map(self.place, row))
        told: list[Told] = [_AT_END] * len(places)
        for at in reversed(range(len(way))):
            told[at] = self._told.get(places[at]) or self._tell(row[at], way, at, told, places)
        for place, one in zip(places, told, strict=True):
            self._told.keep(place, one)

    def _tell(self, here: At, way: bytes, at: int, told: list[Told], places: list[Hashable]) -> Told:
        if here.accepting:
            return _AT_END
        end = min(self._token_ends(way, at), key=lambda end: told[end].tokens)
        return Told(told[end].tokens + 1, way[at:end], places[end])

    def _token_ends(self, text: bytes, at: int) -> Iterator[int]:
        node = ROOT
        for place in range(at, len(text)):
            node = self._nodes.child(node, text[place])
            if node == ROOT:
                return
            if self._nodes.has_token(node):
                yield place + 1
