"""A place anywhere in a text, one step a byte.

Invariant: a `Config` is a point and the lexeme that has begun behind it, and there is a way from it to an end of the
text. Configs of one engine are compared by identity: equal ones are the same object for as long as the engine
remembers them, and steps are remembered too. Both memories are bounded; forgetting costs time and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from langc.compiler.limits import MAX_SURFACE_CONFIGS
from langc.compiler.surfaces.engine.lexemes import Lexeme
from langc.compiler.surfaces.engine.parse import Parser, Point
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.model import Surface


@dataclass(eq=False)
class Config:
    """What may follow after the bytes that have been read."""

    engine: Engine
    point: Point
    lexeme: Lexeme
    _next: dict[int, Config | None] = field(default_factory=dict)

    def step(self, byte: int) -> Config | None:
        """The config after one more byte, or None where no text of the surface goes on like that."""
        try:
            return self._next[byte]
        except KeyError:
            found = self._next[byte] = self.engine.step(self, byte)
            return found

    def run(self, text: bytes) -> Config | None:
        """The config after several bytes."""
        config: Config | None = self
        for byte in text:
            if config is None:
                return None
            config = config.step(byte)
        return config

    @cached_property
    def accepting(self) -> bool:
        """Whether the text may end here."""
        point = self.behind if self.lexeme.begun else self.point
        return point is not None and point.accepting

    @cached_property
    def behind(self) -> Point | None:
        """The point behind the lexeme as it stands; None if it is not complete."""
        lexeme = self.lexeme
        return self.point.after(lexeme.spelled, lexeme.shaped, lexeme.text)


@dataclass(eq=False)
class Engine:
    """A surface and an environment, run byte by byte."""

    surface: Surface
    environment: Environment
    exact: Surface | None = None
    """The surface at its exact levels, if `surface` is a relaxed form of it: the world goes by this one."""
    _configs: dict[tuple[Point, Lexeme], Config] = field(default_factory=dict)

    @cached_property
    def parser(self) -> Parser:
        """The step by lexemes."""
        return Parser(self.surface, self.environment, self.exact or self.surface)

    @property
    def start(self) -> Config:
        """The beginning of a text."""
        return self.config(self.parser.start, self.parser.start.expected.start)

    def config(self, point: Point, lexeme: Lexeme) -> Config:
        """The config of a point and a lexeme."""
        key = (point, lexeme)
        found = self._configs.get(key)
        if found is None:
            if len(self._configs) >= MAX_SURFACE_CONFIGS:
                self._forget()
            found = self._configs[key] = Config(self, point, lexeme)
        return found

    def step(self, config: Config, byte: int) -> Config | None:
        """See `Config.step`."""
        if not config.lexeme.begun:
            return self._begun(config.point, byte)
        lexeme = config.lexeme.step(byte)
        if lexeme is not None:
            return self._within(config.point, lexeme)
        lexeme = config.lexeme
        behind = config.point.following(lexeme.spelled, lexeme.shaped, lexeme.text, 1 << byte)
        if behind is None or (self.parser.lexicon.first_of_skipped >> byte & 1 and behind.is_dead):
            return None
        return self._begun(behind, byte)

    def _begun(self, point: Point, byte: int) -> Config | None:
        """The config behind the first byte of a lexeme."""
        lexeme = point.expected_from(1 << byte).begun(byte)
        return None if lexeme is None else self._within(point, lexeme)

    def _within(self, point: Point, lexeme: Lexeme) -> Config | None:
        following = self.config(point, lexeme) if lexeme.alive else None
        if following is not None and lexeme.is_over and following.behind is None:
            return None  # its name may not be taken, and no longer name begins with it
        return following

    def _forget(self) -> None:
        for config in self._configs.values():
            config._next.clear()
        self._configs.clear()
