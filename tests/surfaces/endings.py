"""Ways to an end of a text, by chance: the next lexeme is one of those behind which the least has to follow.

The engine has ways of its own (`masks/ways.py`), which this shares nothing with: a place that has no end shows here.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.engine.lexemes import Lexeme, shape
from langc.compiler.surfaces.engine.network import Edge, Enter, Leave, Read
from langc.compiler.surfaces.engine.parse import Point
from langc.compiler.surfaces.engine.threads import Frame, Item
from langc.compiler.surfaces.environment.names import Entry, NameSet
from langc.compiler.surfaces.world.world import World

BYTES = bytes(range(256))
_ENDING, _ATTEMPTS = 80, 8
"""Lexemes in which an end is looked for, and how often, before it is given up."""
_BREADTH = 5_000
_DISORDER = 0.7
"""Lexemes by which a way may seem longer than it is, more with each attempt, so that others are tried too."""
_NAMES, _RANGE = 8, 100


_Way: TypeAlias = tuple[float, int]
"""How many lexemes have to follow, worlds left aside, and the state of the network from which they do."""


class DeadEnd(Exception):
    """A place that no text leads on from."""


@dataclass
class Endings:
    """Ends of the texts of one engine, written in some bytes. `values` are what tokens are written as."""

    engine: Engine
    values: Sequence[bytes]
    random: random.Random
    alphabet: bytes = BYTES
    _examples: dict[str, bytes | None] = field(default_factory=dict)

    def ending(self, config: Config) -> bytes | None:
        """Some text that ends what has been written; None if none was found in time. Raises DeadEnd."""
        for attempt in range(_ATTEMPTS):
            disorder = _DISORDER * (attempt + 1)
            text, at, before = b"", config, Counter[_Way]()
            for _ in range(_ENDING):
                if at.accepting:
                    return text
                step = self._whole(at) or self._closer(at, before, disorder)
                if step is None:
                    raise DeadEnd(config.lexeme.text, text, at.lexeme.text)
                at, written = step
                text += written
        return None

    def _whole(self, config: Config) -> tuple[Config, bytes] | None:
        """What completes the lexeme that has begun; None if it is complete, or none has begun."""
        if not config.lexeme.begun or config.behind is not None:
            return None
        for text in self._rests(config.lexeme):
            behind = config.run(text)
            if behind is not None and behind.behind is not None:
                return behind, text
        waiting, seen = [(config, b"")], {config}
        for at, text in waiting:
            if at.behind is not None:
                return at, text
            for byte in self.random.sample(self.alphabet, len(self.alphabet)):
                following = at.step(byte)
                if following is not None and following not in seen and len(seen) < _BREADTH:
                    seen.add(following)
                    waiting.append((following, text + bytes((byte,))))
        return None

    def _rests(self, lexeme: Lexeme) -> Iterator[bytes]:
        """What may complete a lexeme without a search: the rest of a name, a mark that closes, more of a string."""
        for names, low, high in lexeme.listed:
            yield min(names.spellings[low : min(high, low + _RANGE)], key=len)[lexeme.depth :]
        yield from (b"'", b'"', b"`", b"]", b"\n", b"*/", b'"w"')

    def _closer(self, config: Config, before: Counter[_Way], disorder: float) -> tuple[Config, bytes] | None:
        """The next lexeme. What led nowhere before, as far from an end, seems further each time."""
        point = config.behind if config.lexeme.begun else config.point
        if point is None:
            return None
        steps = sorted(self._lexemes(point), key=lambda s: s[0][0] + before[s[0]] / 2 + self.random.random() * disorder)
        for way, word in steps:
            for spaced in (b" " + word, word) if config.lexeme.begun else (word,):
                following = config.run(spaced)
                if following is not None:
                    before[way] += 1
                    return following, spaced
        return None

    def _lexemes(self, point: Point) -> Iterator[tuple[_Way, bytes]]:
        for text, items in point.literals.items():
            yield self._left(items), text
        for name, items in point.tokens.items():
            example = self._example(name)
            if example is not None:
                yield self._left(items), example
        for names, item in point.slots:
            if isinstance(names, NameSet):
                some = self.random.sample(range(len(names.spellings)), min(len(names.spellings), _NAMES))
                wanted = _wanted(item[1].world)
                left, state = self._left([item])
                for at in some:
                    yield (left - _owns(names.entries[at], wanted), state), names.spellings[at]
            else:
                yield self._left([item]), self._word(names.shape, item)

    def _word(self, pattern: str, item: Item) -> bytes:
        """A string, or a name: one that has been promised, or a new one."""
        new = b"w%d" % self.random.randrange(1000)
        if pattern.startswith('"'):
            return b'"' + new + b'"'
        promised = [one.name for frame in item[1].world.frames for one in frame.pledges]
        word = self.random.choice(promised) if promised else new
        return word if shape(pattern).matches(word) else b'"' + word.replace(b'"', b'""') + b'"'

    def _example(self, token: str) -> bytes | None:
        """What a token is written as: the first of the values that has its shape."""
        if token not in self._examples:
            own = shape(self.engine.surface.tokens[token].pattern)
            self._examples[token] = next(filter(own.matches, (b" ", *self.values)), None)
        return self._examples[token]

    def _left(self, items: list[Item]) -> _Way:
        """The shortest of the ways behind the edges."""
        distances = self._distances
        return min(
            (distances[edge.target] + sum(distances[frame.state] for frame in _stack(thread.stack)), edge.target)
            for edge, thread in items
        )

    @cached_property
    def _distances(self) -> list[float]:
        """For each state of the networks the number of lexemes to the end of its rule."""
        network = self.engine.parser.network
        found = [math.inf] * len(network.edges)
        changed = True
        while changed:
            changed = False
            for state, edges in enumerate(network.edges):
                least = min((_cost(edge, found) for edge in edges), default=math.inf)
                changed = changed or least < found[state]
                found[state] = min(least, found[state])
        return found


def _wanted(world: World) -> set[bytes]:
    """Members of what some scope has still to be given."""
    of_names = {member for frame in world.frames for pledge in frame.pledges for member in pledge.members}
    return of_names.union(*(frame.open for frame in world.frames))


def _owns(entry: Entry, wanted: set[bytes]) -> bool:
    return any(group.get(name, True) is not None for group in entry.members.values() for name in wanted)


def _cost(edge: Edge, distances: list[float]) -> float:
    match edge:
        case Leave():
            return 0
        case Read():
            return 1 + distances[edge.target]
        case Enter():
            return distances[edge.start] + distances[edge.target]
    return distances[edge.target]


def _stack(frame: Frame | None) -> Iterator[Frame]:
    while frame is not None:
        yield frame
        frame = frame.parent
