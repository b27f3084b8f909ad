"""What engines are compared with: the masks of langc's own matcher, and what can be said of tokens in a place.

Invariant: everything follows from the policy's tables and the vocabulary; no engine has a part in it. The tables
themselves are held to an oracle by the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from langc.compiler.automata.boolean import universal
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.automata.soften import harden
from langc.compiler.policy import Policy
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.rows import RowCache
from langc.compiler.tokens.tables import TokenTables, build_tables, walk_table
from langc.compiler.tokens.trie import IntArray
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.compiler.unicode.intervals import SCALARS
from langc.compiler.verify.engines.machine import free
from langc.compiler.verify.engines.protocol import Mask, pack
from langc.compiler.verify.walks import unfinished

Ints = npt.NDArray[np.int64]

_CACHE_BYTES = 256 << 20
_KEPT = 12
"""How many allowed and refused ids of a state are kept to ask engines about."""


@dataclass(frozen=True)
class Place:
    """Where a prefix ends."""

    before: bytes
    """All bytes of the prefix."""
    state: int
    """Of the token automaton."""
    last: bytes = b""
    """The bytes of the last token."""

    @cached_property
    def rest(self) -> bytes:
        """The bytes of the unfinished character."""
        return unfinished(self.before)

    @property
    def is_begun_behind_text(self) -> bool:
        """Whether one token holds the unfinished character, and the end of another before it."""
        return 0 < len(self.rest) < len(self.last)


class Reference:
    """One policy over one vocabulary and one width of logits.

    Raises:
        PolicyError: the vocabulary cannot write any permitted text (LC0402).
        UnsupportedTokenizerError: `rows` is smaller than the vocabulary (LC0650).
        LimitError: the automaton is over its budget.
    """

    def __init__(self, policy: Policy, vocabulary: Vocabulary, rows: int | None = None) -> None:
        self.policy = policy
        self.vocabulary = vocabulary
        self.tables: TokenTables = build_tables(policy, vocabulary)
        self.machine = TokenMachine(self.tables, rows, on_dead_end="stop")
        self.rows = self.machine.rows
        self._packed: RowCache[np.uint8] = RowCache(self._pack, _CACHE_BYTES)
        self._samples: dict[int, tuple[Ints, Ints]] = {}
        self._readable: dict[int, Mask] = {}

    def packed(self, state: int) -> npt.NDArray[np.uint8]:
        """The mask of a state, in bits."""
        return self._packed[state]

    def place(self, prefix: Sequence[int]) -> Place | None:
        """Where a prefix leads, None if it is not permitted."""
        state: int | None = self.machine.start
        for token in prefix:
            state = None if state is None else self.machine.next(state, token)
        return None if state is None else self.place_in(state, prefix)

    def place_in(self, state: int, prefix: Sequence[int]) -> Place:
        """The same where the state is known."""
        return Place(self.spelled(prefix), state, self.spelled(prefix[-1:]))

    def spelled(self, tokens: Sequence[int]) -> bytes:
        """The bytes of a row of tokens; those of a marker are its spelling."""
        return b"".join(map(self.tables.trie.token_bytes, tokens))

    def sample(self, state: int, turn: int) -> Ints:
        """Ids to ask an engine about: every end, some that are special or padding, some allowed and some refused."""
        if state not in self._samples:
            self.packed(state)
        allowed, refused = self._samples[state]
        parts = [self._ends, _round(self._others, 2, turn), _round(allowed, 3, turn), _round(refused, 3, turn)]
        return np.unique(np.concatenate(parts))

    def well_formed(self, place: Place) -> Mask:
        """bool [rows]: the text tokens after which the text is still the beginning of well-formed UTF-8."""
        state = reading(place.rest)
        if state not in self._readable:
            row = np.zeros(self.rows, np.bool_)
            row[self.tables.trie.walk(_reader()[1], state)[0]] = True
            self._readable[state] = row
        return self._readable[state]

    def reads(self, state: int, spelled: bytes) -> int:
        """The state behind some bytes, whatever this vocabulary can write behind them; 0 if they are refused."""
        table = self.tables.table
        for byte in spelled:
            state = int(table[state, byte])
        return state % len(self.tables.live)

    @cached_property
    def is_text(self) -> Mask:
        """bool [rows]: the tokens that write something."""
        row = np.zeros(self.rows, np.bool_)
        row[[token for token, spelled in enumerate(self.vocabulary.tokens) if spelled]] = True
        return row

    @cached_property
    def is_end(self) -> Mask:
        """bool [rows]: the tokens that end a text."""
        row = np.zeros(self.rows, np.bool_)
        row[self._ends] = True
        return row

    @cached_property
    def _ends(self) -> Ints:
        return np.array(sorted(self.vocabulary.eos_ids), np.int64)

    @cached_property
    def _others(self) -> Ints:
        """Special ids and padding."""
        special = sorted(self.vocabulary.special_ids - self.vocabulary.eos_ids)
        return np.array([*special, *range(self.vocabulary.size, self.rows)], np.int64)

    def _pack(self, state: int) -> npt.NDArray[np.uint8]:
        mask = free(self.machine, state)
        self._samples[state] = _spread(np.flatnonzero(mask)), _spread(np.flatnonzero(~mask))
        return pack(mask, self.rows)


def reading(rest: bytes) -> int:
    """The state of a reader of all well-formed text behind the beginning of a character; 0 if there is no such one."""
    state, table = _reader()
    for byte in rest:
        state = int(table[state, byte])
    return state


@cache
def _reader() -> tuple[int, IntArray]:
    """The start and the table of an automaton over all well-formed UTF-8."""
    dfa = lower_to_bytes(universal(SCALARS))
    return dfa.start, walk_table(harden(dfa))


def _spread(ids: Ints) -> Ints:
    """Up to `_KEPT` ids at even distances."""
    count = min(_KEPT, len(ids))
    picks: Ints = ids[np.arange(count) * len(ids) // max(count, 1)]
    return picks


def _round(ids: Ints, count: int, turn: int) -> Ints:
    """`count` of the ids, others each turn."""
    picks: Ints = ids[(np.arange(min(count, len(ids))) * 5 + turn) % max(len(ids), 1)]
    return picks
