"""The token automaton that all matchers of a policy, a vocabulary and a width share.

Invariant: every function is total and pure. States are the numbers of the tables plus `ENDED` (after
end-of-sequence) and `LOST` (behind a token that the policy refuses). `masks[s][i]`, `costs[s][i] > -inf` and
`next(s, i) is not None` agree for every state that was not lost and every id, but that after the end the rows
offer end-of-sequence (an engine asks once more, and must be told something) and nothing advances.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError, PolicyError, UnsupportedTokenizerError
from langc.compiler.tokens.logits.apply import Applier
from langc.compiler.tokens.logits.bitmask import WORD, pack, unpack
from langc.compiler.tokens.logits.near_rows import Near, NearRows, NearStates, compared, itself
from langc.compiler.tokens.phrases.tables import PhraseTables
from langc.compiler.tokens.rows import ROW_CACHE_BYTES, RowCache, Scalar
from langc.compiler.tokens.stopping import NOTHING, Stopping, WithStopping
from langc.compiler.tokens.tables import Edges, TokenTables

ENDED = -1
LOST = -2
STOPPING_KEPT = 256
"""States whose stopping tokens are remembered."""
LOOKBACK = 64
"""Tokens that assisted decoding may take back, and a row be read on from where it was."""

ON_DEAD_END = ("error", "stop")


class Levels(Protocol):
    """Levels by state: an array, or what looks one up."""

    def __getitem__(self, state: int, /) -> int:
        """The level of a state."""


class Tables(Protocol):
    """What a machine runs on: `TokenTables`, or an automaton that was read from a file."""

    @property
    def start(self) -> int:
        """The state of the empty text, 0 or more."""

    @property
    def size(self) -> int:
        """The number of ids of the vocabulary."""

    @property
    def eos_ids(self) -> frozenset[int]:
        """The ids that end a text."""

    @property
    def accepting(self) -> Container[int]:
        """Where the text may end at no cost."""

    @property
    def endable(self) -> Container[int]:
        """Where the text may end at all."""

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """[L]: what a token of each level costs in logits, level 0 nothing."""

    @property
    def end_levels(self) -> Levels:
        """The level of ending in a state."""

    def edges(self, state: int) -> Edges:
        """The allowed tokens of a state."""

    def mask(self, state: int) -> npt.NDArray[np.bool_]:
        """bool [size]: the allowed tokens of a state."""

    def target(self, state: int, token: int) -> int | None:
        """Where an allowed token leads, None for a refused one."""


@runtime_checkable
class WithDeadEnds(Protocol):
    """Tables with states that may be dead ends: it is not known of all tokens that a text can be finished behind."""

    def is_stuck(self, state: int) -> bool:
        """Whether nothing may follow, and the text must not end."""

    def dead_end(self, state: int) -> Diagnostic:
        """Why nothing may follow."""


@runtime_checkable
class WithPlainStates(Protocol):
    """Tables that do not list their states, and know some that most others are made of, or that most texts come to."""

    def plain_states(self) -> Iterable[int]:
        """Those states."""


class DeadEndError(LangcError):
    """Nothing may follow the history, and `on_dead_end` is `error`."""


class TokenMachine:
    """States, rows and steps.

    Args:
        tables: the living states and their tokens.
        rows: the width of the model's logits, at least the vocabulary's; padding rows are never allowed.
        on_dead_end: what the rows of a state are in which nothing may come next. That is `LOST`, or any
            state without tokens when the tokenizer has no end-of-sequence: `error` raises DeadEndError, `stop`
            offers end-of-sequence alone.

    Raises:
        UnsupportedTokenizerError: `rows` is smaller than the vocabulary (LC0650).
        PolicyError: `on_dead_end` is unknown (LC0307).
    """

    def __init__(self, tables: Tables, rows: int | None = None, on_dead_end: str = "error") -> None:
        self.tables = tables
        self.rows = tables.size if rows is None else rows
        self.on_dead_end = on_dead_end
        _check(self.rows, tables.size, on_dead_end)
        self._eos = np.array(sorted(tables.eos_ids), dtype=np.int64)
        self._near: NearStates | None = NearStates(self._compared) if isinstance(tables, PhraseTables) else None
        """Of tables with phrases beside them: most of their states differ in few tokens, or in none."""
        self.packed: RowCache[np.int32] = self._kept(lambda state: pack(self._made(state)))
        """Masks as bits, see `logits/bitmask.py`: what the others are made of."""
        self.masks: RowCache[np.bool_] = self._kept(self._unpacked, ROW_CACHE_BYTES // 2)
        self.costs: RowCache[np.float32] = self._kept(self._cost)
        has_costs = tables.costs.size > 1
        self.applier = Applier(self.rows, self._unpacked, self.costs.__getitem__ if has_costs else None, self._near)
        self.stopping = lru_cache(STOPPING_KEPT)(self._stopping)

    @property
    def start(self) -> int:
        """The state of the empty history."""
        return self.tables.start

    @property
    def lookback(self) -> int:
        """See `histories.Machine`: a state is a number."""
        return LOOKBACK

    def next(self, state: int, token: int) -> int | None:
        """The state after an allowed token, None after a refused one."""
        if state < 0:
            return None
        if token in self.tables.eos_ids:
            return ENDED if state in self.tables.endable or self._is_given_up(state) else None
        return self.tables.target(state, token)

    def follow(self, state: int, token: int) -> int:
        """As `next`, for histories from outside: a refused token loses the way, the end stays the end."""
        if state < 0:
            return state
        target = self.next(state, token)
        return LOST if target is None else target

    def read(self, ids: Iterable[int]) -> int:
        """The state after a whole history."""
        state = self.start
        for token in ids:
            state = self.follow(state, token)
        return state

    def bias(self, state: int) -> npt.NDArray[np.float32]:
        """float32 [rows], read-only: what to add to the logits. Raises DeadEndError, see above."""
        return self.costs[state]

    def accepts(self, state: int) -> bool:
        """Whether the text so far is permitted as a whole, or has ended."""
        return state == ENDED or state in self.tables.accepting

    def raise_end(self, state: int, logits: npt.NDArray[np.floating]) -> None:
        """Give end-of-sequence what a `stop before` takes from other tokens, in place; `logits` [rows], no bias yet."""
        self.ending(state).raise_end(logits, sorted(self.tables.eos_ids))

    def ending(self, state: int) -> Stopping:
        """The `stopping` tokens where the text may end instead; nothing where it may not."""
        return self.stopping(state) if state >= 0 and state in self.tables.endable else NOTHING

    def _stopping(self, state: int) -> Stopping:
        """The tokens that are refused only because they would complete a phrase of `stop before`."""
        return self.tables.stopping(state) if state >= 0 and isinstance(self.tables, WithStopping) else NOTHING

    def _kept(self, make: Callable[[int], npt.NDArray[Scalar]], budget: int = ROW_CACHE_BYTES) -> RowCache[Scalar]:
        return RowCache(make, budget) if self._near is None else NearRows(self._near, make, budget)

    def _compared(self, state: int) -> Near:
        """What a state of tables with phrases is near to. Raises DeadEndError as its mask does."""
        row, other = self._mask(state), state
        if isinstance(self.tables, PhraseTables) and state >= 0:
            other = self.tables.without_occurrences(state)
        near = itself(state) if other == state else compared(state, row, other, self._unpacked(other))
        if near.state == state:
            self.packed.keep(state, pack(row))
        return near

    def _unpacked(self, state: int) -> npt.NDArray[np.bool_]:
        row = self._reduced(state)
        return unpack(self.packed[state], self.rows) if row is None else row

    def _made(self, state: int) -> npt.NDArray[np.bool_]:
        row = self._reduced(state)
        return self._mask(state) if row is None else row

    def _reduced(self, state: int) -> npt.NDArray[np.bool_] | None:
        """The mask made of another state's; None for a state that has its own, or shares it."""
        near = None if self._near is None else self._near[state]
        if near is None or not near.refused.size:
            return None
        row = self.masks[near.state].copy()
        row[near.refused] = False
        return row

    def prepare(self) -> None:
        """Make the masks of all states within reach, as far as there is room, so that no step has to.

        Of tables that do not list their states only plain ones are made, or the first one.
        """
        if not isinstance(self.tables, TokenTables):
            for state in self.tables.plain_states() if isinstance(self.tables, WithPlainStates) else (self.start,):
                with suppress(DeadEndError):
                    _ = self.packed[state]
            return
        for state, ids, allowed in self.tables.walks():
            if not self.packed.has_room(4 * -(-self.rows // WORD)):
                return
            row = np.zeros(self.rows, dtype=np.bool_)
            row[ids] = allowed
            with suppress(DeadEndError):  # it is raised when the mask is asked for
                self.packed.keep(state, pack(self._ended(row, state)))

    def _mask(self, state: int) -> npt.NDArray[np.bool_]:
        row = np.zeros(self.rows, dtype=np.bool_)
        if state >= 0:
            row[: self.tables.size] = self.tables.mask(state)
        return self._ended(row, state)

    def _ended(self, row: npt.NDArray[np.bool_], state: int) -> npt.NDArray[np.bool_]:
        """The row with end-of-sequence, where it is allowed."""
        row[self._eos] = state < 0 or state in self.tables.endable
        if state == LOST or not row.any():
            self.check_dead_end(state)
            row[self._eos] = state < 0 or self._is_given_up(state)
        return row

    def _cost(self, state: int) -> npt.NDArray[np.float32]:
        row = np.where(self.masks[state], np.float32(0.0), np.float32(-np.inf))
        prices = (0.0 - self.tables.costs).astype(np.float32)
        if prices.size > 1 and state >= 0:
            found = self.tables.edges(state)
            row[found.ids] = prices[found.levels]
            if state in self.tables.endable:
                row[self._eos] = prices[self.tables.end_levels[state]]
        return row

    def check_dead_end(self, state: int) -> None:
        """Raise DeadEndError for a state in which nothing may follow, unless `on_dead_end` says otherwise."""
        if self.on_dead_end == "error":
            raise DeadEndError(self._dead_end(state))

    def _dead_end(self, state: int) -> Diagnostic:
        if state == LOST:
            return _lost()
        tables = self.tables
        is_stuck = state >= 0 and isinstance(tables, WithDeadEnds) and tables.is_stuck(state)
        return tables.dead_end(state) if is_stuck and isinstance(tables, WithDeadEnds) else no_end()

    def _is_given_up(self, state: int) -> bool:
        """Whether a text ends here because nothing may follow."""
        tables = self.tables
        return self.on_dead_end == "stop" and state >= 0 and isinstance(tables, WithDeadEnds) and tables.is_stuck(state)


def _check(rows: int, size: int, on_dead_end: str) -> None:
    if rows < size:
        raise UnsupportedTokenizerError(
            Diagnostic(
                "LC0650",
                f"the model has {rows:,} rows and the tokenizer {size:,} ids",
                help="the tokenizer is not this model's",
            )
        )
    check_on_dead_end(on_dead_end)


def check_on_dead_end(choice: str) -> None:
    """Raises PolicyError (LC0307) if there is no such choice."""
    if choice not in ON_DEAD_END:
        raise PolicyError(Diagnostic("LC0307", f"on_dead_end cannot be {choice!r}", help="it is `error` or `stop`"))


def _lost() -> Diagnostic:
    return Diagnostic(
        "LC0403",
        "the history is outside the policy: nothing may follow it",
        help="hand over the generated tokens without the prompt, or take `on_dead_end='stop'`",
    )


def no_end() -> Diagnostic:
    """LC0403 for a complete text that nothing can end."""
    return Diagnostic(
        "LC0403",
        "the text is complete, and the tokenizer has no end-of-sequence token to say so",
        help="name it when the vocabulary is loaded, or take `on_dead_end='stop'`",
    )
