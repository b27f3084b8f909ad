"""The masks of a surface over a vocabulary, as tables that a `TokenMachine` runs on.

Invariant: a token is allowed iff there is a step for each of its bytes, one after another. As a place of a text is only
come to if an end can be reached from it, and as every byte of a text is a token of its own, an allowed token never
leads to a dead end; a vocabulary without such tokens is refused. States are numbers that hold a place; a number is
never given twice, so rows may be kept by it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import PolicyError
from langc.compiler.limits import MAX_SURFACE_CONFIGS
from langc.compiler.surfaces.engine.config import Config
from langc.compiler.surfaces.engine.lexemes import Lexeme
from langc.compiler.surfaces.engine.parse import Point
from langc.compiler.surfaces.engine.threads import Thread
from langc.compiler.surfaces.masks.certain import Certain
from langc.compiler.surfaces.masks.cuts import Cut, Cuts
from langc.compiler.surfaces.masks.heads import Heads, Ints, Nodes
from langc.compiler.surfaces.masks.home import Homes, Place, place
from langc.compiler.surfaces.masks.ids import Ids, Rows, joined
from langc.compiler.surfaces.masks.next_bytes import next_bytes
from langc.compiler.surfaces.masks.rehearsal import rehearsed
from langc.compiler.surfaces.masks.strangers import Strangers
from langc.compiler.surfaces.masks.writable import bytes_alone, check_writable
from langc.compiler.tokens.rows import KeptRows
from langc.compiler.tokens.tables import Edges
from langc.compiler.tokens.trie import TokenTrie
from langc.compiler.tokens.vocabulary import Vocabulary

FOUND_BYTES = 64 << 20
_FREE = np.zeros(1, dtype=np.float64)


class State(int):
    """The number of a place, and the place."""

    config: Config

    @classmethod
    def of(cls, number: int, config: Config) -> State:
        """A new one."""
        state = cls(number)
        state.config = config
        return state


@dataclass(frozen=True, eq=False)
class Found:
    """The tokens that may be read below some heads."""

    parts: tuple[Ids, ...]
    """Some ids may be there twice. Large parts are shared with other places."""

    @property
    def nbytes(self) -> int:
        """The memory that it holds alone, about."""
        return 256 + sum(part.nbytes for part in self.parts if not part.is_large)


class _Ends:
    """The states in which a text may end."""

    def __contains__(self, state: object) -> bool:
        return isinstance(state, State) and state.config.accepting


class SurfaceTables:
    """See the module; what `tokens.machine.Tables` asks for.

    Args:
        start: the beginning of a text.
        vocabulary: the tokens.

    Raises:
        PolicyError: some byte is part of a token, of a name or of the surface, and no token itself (LC0406); or there
            is no text at all (LC0402).
    """

    accepting = endable = _Ends()
    costs = _FREE
    end_levels = np.zeros(0, dtype=np.int32)

    def __init__(self, start: Config, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.size, self.eos_ids = vocabulary.size, vocabulary.eos_ids
        self.nodes = Nodes(TokenTrie.build(vocabulary.tokens))
        self.bytes_alone = bytes_alone(vocabulary)
        check_writable(start.engine, vocabulary, self.bytes_alone)
        self._rows = Rows(self.size)
        self._cuts = Cuts(self.nodes)
        self._numbers = itertools.count()
        self._states: dict[Place, State] = {}
        self._at: KeptRows[int, Found] = KeptRows(self._find_at, FOUND_BYTES)
        self._certain = Certain(start.engine.parser.reaches, self.nodes, self._cuts)
        self._strangers = Strangers(start.engine.parser, self.nodes)
        self._parser = start.engine.parser
        self._found: KeptRows[tuple[Heads, frozenset[Thread]], Found] = KeptRows(self._find_behind, FOUND_BYTES)
        self.start = self.state_of(start)
        if not start.point.live:
            raise PolicyError(_nothing_to_write(start))

    @cached_property
    def homes(self) -> Homes:
        """Ways to an end."""
        return Homes(self.start.config.engine.parser, self.nodes, self.bytes_alone)

    def plain_states(self) -> Iterator[State]:
        """Places behind short beginnings of texts: what masks there are made of is met again behind longer ones."""
        return map(self.state_of, rehearsed(self.homes, self.start.config))

    def here(self, state: int) -> Config:
        """The place that a state is."""
        return _config(state)

    def open_bytes(self, here: Config) -> Iterator[int]:
        """The bytes that may come next."""
        return next_bytes(here)

    def state_of(self, config: Config) -> State:
        """The state of a place."""
        here = place(config)
        found = self._states.get(here)
        if found is None:
            if len(self._states) >= MAX_SURFACE_CONFIGS:
                self._states.clear()
            found = self._states[here] = State.of(next(self._numbers), config)
        return found

    def mask(self, state: int) -> npt.NDArray[np.bool_]:
        """bool [size]: the allowed tokens."""
        return self._rows.together(self._parts(state))

    def allowed(self, state: int) -> Ints:
        """The allowed tokens, ascending."""
        return np.flatnonzero(self.mask(state)).astype(np.int32)

    def target(self, state: int, token: int) -> State | None:
        """Where an allowed token leads, None for a refused one."""
        spelled = self.nodes.trie.token_bytes(token)
        config = _config(state).run(spelled) if spelled else None
        return None if config is None else self.state_of(config)

    def edges(self, state: int) -> Edges:
        """The allowed tokens, and where each leads."""
        ids = self.allowed(state)
        targets = [self.target(state, token) for token in ids.tolist()]
        assert None not in targets
        return Edges(ids, np.array(targets, dtype=np.int32), np.zeros(len(ids), dtype=np.int32))

    def _parts(self, state: int) -> Sequence[Ids]:
        return self._at[state].parts

    def _find_at(self, state: int) -> Found:
        config = _config(state)
        return Found(joined(self._find(self.nodes.root, config.point, config.lexeme).parts))

    def _find_behind(self, key: tuple[Heads, frozenset[Thread]]) -> Found:
        heads, kernel = key  # and no point: the engine may have forgotten it, and made it anew
        point = self._parser.point(kernel)
        certain = self._certain.settled(heads, point.certain_at_once)
        if certain.left is not None:
            certain = self._certain.settled(heads, point.certain)
        if certain.left is None:
            return Found(certain.parts)
        return self._find(certain.left, point, point.expected_from(certain.left.first).start, certain.parts)

    def _find(self, heads: Heads, point: Point, lexeme: Lexeme, known: Iterable[Ids] = ()) -> Found:
        cut = self._cuts.cut(heads, lexeme)
        found = [*known, *cut.inside]
        for behind, left in self._behind(point, lexeme.text, cut):
            found += self._found[self.nodes.together(left), behind.kernel].parts
        return Found(tuple(dict.fromkeys(found)))

    def _behind(self, point: Point, text: bytes, cut: Cut) -> Iterable[tuple[Point, list[Heads]]]:
        """The points behind a lexeme, each with what is left of the tokens and may be read there."""
        found: dict[Point, list[Heads]] = {}
        for read, spelled, shaped, rest in self._strangers.ways(cut, point, text):
            behind = point.following(spelled, shaped, text + read)
            left = None if behind is None else self.nodes.begun_by(rest, behind.begins)
            if behind is not None and left is not None:
                found.setdefault(behind, []).append(left)
        return found.items()


def _config(state: int) -> Config:
    assert isinstance(state, State)
    return state.config


def _nothing_to_write(start: Config) -> Diagnostic:
    engine = start.engine
    return Diagnostic(
        "LC0402",
        f"surface {engine.surface.name} permits no text over the names of {engine.environment.name}",
        help="some name that every text needs is not there; `langc env` lists what is",
    )
