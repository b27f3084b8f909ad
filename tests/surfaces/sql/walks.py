"""Walks through a surface that try to write what they should not, byte by byte or word by word.

A walk takes what the engine lets it take, at random, for some length, and then looks for an end. What comes out is for
SQLite to judge.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.environment.providers import Request, read
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.syntax import read_surfaces
from tests.surfaces.endings import BYTES, DeadEnd, Endings

POLICY = Path(__file__).parents[3] / "grammars" / "sql.policy"
SIGNS = ("(", ")", ",", ".", "*", ";", "=", "<", ">=", "<>", "||", "+", "-", "/", "%", "~", " ")
VALUES = ("0", "1", "2", "3", "7", "1.5", "'x'", "'%'", "''''", '"x"', '"name"', "99999999999999999999", ".5e3", "1e")


def environment(schema: str) -> Environment:
    """Γ of a schema, read from a database of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schema.db"
        connection = sqlite3.connect(path)
        connection.executescript(schema)
        connection.close()
        return read(Request("db", "sqlite", (str(path),), Path(folder)))


def engine(schema: str, opened: Collection[str] = ()) -> Engine:
    """The surface over a schema, with the names of some sorts open."""
    surface = read_surfaces(Source.of(str(POLICY), POLICY.read_text(encoding="utf-8")))["sql"]
    return LoadedSurface(surface, environment(schema), {}).with_levels(dict.fromkeys(opened, "open")).engine


def refused_at(engine: Engine, text: str | bytes) -> int | None:
    """The offset of the byte that cannot be written; the length if the text cannot end there; None if it is a text."""
    config: Config | None = engine.start
    data = text if isinstance(text, bytes) else text.encode()
    for offset, byte in enumerate(data):
        assert config is not None
        config = config.step(byte)
        if config is None:
            return offset
    assert config is not None
    return None if config.accepting else len(data)


@dataclass
class Walker:
    """Walks of one engine. `words` are what it tries to write."""

    engine: Engine
    words: Sequence[str]
    random: random.Random
    given_up: int = 0
    _word_bytes: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._word_bytes = [word.encode() for word in self.words]
        self._endings = Endings(self.engine, (b"1", b"'x'"), self.random)

    # --- by bytes ---------------------------------------------------------------------------------------------------

    def by_bytes(self, length: int) -> str | None:
        """A text by single bytes, each of those that may follow being as likely; None if no end was found."""
        config, text = self.engine.start, bytearray()
        while len(text) < length or self.inside(text):
            open_ = [byte for byte in BYTES if config.step(byte) is not None]
            if not open_:
                if config.accepting:
                    break
                raise DeadEnd(bytes(text))
            byte = self.random.choice(self._weighed(open_))
            following = config.step(byte)
            assert following is not None
            config = following
            text.append(byte)
        return self._ended(config, bytes(text))

    def inside(self, text: bytearray) -> bool:
        """Whether a text ends inside of a character."""
        try:
            text.decode()
        except UnicodeDecodeError as error:
            return error.reason == "unexpected end of data"
        return False

    def _weighed(self, open_: list[int]) -> list[int]:
        """The bytes, with fewer of them where everything is possible: inside of strings and comments."""
        if len(open_) < 150:
            return open_
        return [byte for byte in open_ if byte in b"'\"`]*/\n xa"] or open_

    # --- by words ---------------------------------------------------------------------------------------------------

    def by_words(self, count: int, taste: str = "any") -> str | None:
        """A text by words. `taste`: `any`, `ghosts` (names before keywords), `long` (openers), `short` (closers)."""
        config, text = self.engine.start, b""
        for _ in range(count):
            if taste == "short" and config.accepting:
                break
            step = self._one_word(config, taste)
            if step is None:
                break
            config, written = step
            text += written
        return self._ended(config, text)

    def _one_word(self, config: Config, taste: str) -> tuple[Config, bytes] | None:
        pool = self._word_bytes[:]
        self.random.shuffle(pool)
        if taste != "any":
            pool.sort(key=lambda word: _rank(word, taste) + self.random.random() * 1.5)
        for word in pool:
            for spaced in (word, b" " + word) if self.random.random() < 0.3 else (b" " + word, word):
                following = config.run(spaced)
                if following is not None:
                    return following, spaced
        return None

    # --- to an end --------------------------------------------------------------------------------------------------

    def _ended(self, config: Config, text: bytes) -> str | None:
        ending = self._endings.ending(config)
        if ending is None:
            self.given_up += 1
            return None
        return (text + ending).decode()


def _rank(word: bytes, taste: str) -> float:
    if taste == "ghosts":
        return 0 if word[:1].isalpha() and word.islower() else 1
    closers = (b")", b";", b"END", b"FROM", b"x", b"1")
    openers = (b"(", b"SELECT", b"JOIN", b"CASE", b",", b"WITH", b"UNION", b"AND")
    return 0 if word in (openers if taste == "long" else closers) else 1


def words(environment: Environment, surface_words: Sequence[str]) -> list[str]:
    """What is tried: the names of Γ, bare and quoted, names that are not there, keywords, signs and values."""
    names: dict[str, None] = {}
    for table in environment.group("Table"):
        names[table.name] = None
        for column in table.members["Column"]:
            names[column.name] = None
    functions = [entry.name for entry in environment.group("Function")]
    quoted = [f'"{name}"' for name in names if name] + [f"[{name}]" for name in list(names)[:3]]
    invented = ["x", "y", "t1", "T2", "nam", "title", "total", "id2", "rowid", "main", "sqlite_master", '"y"', "`x`"]
    return [*dict.fromkeys((*names, *quoted, *invented, *functions, *surface_words, *SIGNS, *VALUES))]
