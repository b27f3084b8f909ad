"""Samplers that do what no model would: what comes out must be a text of the surface all the same.

Each writes one text, token by token, and is then led to an end. Most often it is after something that may
be written (`aims.py`), in tokens that the engine takes; else it takes any token that the mask allows, and so it does
when it is after a ghost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.masks.tables import SurfaceTables
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.surfaces.aims import Aims
from tests.surfaces.endings import Endings

KINDS = ("uniform", "bytes", "ghosts", "shortest", "longest")
Ids: TypeAlias = npt.NDArray[np.int64]
_TOKENS = {"shortest": (1, 12), "longest": (30, 50)}
"""How many tokens a text has before it is led to an end."""
_OTHERS = (4, 32)
_PURPOSE = {"uniform": 0.7, "bytes": 0.88, "ghosts": 0.93, "shortest": 0.9, "longest": 0.93}
"""How often a sampler of a kind is after something."""
_GHOSTLY = 0.6
"""How often that is a ghost, if the kind is that of ghosts."""
_ENOUGH = 0.4
"""How often a text ends where only free values could follow."""
_TRIES = 1_000
_LOOKED_AT = 400
"""Tokens that one is taken from by its first byte."""
_SOME = 20
"""Ghosts that are written as values too."""


@dataclass
class Sampler:
    """Texts of one surface in one vocabulary.

    `ghosts` are names that do not exist, or not there, which one kind tries to write. `values` are for where anything
    may stand. With an `alphabet`, only tokens of its bytes are written.
    """

    engine: Engine
    vocabulary: Vocabulary
    ghosts: Sequence[bytes]
    values: Sequence[bytes] = (b"1", b"x")
    alphabet: bytes | None = None
    longer: int = 1
    """How many times as long texts become."""
    seed: int = 0
    eager: int = 0
    """How often a token of a ghost was taken."""
    given_up: int = 0
    """Texts of which no end was found in time."""

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.tables = SurfaceTables(self.engine.start, self.vocabulary)
        self.aims = Aims(self.engine, (*self.values, *self._some_ghosts()), self.random)
        tokens = self.vocabulary.tokens
        alphabet = frozenset(range(256) if self.alphabet is None else self.alphabet)
        self._endings = Endings(self.engine, self.values, Random(self.seed), bytes(sorted(alphabet)))
        self._usable = np.array([alphabet.issuperset(token) for token in tokens])
        drowning = cache(self._drowns)
        self._drowning = [np.array([drowning(token[:2], blank) for token in tokens]) for blank in (False, True)]
        self._ends = sorted(self.vocabulary.eos_ids)

    def _some_ghosts(self) -> list[bytes]:
        return [self.ghosts[at] for at in self.random.permutation(len(self.ghosts))[:_SOME]]

    def text(self, kind: str) -> str:
        """One text of a kind: so many tokens, and then an end."""
        while not (text := self._text(kind)):
            assert self.given_up < _TRIES, "no ends are found"
        return text

    def _text(self, kind: str) -> str:
        matcher = SurfaceMatcher(self.engine, self.vocabulary, tables=self.tables)
        config, data, aim, is_ghost = self.engine.start, b"", b"", False
        for _ in range(self.longer * int(self.random.integers(*_TOKENS.get(kind, _OTHERS)))):
            if config.accepting and self._is_enough(kind, config):
                break
            if not aim and self.random.random() < _PURPOSE[kind]:
                aim, is_ghost = self._aim(kind, config)
            token = self._allowed_towards(aim, matcher) if is_ghost else self._towards(aim, config)
            aim = b"" if token is None else aim[len(self.vocabulary.tokens[token]) :]
            token = self._any(kind, matcher, data) if token is None else token
            assert matcher.advance(token)
            if matcher.ended:
                return data.decode()
            data += self.vocabulary.tokens[token]
            following = config.run(self.vocabulary.tokens[token])
            assert following is not None
            config = following
        return self._ended(config, data).decode()

    def _ended(self, config: Config, data: bytes) -> bytes:
        """The text with an end; nothing if none was found in time."""
        ending = self._endings.ending(config)
        if ending is None:
            self.given_up += 1
            return b""
        return data + ending

    def _is_enough(self, kind: str, config: Config) -> bool:
        if kind == "shortest":
            return self.random.random() < _ENOUGH
        return kind != "longest" and self.aims.only_values(config) and self.random.random() < _ENOUGH

    # --- with an aim ---

    def _aim(self, kind: str, config: Config) -> tuple[bytes, bool]:
        """What to write next, and whether it is a ghost: those are tried where names may stand."""
        if kind == "ghosts" and self.random.random() < _GHOSTLY:
            blanks = self.aims.blanks_before_names(config)
            if blanks is not None:
                return blanks + self.aims.choice(self.ghosts), True
        return self.aims.aim(config), False

    def _towards(self, aim: bytes, config: Config) -> int | None:
        """A token that an aim begins with: every other time the longest one."""
        found, here = list[int](), config
        for end in range(1, len(aim) + 1):
            following = here.step(aim[end - 1])
            if following is None:
                break
            here = following
            found += self._usable_ids(aim[:end])
        return self._one_of(found)

    def _allowed_towards(self, aim: bytes, matcher: SurfaceMatcher) -> int | None:
        """As `_towards`, by the mask alone."""
        row = matcher.mask()
        beginnings = (aim[:end] for end in range(1, len(aim) + 1))
        found = [token for text in beginnings for token in self._usable_ids(text) if row[token]]
        self.eager += bool(found)
        return self._one_of(found)

    def _usable_ids(self, text: bytes) -> list[int]:
        return [token for token in self.vocabulary.ids_for_bytes(text) if self._usable[token]]

    def _one_of(self, found: list[int]) -> int | None:
        if not found:
            return None
        return found[-1] if self.random.random() < 0.7 else self.aims.choice(found)

    # --- without one ---

    def _any(self, kind: str, matcher: SurfaceMatcher, data: bytes) -> int:
        allowed = np.flatnonzero(matcher.mask()[: len(self._usable)] & self._usable)
        assert len(allowed), f"a dead end behind {data!r}"
        if kind == "longest" and not np.isin(allowed, self._ends).all():
            allowed = np.setdiff1d(allowed, self._ends)
        if kind == "uniform":
            return int(self.random.choice(allowed))
        return self._by_first_byte(self._plain(allowed, data))

    def _plain(self, allowed: Ids, data: bytes) -> Ids:
        """Without what begins a comment or a run of blanks, if there is anything else."""
        plain = allowed[~self._drowning[1 if data[-1:].isspace() else 0][allowed]]
        return self.random.permutation(plain if len(plain) else allowed)[:_LOOKED_AT]

    def _by_first_byte(self, allowed: Ids) -> int:
        """Each first byte is as likely as another, so that signs and keywords are not drowned by words."""
        groups: dict[bytes, list[int]] = {}
        for token in allowed.tolist():
            groups.setdefault((self.vocabulary.tokens[token] or b"")[:1], []).append(token)
        return self.aims.choice(groups[self.aims.choice(list(groups))])

    def _drowns(self, first: bytes, blank: bool) -> bool:
        """Whether a token with these first bytes, behind a blank or not, begins a comment or a run of blanks."""
        begins = len(first) > 1 and any(skipped.run(first) for skipped in self.engine.parser.lexicon.skipped)
        return begins or first.startswith((b"  ", b"\t", b"\n", b"\r", b"\x0c")) or (blank and first[:1].isspace())
