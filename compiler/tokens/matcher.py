"""The matcher: which token may come next, as a pure function of the tokens so far.

Invariant: `mask()[i]`, `allows(i)` and what `advance(i)` would return agree for every id, special ids and
padding rows included. All functions are total: after the end only end-of-sequence is allowed by the mask,
and nothing advances. State is one number per token of the history, so `fork` and `rollback` are cheap and
beams may be reordered at will; the tables are shared between forks.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, PolicyError, UnsupportedTokenizerError
from langc.compiler.policy import Policy
from langc.compiler.tokens.rows import RowCache
from langc.compiler.tokens.tables import Edges, TokenTables, build_tables
from langc.compiler.tokens.vocabulary import Vocabulary

ENDED = -1
"""The state after end-of-sequence."""
LOST = -2
"""The state after a history that holds a token the policy refuses (`sync` only)."""

ON_DEAD_END = ("error", "stop")


class DeadEndError(LangcError):
    """The history is outside the policy, and `on_dead_end` is `error`."""


class Matcher:
    """One text in the making.

    Args:
        policy: what may be written.
        vocabulary: the tokens it is written in.
        rows: the width of the model's logits; rows beyond the tokenizer's are never allowed.
        on_dead_end: when `sync` was handed a history outside the policy, or a vocabulary without
            end-of-sequence leaves nothing to write: `error` raises DeadEndError from `mask`, `stop`
            allows end-of-sequence alone.

    Raises:
        PolicyError: the vocabulary cannot write any permitted text, or `on_dead_end` is unknown.
        UnsupportedTokenizerError: `rows` is smaller than the vocabulary (LC0650).
        LimitError: a budget is spent.
    """

    def __init__(
        self, policy: Policy, vocabulary: Vocabulary, rows: int | None = None, on_dead_end: str = "error"
    ) -> None:
        width = vocabulary.size if rows is None else rows
        _check(width, vocabulary, on_dead_end)
        self._shared = _Shared(build_tables(policy, vocabulary), vocabulary.eos_ids, width, on_dead_end)
        self._states = [self._shared.tables.start]
        self._ids: list[int] = []

    @classmethod
    def from_tables(
        cls, tables: TokenTables, eos_ids: frozenset[int], rows: int | None = None, on_dead_end: str = "error"
    ) -> Matcher:
        """A matcher over tables made before (out of a `processor` file, say)."""
        new = cls.__new__(cls)
        new._shared = _Shared(tables, eos_ids, rows or tables.size, on_dead_end)
        new._states = [tables.start]
        new._ids = []
        return new

    @property
    def rows(self) -> int:
        """The width of `mask()` and `bias()`."""
        return self._shared.rows

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens so far."""
        return tuple(self._ids)

    @property
    def accepting(self) -> bool:
        """Whether the text so far is permitted as a whole, or has ended."""
        return self._states[-1] == ENDED or self._states[-1] in self._shared.tables.accepting

    @property
    def ended(self) -> bool:
        """Whether end-of-sequence was written."""
        return self._states[-1] == ENDED

    def mask(self) -> npt.NDArray[np.bool_]:
        """bool [rows], read-only: the tokens that may come next."""
        return self._shared.masks[self._state()]

    def bias(self) -> npt.NDArray[np.float32]:
        """float32 [rows], read-only: what to add to the logits: 0, -bias of a soft policy, or -inf."""
        return self._shared.costs[self._state()]

    def allows(self, token: int) -> bool:
        """Whether the token may come next; False for any id that does not exist."""
        return 0 <= token < self.rows and bool(self.mask()[token])

    def advance(self, token: int) -> bool:
        """Write a token. A refused one changes nothing and gives False; so does anything after the end."""
        target = self._shared.next(self._states[-1], token)
        if target is None:
            return False
        self._states.append(target)
        self._ids.append(token)
        return True

    def sync(self, ids: Iterable[int]) -> bool:
        """Make `ids` the history, keeping the work on what it shares with the present one.

        Returns:
            Whether all of it is permitted. If not, the matcher is lost until it is rolled back,
            reset or synced again: see `on_dead_end`. Tokens after end-of-sequence (padding) are fine.
        """
        wanted = [int(i) for i in ids]
        shared = 0
        for mine, theirs in zip(self._ids, wanted, strict=False):
            if mine != theirs:
                break
            shared += 1
        self.rollback(len(self._ids) - shared)
        for token in wanted[shared:]:
            self._states.append(self._shared.follow(self._states[-1], token))
            self._ids.append(token)
        return self._states[-1] != LOST

    def rollback(self, count: int) -> None:
        """Take back the last `count` tokens. Raises ValueError if there are fewer."""
        if not 0 <= count <= len(self._ids):
            raise ValueError(f"cannot take back {count} of {len(self._ids)} tokens")
        if count:
            del self._states[-count:]
            del self._ids[-count:]

    def fork(self) -> Matcher:
        """An independent matcher with the same history."""
        new = Matcher.__new__(Matcher)
        new._shared = self._shared
        new._states = list(self._states)
        new._ids = list(self._ids)
        return new

    def reset(self) -> None:
        """Forget the history."""
        self.rollback(len(self._ids))

    def _state(self) -> int:
        state = self._states[-1]
        if state == LOST and self._shared.on_dead_end == "error":
            raise DeadEndError(_dead_end(self._ids))
        return state


class _Shared:
    """What all forks of a matcher have in common."""

    def __init__(self, tables: TokenTables, eos_ids: frozenset[int], rows: int, on_dead_end: str) -> None:
        self.tables = tables
        self.eos_ids = eos_ids
        self.eos = np.array(sorted(eos_ids), dtype=np.int64)
        self.rows = rows
        self.on_dead_end = on_dead_end
        self.masks: RowCache[np.bool_] = RowCache(self._mask)
        self.costs: RowCache[np.float32] = RowCache(self._cost)

    def next(self, state: int, token: int) -> int | None:
        """The state after an allowed token, None after a refused one."""
        if state < 0:
            return None
        if token in self.eos_ids:
            return ENDED if state in self.tables.endable else None
        found = self._edges(state)
        at = int(np.searchsorted(found.ids, token))
        if at == found.ids.size or found.ids[at] != token:
            return None
        return int(found.targets[at])

    def follow(self, state: int, token: int) -> int:
        """As `next`, for histories from outside: refused tokens lose the way, the end stays the end."""
        if state in (ENDED, LOST):
            return state
        target = self.next(state, token)
        return LOST if target is None else target

    def _edges(self, state: int) -> Edges:
        return self.tables.edges[state]

    def _mask(self, state: int) -> npt.NDArray[np.bool_]:
        row = np.zeros(self.rows, dtype=np.bool_)
        if state >= 0:
            row[self._edges(state).ids] = True
        row[self.eos] = state < 0 or state in self.tables.endable
        return row

    def _cost(self, state: int) -> npt.NDArray[np.float32]:
        row = np.full(self.rows, -np.inf, dtype=np.float32)
        price = np.float32(-(self.tables.bias or 0.0))
        if state >= 0:
            found = self._edges(state)
            row[found.ids] = np.where(found.violates, price, np.float32(0.0))
        if state < 0 or state in self.tables.endable:
            row[self.eos] = 0.0 if state < 0 or state in self.tables.accepting else price
        return row


def _check(rows: int, vocabulary: Vocabulary, on_dead_end: str) -> None:
    if rows < vocabulary.size:
        raise UnsupportedTokenizerError(
            Diagnostic(
                "LC0650",
                f"the model has {rows:,} rows and the tokenizer {vocabulary.name} {vocabulary.size:,} ids",
                help="the tokenizer is not this model's",
            )
        )
    if on_dead_end not in ON_DEAD_END:
        raise PolicyError(
            Diagnostic("LC0307", f"on_dead_end cannot be {on_dead_end!r}", help="it is `error` or `stop`")
        )


def _dead_end(ids: list[int]) -> Diagnostic:
    return Diagnostic(
        "LC0403",
        f"the history of {len(ids)} tokens is outside the policy: nothing may follow it",
        help="hand over the generated tokens without the prompt, or take `on_dead_end='stop'`",
    )
