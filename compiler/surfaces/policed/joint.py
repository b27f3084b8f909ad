"""A place of a text that has to be one of a surface and of a policy, one step a byte.

Invariant: what was read is the beginning of a text of the surface, and of one of the policy. That the two are the same
text is not said here: see `home.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from langc.compiler.surfaces.engine.config import Config
from langc.compiler.surfaces.masks.home import Place, place
from langc.compiler.tokens.machine import Tables
from langc.compiler.tokens.vocabulary import Vocabulary

BYTES = Vocabulary("bytes", tuple(bytes((byte,)) for byte in range(256)))
"""To read texts without any other."""
_REMEMBERED = 1 << 20
JointPlace = tuple[Place, int]


class Steps:
    """A policy byte by byte, over its tables for a vocabulary; bytes that no token writes are refused."""

    def __init__(self, tables: Tables, vocabulary: Vocabulary) -> None:
        self._tables = tables
        ids = (vocabulary.ids_for_bytes(bytes((byte,))) for byte in range(256))
        self._tokens = [found[0] if found else None for found in ids]
        self._known: dict[tuple[int, int], int | None] = {}

    def step(self, state: int, byte: int) -> int | None:
        """The state behind a byte, None if it is refused."""
        key = (state, byte)
        try:
            return self._known[key]
        except KeyError:
            token = self._tokens[byte]
            found = None if token is None else self._tables.target(state, token)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = found
            return found

    def run(self, state: int, text: bytes) -> int | None:
        """The state behind several bytes."""
        at: int | None = state
        for byte in text:
            if at is None:
                return None
            at = self.step(at, byte)
        return at

    def ends(self, state: int) -> bool:
        """Whether a text may end."""
        return state in self._tables.endable


@dataclass(eq=False, slots=True)
class Joint:
    """See the module."""

    config: Config
    state: int
    """Of the policy."""
    steps: Steps

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""
        return self.steps.ends(self.state) and self.config.accepting

    def step(self, byte: int) -> Joint | None:
        """The place after one more byte."""
        state = self.steps.step(self.state, byte)
        config = None if state is None else self.config.step(byte)
        return None if state is None or config is None else Joint(config, state, self.steps)

    def run(self, text: bytes) -> Joint | None:
        """The place after several bytes."""
        state = self.steps.run(self.state, text)
        config = None if state is None else self.config.run(text)
        return None if state is None or config is None else Joint(config, state, self.steps)

    @property
    def place(self) -> JointPlace:
        """What tells places apart, though an engine has forgotten them in between."""
        return place(self.config), self.state
