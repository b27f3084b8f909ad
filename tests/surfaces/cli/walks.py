"""Lines of a surface, written byte by byte by something that no model is: at random, or after names that do not exist.

A walk takes what the engine lets it take, for some length, and then looks for an end. What comes out is for the tool
itself to judge (`judges.py`).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.environment.canonical import from_json
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.syntax import read_surfaces

ROOT = Path(__file__).parents[3]
KINDS = ("uniform", "ghosts", "shortest", "longest")
ALL = bytes(range(0x20, 0x7F)) + "é".encode()
HARMLESS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_=:,'\""
"""No word of these leaves the directory in which it is read."""
_SHORT, _LONG, _ENDING, _ATTEMPTS = 60, 140, 300, 20
_ENDINGS = tuple(
    quote + word + quote2 + rest
    for quote in ("", "'", '"')
    for word in ("", "x")
    for quote2 in ("", "'")
    for rest in ("", " x", " -i x")
)
"""What may close what is open: quotes, a value, an operand."""


def engine(policy: Path, surface: str, environment: Environment | Path, opened: Collection[str] = ()) -> Engine:
    """The surface of a policy file over an environment, with the names of some sorts open."""
    read = read_surfaces(Source.of(str(policy), policy.read_text(encoding="utf-8")))[surface]
    if isinstance(environment, Path):
        environment = from_json(environment.read_text(encoding="utf-8"), str(environment))
    return LoadedSurface(read, environment, {}).with_levels(dict.fromkeys(opened, "open")).engine


def refused_at(engine: Engine, line: str) -> int | None:
    """The offset of the byte that cannot be written; the length if the line cannot end there; None if it is a line."""
    config: Config | None = engine.start
    for offset, byte in enumerate(line.encode()):
        assert config is not None
        config = config.step(byte)
        if config is None:
            return offset
    assert config is not None
    return None if config.accepting else len(line.encode())


@dataclass
class Walker:
    """Writes lines. `ghosts` are words that one kind of walk tries to write wherever a word begins."""

    engine: Engine
    ghosts: Sequence[str]
    seed: int = 0
    alphabet: bytes = ALL
    _alive: dict[Config, bytes] = field(default_factory=dict)
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def alive(self, config: Config) -> bytes:
        """The bytes of the alphabet that may follow."""
        found = self._alive.get(config)
        if found is None:
            if len(self._alive) > 100_000:
                self._alive.clear()
            found = self._alive[config] = bytes(byte for byte in self.alphabet if config.step(byte) is not None)
        assert found or config.accepting, "a dead end"
        return found

    def line(self, kind: str) -> str:
        """One line of a kind."""
        config, data = self.engine.start, b""
        most = _LONG if kind == "longest" else self._random.randrange(_SHORT)
        while len(data) < most and not (kind == "shortest" and config.accepting):
            if kind == "ghosts" and (not data or data[-1:] in b" -=:,'\"") and self._random.random() < 0.8:
                config, data = self._after_ghost(config, data)
            options = self.alive(config)
            if not options:
                break
            config, data = self._taken(config, data, self._byte(options, kind))
        return self._ended(config, data)

    def _taken(self, config: Config, data: bytes, byte: int) -> tuple[Config, bytes]:
        behind = config.step(byte)
        assert behind is not None
        return behind, data + bytes((byte,))

    def _byte(self, options: bytes, kind: str) -> int:
        if kind != "uniform" and self._random.random() < 0.3:
            signs = [byte for byte in options if byte in b" -=:"]
            if signs:
                return self._random.choice(signs)
        return self._random.choice(options)

    def _after_ghost(self, config: Config, data: bytes) -> tuple[Config, bytes]:
        """As much of a word that does not exist as can be written."""
        for byte in self._random.choice(self.ghosts).encode():
            if byte not in self.alive(config):
                break
            config, data = self._taken(config, data, byte)
        return config, data

    def _ended(self, config: Config, data: bytes) -> str:
        for _ in range(_ATTEMPTS):
            here, text = config, data
            for _ in range(_ENDING):
                for ending in _ENDINGS:
                    behind = here.run(ending.encode())
                    if behind is not None and behind.accepting:
                        return text.decode() + ending
                here, text = self._taken(here, text, self._random.choice(self.alive(here)))
        raise AssertionError(f"no end is found behind {data!r}")
