"""Ways home in the texts of a surface (`ways.py`).

A place's estimate is what its rules need at least, whatever the world says.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeAlias

from langc.compiler.surfaces.engine.config import Config
from langc.compiler.surfaces.engine.lexemes import Lexeme, Shape, Spellings, shape
from langc.compiler.surfaces.engine.network import Edge, Enter, Leave, Read, Terminal
from langc.compiler.surfaces.engine.parse import Parser, Point
from langc.compiler.surfaces.engine.threads import Frame, Item, Thread
from langc.compiler.surfaces.environment.names import Entry, NameSet, Words
from langc.compiler.surfaces.masks.heads import Nodes
from langc.compiler.surfaces.masks.ways import FAR, Ways
from langc.compiler.surfaces.model import Fresh, Literal, Reference, TokenUse
from langc.compiler.surfaces.world.frame import Frame as Scope
from langc.compiler.surfaces.world.world import World

_NAMES = 3
"""Names of a set that are tried; all lead on, some further than others."""
_SAMPLED, _SEARCHED = 256, 4_096
"""Names that these are taken from, and that are searched for such as keep promises."""
_PER_RESULT, _PER_NAME, _PER_PROMISE = 2, 4, 8
_PER_MERGED = 26
"""For a name that may take a merge: more than what is written for that, so that a search gets over it."""
_FARTHEST = 200
"""Bytes to a name that cannot be written any more, as far as the rules tell."""
_FEW, _WORDS = 2, 100
"""Texts of one shape that are tried until one is taken."""
_ALIKE = 26
"""Bytes that are tried where they lead a shape alike."""
_REMEMBERED = 100_000
Place: TypeAlias = tuple[frozenset[Thread], Lexeme]


def place(config: Config) -> Place:
    """What tells places apart, though an engine has forgotten them in between."""
    return config.point.kernel, config.lexeme


class Homes(Ways[Config]):
    """Ways from the places of one engine, in tokens of one trie.

    Args:
        parser: what the places belong to.
        nodes: the trie; every byte of `alone` is a token.
        alone: the bytes that may be written.
    """

    def __init__(self, parser: Parser, nodes: Nodes, alone: frozenset[int]) -> None:
        super().__init__(nodes)
        self.parser, self.alone = parser, alone
        self._stacks: dict[Frame | None, int] = {None: 0}
        self._dues: dict[World, tuple[int, tuple[str, ...]]] = {}
        self._kept: dict[tuple[NameSet, frozenset[bytes]], list[tuple[int, bytes]]] = {}
        self._slots: dict[str, list[int]] = {}
        self._reaches: dict[tuple[str, Frame], int] = {}
        self._texts: dict[tuple[Shape, int], tuple[list[bytes], Iterator[bytes]]] = {}
        self._onward: dict[tuple[Shape, int], list[tuple[int, bytes]]] = {}

    def place(self, here: Config) -> Place:
        """See `place`."""
        return place(here)

    def step(self, here: Config, text: bytes) -> Config | None:
        """The place behind a text."""
        return here.run(text)

    def behind(self, here: Config) -> Point | None:
        """See `behind`."""
        return behind(here)

    def left(self, here: Config) -> int:
        """How many bytes are needed behind a lexeme that is complete, by estimate."""
        point = behind(here)
        return FAR if point is None else self.estimate(point)

    def rules(self, here: Config) -> frozenset[tuple[int, int]]:
        """Where the edges lead that may be read behind a lexeme, and how much is owed at each."""
        point = behind(here)
        return frozenset((edge.target, _owed(thread.world)) for edge, thread in point.items) if point else frozenset()

    def _tries(self, here: Config, is_first: bool) -> Iterator[tuple[int, bytes]]:
        lexeme = here.lexeme
        if not lexeme.begun:
            yield from self._tried(here.point)
            return
        if is_first:
            for text in self._endings(lexeme):
                after = here.run(text)
                if after is not None and (point := behind(after)) is not None:
                    yield self.estimate(point), text
        if here.behind is not None:
            for estimate, text in self._tried(here.behind):
                yield estimate, self.apart(lexeme, text)

    def apart(self, lexeme: Lexeme, text: bytes) -> bytes:
        """A lexeme behind another one, with something between them if they would be one."""
        if not lexeme.begun:
            return text
        if lexeme.step(text[0]) is None:
            return text
        for between in self.between:
            if lexeme.step(between[0]) is None:
                return between + text
        return text

    @cached_property
    def between(self) -> list[bytes]:
        """Texts that may stand between two lexemes, the shortest first."""
        found = [self._shortest(one, one.start, 1) for one in self.parser.lexicon.skipped]
        return sorted((texts[0] for texts in found if texts and texts[0]), key=lambda text: (len(text), text != b" "))

    # --- what a lexeme may be ---

    def lexemes(self, point: Point) -> Iterator[tuple[list[Item], bytes]]:
        """Texts of each lexeme that a point takes, with the edges that read it."""
        return ((items, text) for items, text, _ in self._lexemes(point))

    def _tried(self, point: Point) -> Iterator[tuple[int, bytes]]:
        """The same, with what is left behind them by estimate."""
        for items, text, kept in self._lexemes(point):
            yield max(self.least_behind(items) - _PER_PROMISE * kept, 0), text

    def _lexemes(self, point: Point) -> Iterator[tuple[list[Item], bytes, int]]:
        """And with how many promises a name keeps once it is bound."""
        for text, items in point.literals.items():
            yield items, text, 0
        for name, items in point.tokens.items():
            own = shape(self.parser.surface.tokens[name].pattern)
            for text in self._shortest(own, own.start, 1):
                yield items, text, 0
        for names, item in point.slots:
            if isinstance(names, NameSet):
                for kept, text in self._keeping(names, item[1].world):
                    yield [item], text, kept
                texts = self._names(names, 0, len(names.spellings), 0)
            else:
                own = shape(names.shape)
                words = filter(names.allows, self._shortest(own, own.start, _WORDS))
                due = tuple(promised(item, names, self.parser))[:_FEW]
                for text in due:
                    yield [item], text, 1
                texts = tuple(words)[: _FEW - len(due)]
            for text in texts:
                yield [item], text, 0

    def _keeping(self, names: NameSet, world: World) -> list[tuple[int, bytes]]:
        """Names that own what was promised, and how much of it each: most first."""
        wanted = frozenset(name for frame in world.frames for name in _members_due(frame))
        if not wanted or not self._owners:
            return []
        found = self._kept.get((names, wanted))
        if found is None:
            if len(self._kept) >= _REMEMBERED:
                self._kept.clear()
            fold_case = self.parser.surface.fold_case
            owning = (
                (_owned(entry, wanted, fold_case), text)
                for text, entry in itertools.islice(zip(names.spellings, names.entries, strict=True), _SEARCHED)
                if self.alone.issuperset(text)
            )
            best = heapq.nsmallest(_NAMES, ((-count, len(text), text) for count, text in owning if count))
            found = self._kept[names, wanted] = [(-count, text) for count, _, text in best]
        return found

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
        sampled = (text for text in names.spellings[low : min(high, low + _SAMPLED)] if self.alone.issuperset(text))
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
            for byte in self.ordered:
                target = one.table[state][byte]
                counts[target] += 1
                if target and counts[target] <= _ALIKE:
                    found.append((target, bytes((byte,))))
        return found

    @cached_property
    def ordered(self) -> list[int]:
        """Bytes in the order in which they are tried: letters, then other visible ones, then the rest."""
        return sorted(self.alone, key=lambda byte: (not 0x61 <= byte <= 0x7A, not 0x20 <= byte <= 0x7E, byte))

    # --- estimates ---

    def least_behind(self, items: list[Item]) -> int:
        """How many bytes are needed behind a lexeme, by estimate."""
        return min(map(self._after, items))

    def _after(self, item: Item) -> int:
        """Bytes behind a lexeme: what the rules ask for, and the way to where names can be bound that were promised."""
        edge, thread = item
        owed, sorts = self._due(thread.world)
        ways = (0 if _takes(edge.terminal, sort) else self._reach(sort, edge.target, thread.stack) for sort in sorts)
        return self._left[edge.target] + self._stack(thread.stack) + owed + sum(ways)

    def _due(self, world: World) -> tuple[int, tuple[str, ...]]:
        """What is owed, and the sorts of the names that have to be written for it."""
        found = self._dues.get(world)
        if found is None:
            if len(self._dues) >= _REMEMBERED:
                self._dues.clear()
            found = self._dues[world] = _owed(world), tuple(sorted(_sorts(world, self._owners)))
        return found

    @cached_property
    def _owners(self) -> frozenset[str]:
        """The sorts whose names have members."""
        return frozenset(sort.owner for sort in self.parser.surface.sorts.values() if sort.owner is not None)

    def _reach(self, sort: str, state: int, stack: Frame | None) -> int:
        """How many bytes are needed until a name of a sort can be written."""
        return min(self._until_slot(sort)[state], self._left[state] + self._reach_behind(sort, stack), _FARTHEST)

    def _reach_behind(self, sort: str, frame: Frame | None) -> int:
        if frame is None:
            return FAR
        found = self._reaches.get((sort, frame))
        if found is None:
            if len(self._reaches) >= _REMEMBERED:
                self._reaches.clear()
            found = self._reaches[sort, frame] = self._reach(sort, frame.state, frame.parent)
        return found

    def _until_slot(self, sort: str) -> list[int]:
        """For each state of the network how many bytes its rule needs until a name of a sort can be written."""
        found = self._slots.get(sort)
        if found is None:
            found = self._slots[sort] = self._settled(lambda edge, until: self._edge_until(sort, edge, until))
        return found

    def _edge_until(self, sort: str, edge: Edge, until: list[int]) -> int:
        match edge:
            case Leave():
                return FAR
            case Read(terminal, target):
                return 0 if _takes(terminal, sort) else min(self._length(terminal) + 1 + until[target], FAR)
            case Enter(_, start, _, target):
                return min(until[start], self._left[start] + until[target])
        return until[edge.target]

    def estimate(self, point: Point) -> int:
        """How many bytes are needed from a point on, by estimate."""
        if point.accepting:
            return 0
        return min((self._until(item) for item in point.items), default=FAR)

    def _until(self, item: Item) -> int:
        """Bytes from before a lexeme to the end; what is bound before it is read is owed no more."""
        return self._length(item[0].terminal) + 1 + self.least_behind([item])

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
        return self._settled(self._edge)

    def _settled(self, cost: Callable[[Edge, list[int]], int]) -> list[int]:
        """For each state of the network the least cost of its edges, which may be that of others."""
        network = self.parser.network
        left = [FAR] * len(network.edges)
        changed = True
        while changed:
            changed = False
            for state, edges in enumerate(network.edges):
                least = min((cost(edge, left) for edge in edges), default=FAR)
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
            own = shape(self.parser.surface.tokens[terminal.token].pattern)
            return min(map(len, self._shortest(own, own.start, 1)), default=FAR)
        return 1


def behind(config: Config) -> Point | None:
    """The point behind the lexeme that has begun, if it is complete; or where none has, the point itself."""
    return config.behind if config.lexeme.begun else config.point


def _owned(entry: Entry, wanted: frozenset[bytes], fold_case: bool) -> int:
    """How many of some names are members of an entry."""
    return sum(any(group.get(name, fold_case) for group in entry.members.values()) for name in wanted)


def _members_due(frame: Scope) -> frozenset[bytes]:
    """The members that something bound later has to own."""
    return frame.open.union(*(pledge.members for pledge in frame.pledges))


def _owed(world: World) -> int:
    """Bytes that the scopes of a world still ask for, by estimate: results that are too few, and promises."""
    return sum(
        _PER_RESULT * max(frame.least - frame.count, 0)
        + _PER_PROMISE * (len(frame.pledges) + bool(frame.open) + bool(frame.pending))
        + (_PER_MERGED if frame.merging else _PER_NAME) * len(frame.open)
        for frame in world.frames
    )


def _sorts(world: World, owners: frozenset[str]) -> set[str]:
    """The sorts of the names that have still to be written."""
    found = {pledge.sort for frame in world.frames for pledge in frame.pledges}
    return found | owners if any(frame.open or frame.pending for frame in world.frames) else found


def _takes(terminal: Terminal, sort: str) -> bool:
    """Whether a name of a sort can be bound: what looks for one in a scope binds none."""
    if isinstance(terminal, Reference) and terminal.scope is not None:
        return False
    return isinstance(terminal, Fresh | Reference) and terminal.sort == sort


def promised(item: Item, words: Words, parser: Parser) -> Iterator[bytes]:
    """Names that have still to be bound, in each way that a slot takes them."""
    own = shape(words.shape)
    names = {pledge.name for frame in item[1].world.frames for pledge in frame.pledges}
    for name in sorted(names):
        for text in parser.lexicon.spelling.spellings(name.decode("utf-8", "surrogatepass")):
            if words.allows(text) if own.matches(text) else words.quoted and name not in words.refused:
                yield text
