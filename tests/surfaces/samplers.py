"""Samplers that do what no model would: what comes out must be a text of the surface all the same.

Each writes one text, token by token, out of what a `SurfaceMatcher` allows, and is led to an end by the shortest way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from langc.compiler.surfaces.config import Engine
from langc.compiler.surfaces.masks.home import Homes
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.masks.tables import SurfaceTables
from langc.compiler.tokens.vocabulary import Vocabulary

KINDS = ("uniform", "bytes", "ghosts", "shortest", "longest")
Ids: TypeAlias = npt.NDArray[np.int64]
LONGEST = 32
"""Tokens of a text before it is led to an end."""
_LOOKED_AT = 400


@dataclass
class Sampler:
    """Texts of one surface in one vocabulary. `ghosts` are names that do not exist, which one kind tries to write."""

    engine: Engine
    vocabulary: Vocabulary
    ghosts: Sequence[bytes]
    seed: int = 0
    eager: int = 0
    """How often a token of a ghost was taken."""
    _ids: dict[bytes, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.tables = SurfaceTables(self.engine.start, self.vocabulary)
        self._homes = Homes(self.engine.parser, self.tables.nodes, self.tables.bytes_alone)
        tokens = self.vocabulary.tokens
        self._drowning = [np.array([_drowns(data or b"", blank) for data in tokens]) for blank in (False, True)]
        for number, data in enumerate(tokens):
            if data:
                self._ids.setdefault(data, []).append(number)

    def text(self, kind: str) -> str:
        """One text of a kind: so many tokens, and then the way to an end."""
        matcher = SurfaceMatcher(self.engine, self.vocabulary, tables=self.tables)
        data = b""
        for _ in range(int(self.random.integers(1, 4)) if kind == "shortest" else LONGEST):
            token = self._token(kind, matcher, data)
            assert matcher.advance(token)
            if matcher.ended:
                return data.decode()
            data += self.vocabulary.tokens[token]
        config = self.engine.start.run(data)
        assert config is not None
        return (data if config.accepting else data + self._homes.way(config)).decode()

    def _token(self, kind: str, matcher: SurfaceMatcher, data: bytes) -> int:
        allowed = np.flatnonzero(matcher.mask())
        assert len(allowed), f"a dead end behind {data!r}"
        ends = [token for token in self.vocabulary.eos_ids if matcher.allows(token)]
        if kind == "ghosts":
            wanted = [token for token in self._towards_ghosts(data) if matcher.allows(token)]
            if wanted:
                self.eager += 1
                return int(self.random.choice(wanted))
        if kind == "shortest" and ends:
            return ends[0]
        if kind == "longest" and len(allowed) > len(ends):
            allowed = np.setdiff1d(allowed, ends)
        if kind != "uniform":
            return self._by_first_byte(self._plain(allowed, data))
        return int(self.random.choice(allowed))

    def _plain(self, allowed: Ids, data: bytes) -> Ids:
        """Without what begins a comment or a run of blanks, if there is anything else: it would drown the names."""
        plain = allowed[~self._drowning[1 if data[-1:].isspace() else 0][allowed]]
        return self.random.permutation(plain if len(plain) else allowed)[:_LOOKED_AT]

    def _by_first_byte(self, allowed: Ids) -> int:
        """Each first byte is as likely as another, so that signs and keywords are not drowned by words."""
        groups: dict[bytes, list[int]] = {}
        for token in allowed.tolist():
            groups.setdefault((self.vocabulary.tokens[token] or b"")[:1], []).append(token)
        return int(self.random.choice(groups[list(groups)[int(self.random.integers(len(groups)))]]))

    def _towards_ghosts(self, data: bytes) -> Iterator[int]:
        """The tokens that begin a name that does not exist, or go on with one."""
        begun = len(data)
        while begun and (data[begun - 1 : begun].isalnum() or data[begun - 1] == 0x5F or data[begun - 1] == 0x2D):
            begun -= 1
        partial = data[begun:]
        for ghost in self.ghosts:
            if ghost.startswith(partial) and len(ghost) > len(partial):
                rest = ghost[len(partial) :]
                for end in range(1, len(rest) + 1):
                    yield from self._ids.get(rest[:end], ())
                    if not partial:
                        yield from self._ids.get(b" " + rest[:end], ())


def _drowns(token: bytes, blank: bool) -> bool:
    return token.startswith((b"-", b"/", b"  ", b"\t", b"\n", b"\r", b"\x0c")) or (blank and token[:1].isspace())
