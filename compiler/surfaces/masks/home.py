"""Ways to an end of a text, and how many tokens they have.

From any place an end can be reached. A way there is looked for lexeme by lexeme, best first (Dijkstra 1959, with an
estimate of what is left in front, Hart, Nilsson and Raphael 1968): a place's estimate is what its rules need at least,
whatever the world says. The first way that is found is taken; most often none is shorter.

Invariant: what `least` has told of a place does not change while it is remembered, and the places of its way are
remembered with it (`hold`). Where it is n > 0, some token leads to a place where it is n - 1, so that a text which
never takes a token behind which it is larger than what is left comes to an end in time.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SURFACE_WAY_STEPS, over_limit
from langc.compiler.surfaces.config import Config
from langc.compiler.surfaces.environment.names import NameSet
from langc.compiler.surfaces.lexemes import Lexeme, Shape, Spellings, shape
from langc.compiler.surfaces.masks.heads import ROOT, Nodes
from langc.compiler.surfaces.model import Literal, TokenUse
from langc.compiler.surfaces.network import Edge, Enter, Leave, Read, Terminal
from langc.compiler.surfaces.parse import Frame, Item, Parser, Point, Thread
from langc.compiler.surfaces.world.world import World

FAR = 1 << 30
_NAMES = 3
"""Names of a set that are tried; all lead on, some further than others."""
_SAMPLED = 256
"""Names that these are taken from."""
_PER_RESULT, _PER_PROMISE = 2, 16
_SHORTEST_FIRST = 60
"""Places."""
_FEW, _WORDS = 2, 100
"""Texts of one shape that are tried until one is taken."""
_ALIKE = 26
"""Bytes that are tried where they lead a shape alike."""
_REMEMBERED = 100_000
Place: TypeAlias = tuple[frozenset[Thread], Lexeme]


def place(config: Config) -> Place:
    """What tells places apart, though an engine has forgotten them in between."""
    return config.point.kernel, config.lexeme


class Told(NamedTuple):
    """What is said of a place."""

    tokens: int
    """How many there are to an end."""
    first: bytes
    """What the first of them writes."""
    then: Place | None
    """The place behind it."""


_AT_END = Told(0, b"", None)


class Generations:
    """A memory in which what has been asked for lately outlives the rest."""

    def __init__(self) -> None:
        self._young: dict[Place, Told] = {}
        self._old: dict[Place, Told] = {}

    def get(self, here: Place) -> Told | None:
        """What was said, if it is remembered."""
        told = self._young.get(here)
        if told is None and (told := self._old.get(here)) is not None:
            self.keep(here, told)
        return told

    def keep(self, here: Place, told: Told) -> None:
        """Remember."""
        if len(self._young) >= _REMEMBERED:
            self._old, self._young = self._young, {}
        self._young[here] = told


@dataclass(frozen=True, eq=False)
class _Try:
    """A text to be read behind a place."""

    config: Config
    text: bytes
    read: bytes
    """All that was read before it, from where the search began."""


class Homes:
    """Ways from the places of one engine, in tokens of one trie.

    Args:
        parser: what the places belong to.
        nodes: the trie; every byte of `alone` is a token.
        alone: the bytes that may be written.
    """

    def __init__(self, parser: Parser, nodes: Nodes, alone: frozenset[int]) -> None:
        self._parser, self._nodes = parser, nodes
        self._alone = alone
        self._told = Generations()
        self._stacks: dict[Frame | None, int] = {None: 0}
        self._texts: dict[tuple[Shape, int], tuple[list[bytes], Iterator[bytes]]] = {}
        self._onward: dict[tuple[Shape, int], list[tuple[int, bytes]]] = {}

    def least(self, config: Config) -> int:
        """With so many tokens some text comes to an end. Raises LimitError if the search takes too long."""
        if config.accepting:
            return 0
        told = self._told.get(place(config))
        if told is None:
            self._publish(config, self.way(config))
            told = self._told.get(place(config))
            assert told is not None
        return told.tokens

    def hold(self, config: Config) -> bytes:
        """Remember a place and all of its way for longer than others. What the first token of the way writes."""
        count = self.least(config)
        here: Place | None = place(config)
        first = b""
        while count and here is not None and (told := self._told.get(here)) is not None:
            first = first or told.first
            here = told.then
        return first

    def way(self, config: Config) -> bytes:
        """A short text that leads to an end. Raises LimitError if the search takes too long.

        The shortest ways are looked at first; where there are too many of them, one is followed that has less left at
        each step, or as little more as can be.
        """
        found = self._shortest_way(config) or self._descent(config)
        if found is None:
            raise LimitError(over_limit("places on the way to an end of a text", MAX_SURFACE_WAY_STEPS))
        return found

    def _shortest_way(self, config: Config) -> bytes | None:
        """Best first (Hart, Nilsson and Raphael 1968); of equals the latest."""
        waiting: list[tuple[int, int, _Try]] = []
        order = itertools.count(0, -1)
        seen = set[Point]()

        def push(config: Config, read: bytes) -> None:
            for estimate, text in self._tries(config, is_first=not read):
                heapq.heappush(waiting, (len(read) + len(text) + estimate, next(order), _Try(config, text, read)))

        push(config, b"")
        for _ in range(_SHORTEST_FIRST):
            if not waiting:
                break
            _, _, tried = heapq.heappop(waiting)
            behind = tried.config.run(tried.text)
            read = tried.read + tried.text
            if behind is None or (point := _behind(behind)) is None:
                continue
            if behind.accepting:
                return read
            if point not in seen:
                seen.add(point)
                push(behind, read)
        return None

    def _descent(self, config: Config) -> bytes | None:
        """Depth first, what has least left first."""
        reads, seen = [b""], set[Point]()
        levels = [iter(sorted(self._tries(config, is_first=True)))]
        configs = [config]
        for _ in range(MAX_SURFACE_WAY_STEPS):
            step = next(levels[-1], None)
            if step is None:
                for row in (levels, configs, reads):
                    row.pop()
                if not levels:
                    return None
                continue
            behind = configs[-1].run(step[1])
            if behind is None or (point := _behind(behind)) is None or point in seen:
                continue
            if behind.accepting:
                return reads[-1] + step[1]
            seen.add(point)
            reads.append(reads[-1] + step[1])
            configs.append(behind)
            levels.append(iter(sorted(self._tries(behind, is_first=False))))
        return None

    def _tries(self, config: Config, is_first: bool) -> Iterator[tuple[int, bytes]]:
        """Texts that may complete the next lexeme, and what is left behind them by estimate."""
        lexeme = config.lexeme
        if not lexeme.begun:
            yield from self._lexemes(config.point)
            return
        if is_first:
            for text in self._endings(lexeme):
                behind = config.run(text)
                if behind is not None and (point := _behind(behind)) is not None:
                    yield self._estimate(point), text
        if config.behind is not None:
            for estimate, text in self._lexemes(config.behind):
                yield estimate, self._apart(lexeme, text)

    def _apart(self, lexeme: Lexeme, text: bytes) -> bytes:
        """A lexeme behind another one, with something between them if they would be one."""
        if lexeme.step(text[0]) is None:
            return text
        for between in self._between:
            if lexeme.step(between[0]) is None:
                return between + text
        return text

    @cached_property
    def _between(self) -> list[bytes]:
        found = [self._shortest(one, one.start, 1) for one in self._parser.skipped]
        return sorted((texts[0] for texts in found if texts and texts[0]), key=lambda text: (len(text), text != b" "))

    # --- what a lexeme may be ---

    def _lexemes(self, point: Point) -> Iterator[tuple[int, bytes]]:
        for text, items in point.literals.items():
            yield self._least_behind(items), text
        for name, items in point.tokens.items():
            own = shape(self._parser.surface.tokens[name].pattern)
            for text in self._shortest(own, own.start, 1):
                yield self._least_behind(items), text
        for names, item in point.slots:
            if isinstance(names, NameSet):
                texts = self._names(names, 0, len(names.spellings), 0)
            else:
                own = shape(names.shape)
                texts = tuple(filter(names.allows, self._shortest(own, own.start, _WORDS)))[:_FEW]
            for text in texts:
                yield self._least_behind([item]), text

    def _endings(self, lexeme: Lexeme) -> Iterator[bytes]:
        if lexeme.spelled or lexeme.shaped:
            yield b""
        for names, low, high in lexeme.listed:
            if isinstance(names, NameSet):
                yield from self._names(names, low, high, lexeme.depth)
            else:
                yield from (spelling[lexeme.depth :] for spelling in names.spellings[low:high])
        for one, state in sorted(lexeme.shapes, key=lambda pair: (pair[0].pattern, pair[1])):
            yield from self._shortest(one, state, _FEW if lexeme.shaped else _WORDS)

    def _names(self, names: Spellings, low: int, high: int, depth: int) -> tuple[bytes, ...]:
        sampled = (text for text in names.spellings[low : min(high, low + _SAMPLED)] if self._alone.issuperset(text))
        return tuple(text[depth:] for text in heapq.nsmallest(_NAMES, sampled, key=len) if len(text) > depth)

    def _shortest(self, one: Shape, state: int, count: int) -> list[bytes]:
        """The shortest texts from a state to an end of a shape, up to so many of them."""
        if (one, state) not in self._texts:
            self._texts[one, state] = [], self._ends(one, state)
        found, others = self._texts[one, state]
        found += itertools.islice(others, max(count - len(found), 0))
        return found[:count]

    def _ends(self, one: Shape, start: int) -> Iterator[bytes]:
        """Breadth first; no state is left more often than it takes to find as many texts as are wanted."""
        waiting, left = [(start, b"")], Counter[int]()
        for state, text in waiting:
            if text and state in one.accepting:
                yield text
            left[state] += 1
            if left[state] <= _WORDS:
                waiting.extend((target, text + byte) for target, byte in self._bytes_on(one, state))

    def _bytes_on(self, one: Shape, state: int) -> list[tuple[int, bytes]]:
        """Where some bytes lead from a state of a shape: of those that lead alike a few, the readable ones."""
        found = self._onward.get((one, state))
        if found is None:
            counts = Counter[int]()
            found = self._onward[one, state] = []
            for byte in self._ordered:
                target = one.table[state][byte]
                counts[target] += 1
                if target and counts[target] <= _ALIKE:
                    found.append((target, bytes((byte,))))
        return found

    @cached_property
    def _ordered(self) -> list[int]:
        """Bytes in the order in which they are tried: letters, then other visible ones, then the rest."""
        return sorted(self._alone, key=lambda byte: (not 0x61 <= byte <= 0x7A, not 0x20 <= byte <= 0x7E, byte))

    # --- estimates ---

    def _least_behind(self, items: list[Item]) -> int:
        return min(self._left[edge.target] + self._stack(thread.stack) + _owed(thread.world) for edge, thread in items)

    def _estimate(self, point: Point) -> int:
        if point.accepting:
            return 0
        return min(
            self._left[thread.state] + self._stack(thread.stack) + _owed(thread.world) for thread in point.kernel
        )

    def _stack(self, frame: Frame | None) -> int:
        found = self._stacks.get(frame)
        if found is None:
            assert frame is not None
            if len(self._stacks) >= _REMEMBERED:
                self._stacks = {None: 0}
            found = self._stacks[frame] = self._left[frame.state] + self._stack(frame.parent)
        return found

    @cached_property
    def _left(self) -> list[int]:
        """For each state of the network how many bytes its rule needs, a space before each lexeme counted."""
        network = self._parser.network
        left = [FAR] * len(network.edges)
        changed = True
        while changed:
            changed = False
            for state, edges in enumerate(network.edges):
                least = min((self._edge(edge, left) for edge in edges), default=FAR)
                changed = changed or least < left[state]
                left[state] = min(least, left[state])
        return left

    def _edge(self, edge: Edge, left: list[int]) -> int:
        match edge:
            case Leave():
                return 0
            case Read(terminal, target):
                return min(self._length(terminal) + 1 + left[target], FAR)
            case Enter(_, start, _, target):
                return min(left[start] + left[target], FAR)
        return left[edge.target]

    def _length(self, terminal: Terminal) -> int:
        if isinstance(terminal, Literal):
            return len(terminal.text)
        if isinstance(terminal, TokenUse):
            own = shape(self._parser.surface.tokens[terminal.token].pattern)
            return min(map(len, self._shortest(own, own.start, 1)), default=FAR)
        return 1

    # --- tokens ---

    def _publish(self, config: Config, way: bytes) -> None:
        configs = [config]
        for byte in way:
            following = configs[-1].step(byte)
            assert following is not None
            configs.append(following)
        places = list(map(place, configs))
        told: list[Told] = [_AT_END] * len(places)
        for at in reversed(range(len(way))):
            told[at] = self._told.get(places[at]) or self._tell(configs[at], way, at, told, places)
        for here, one in zip(places, told, strict=True):
            self._told.keep(here, one)

    def _tell(self, config: Config, way: bytes, at: int, told: list[Told], places: list[Place]) -> Told:
        if config.accepting:
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


def _behind(config: Config) -> Point | None:
    return config.behind if config.lexeme.begun else config.point


def _owed(world: World) -> int:
    """Bytes that the scopes of a world still ask for, by estimate: results that are too few, and promises."""
    return sum(
        _PER_RESULT * max(frame.least - frame.count, 0)
        + _PER_PROMISE * (len(frame.pledges) + bool(frame.open) + bool(frame.pending))
        for frame in world.frames
    )
