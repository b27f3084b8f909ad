"""Engines that know no Γ: a grammar of what may follow is made at each event of Γ, and gone on with from there.

A name is known to be complete when a byte comes that cannot be part of it. So where one may be complete there are two
grammars: the one that the lexeme began in, and that of what may follow it, for tokens that begin with such a byte.

Invariant: with `beyond` False a token that is offered leads to a text of the surface, and every such token is offered
in which no event of Γ lies behind its first byte. With `beyond` True every token that leads to a text is offered, and
others in which an event lies: `advance` then refuses those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.engine.lexemes import Lexeme
from langc.compiler.surfaces.engine.parse import Point
from langc.compiler.surfaces.environment.names import NameSet
from langc.compiler.surfaces.model import TokenUse
from langc.compiler.surfaces.snapshot.continuation import Continuations
from langc.compiler.surfaces.snapshot.grammar import Grammar
from langc.compiler.surfaces.world.world import World
from langc.compiler.tokens.vocabulary_like import VocabularyLike

_REMEMBERED = 256
"""Grammars that an executor keeps, by their points."""


class Running(Protocol):
    """A grammar in an engine, somewhere in a text."""

    def mask(self) -> NDArray[np.bool_]:
        """bool [rows]: the tokens that go on, and the end tokens where the text may end."""

    def advance(self, token: int) -> bool:
        """Read a token."""

    def read(self, text: bytes) -> bool:
        """Read bytes."""

    def fork(self) -> Running:
        """Another one at the same place."""


@dataclass(frozen=True, eq=False)
class _Base:
    """A grammar as it was made for a point."""

    running: Running
    worlds: frozenset[World]
    """The worlds that its slots are filled in."""


@dataclass(eq=False)
class Rebuilt:
    """An executor over one engine. `build` loads a grammar into it."""

    name: str
    engine: Engine
    vocabulary: VocabularyLike
    build: Callable[[Grammar], Running]
    beyond: bool = False
    rebuilds: int = 0
    """Grammars that were made."""
    _bases: dict[Point, _Base] = field(default_factory=dict)
    _config: Config | None = field(init=False)
    _pending: bytes = field(init=False, default=b"")

    def __post_init__(self) -> None:
        self._continuations = Continuations(self.engine, self.beyond)
        self._rows: dict[int, NDArray[np.bool_]] = {}
        self._ends = sorted(self.vocabulary.eos_ids)
        self.reset()

    def reset(self) -> None:
        """See `Executor`."""
        self._config: Config | None = self.engine.start
        self._go_on(self.engine.start.point, b"")

    def mask(self) -> NDArray[np.bool_]:
        """See `Executor`."""
        config = self._config
        if config is None:
            return np.zeros(self.vocabulary.size, np.bool_)
        row = self._running.mask().copy()
        if not config.lexeme.begun:
            return row
        row[self._ends] = False
        if config.behind is not None:
            row |= self._base(config.behind).running.fork().mask() & self._behind(config.lexeme)
        return row

    def advance(self, token: int) -> bool:
        """See `Executor`."""
        config = self._config
        if config is None:
            return False
        if token in self.vocabulary.eos_ids:
            if config.accepting:
                self._config = None
                return True
            return False
        walk = _walk(config, self.vocabulary.token_bytes(token), self._pending)
        if walk is None:
            return False
        self._config, self._pending = walk.config, walk.pending
        known = self._worlds.issuperset(walk.worlds) and not walk.filled
        if not (known and self._running.advance(token)):
            self._go_on(walk.config.point, walk.pending)
        return True

    def _go_on(self, point: Point, pending: bytes) -> None:
        """From a point and the bytes that have been read behind it."""
        base = self._base(point)
        self._running, self._worlds, self._pending = base.running.fork(), base.worlds, pending
        if not self._running.read(pending):
            raise RuntimeError(f"{self.name} refuses {pending!r}, which langc takes")

    def _base(self, point: Point) -> _Base:
        found = self._bases.get(point)
        if found is None:
            if len(self._bases) >= _REMEMBERED:
                self._bases.clear()
            self.rebuilds += 1
            worlds = frozenset(thread.world for _, thread in point.items)
            found = self._bases[point] = _Base(self.build(self._continuations.grammar(point)), worlds)
        return found

    def _behind(self, lexeme: Lexeme) -> NDArray[np.bool_]:
        """bool [rows]: the tokens whose first byte is no part of a lexeme, and the end tokens."""
        row = np.zeros(self.vocabulary.size, np.bool_)
        for byte in range(256):
            if lexeme.step(byte) is None:
                row |= self._beginning_with(byte)
        row[self._ends] = True
        return row

    def _beginning_with(self, byte: int) -> NDArray[np.bool_]:
        if not self._rows:
            firsts = (self.vocabulary.token_bytes(t)[:1] for t in range(self.vocabulary.size))
            codes = np.array([first[0] if first else -1 for first in firsts])
            self._rows = {value: codes == value for value in range(256)}
        return self._rows[byte]


@dataclass
class _Walk:
    """What was come by on the way through a token."""

    config: Config
    pending: bytes
    worlds: set[World] = field(default_factory=set)
    filled: bool = False
    """Whether a slot was filled, or a text kept."""


def _walk(config: Config, text: bytes, pending: bytes) -> _Walk | None:
    walk = _Walk(config, pending)
    for byte in text:
        before, after = walk.config, walk.config.step(byte)
        if after is None:
            return None
        if before.lexeme.begun and before.lexeme.step(byte) is None:
            walk.pending = b""
            walk.filled = walk.filled or _fills(before)
            walk.worlds.update(thread.world for _, thread in after.point.items)
        walk.config, walk.pending = after, walk.pending + bytes((byte,))
    return walk


def _fills(config: Config) -> bool:
    """Whether the lexeme, as it stands, may fill a slot or be kept."""
    spelled, shaped = config.lexeme.spelled, set(config.lexeme.shaped) - config.point.parser.lexicon.skipped
    if any(names in spelled if isinstance(names, NameSet) else bool(shaped) for names, _ in config.point.slots):
        return True
    tokens = (edge.terminal for items in config.point.tokens.values() for edge, _ in items)
    return bool(shaped) and any(isinstance(token, TokenUse) and token.local is not None for token in tokens)
