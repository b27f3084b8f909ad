"""Several matchers as one: a token may come next if all of them allow it.

Invariant: everything is a function of the tokens so far, however they came there. `mask()[i]`, `allows(i)` and what
`advance(i)` would return agree for every id until the text has ended, `bias()[i]` is minus infinity just where
`mask()[i]` is False, and no part is ever asked about a token that the mask has not let through.

Each part keeps its own promises only. A policy's matcher is never without a way on, but a grammar beside it may want
what the policy denies: then nothing is left, and that is said (see `dead_end.py`) instead of an empty mask. The last
exits before such a place are closed as far as `look_ahead.py` sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.policy import Policy
from langc.compiler.tokens.joined.dead_end import dead_end, lost
from langc.compiler.tokens.joined.look_ahead import without_dead_ends
from langc.compiler.tokens.joined.parts import (
    BoolArray,
    Forkable,
    JoinError,
    Part,
    Weighted,
    advance_all,
    check_parts,
    common_row,
    row_of,
    writes_json,
)
from langc.compiler.tokens.logits.apply import Applier
from langc.compiler.tokens.logits.bitmask import fill, pack
from langc.compiler.tokens.machine import DeadEndError, check_on_dead_end, no_end
from langc.compiler.tokens.matcher import Matcher, shared_length, token_id
from langc.compiler.tokens.stopping import NOTHING, Stopping
from langc.compiler.tokens.vocabulary import Vocabulary


@dataclass(frozen=True)
class _Place:
    """What holds after one history."""

    mask: BoolArray
    """bool [rows], read-only; end-of-sequence alone where nothing may follow."""
    dead_end: Diagnostic | None = None
    weighted: bool = False
    """Whether the biases of the parts count: not after the end, nor where the end is all that is left."""


class JoinedMatcher:
    """One text in the making, under several matchers at once; it has all that a `Matcher` has.

    Args:
        parts: matchers without history, of one vocabulary and one width: langc's own, those of `langc.xgrammar` and
            `langc.llguidance`, other joined ones, or anything that is a `Part`. They belong to the joined matcher from
            now on.
        on_dead_end: what `mask()` does where the parts leave nothing: `error` raises DeadEndError (LC0660), `stop`
            offers end-of-sequence alone, and `dead_end` says why.

    Raises:
        JoinError: the parts do not fit together (LC0661), or one writes JSON and a policy beside it does not read
            what is escaped in its strings (LC0662).
        PolicyError: `on_dead_end` is unknown (LC0307).
    """

    def __init__(self, *parts: Part, on_dead_end: str = "error") -> None:
        check_on_dead_end(on_dead_end)
        vocabulary = check_parts(parts)
        _check_escapes(parts)
        self._begin(parts, vocabulary, on_dead_end)

    def _begin(self, parts: tuple[Part, ...], vocabulary: Vocabulary, on_dead_end: str) -> None:
        self._parts = parts
        self._vocabulary = vocabulary
        self._on_dead_end = on_dead_end
        self._ids: list[int] = []
        self._taken = 0
        """How many of them the parts have: all, but for end-of-sequence and what stands behind a refused token."""
        self._end: int | None = None
        """How many there were when the text ended."""
        self._known: _Place | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens."""
        return self._vocabulary

    @property
    def on_dead_end(self) -> str:
        """`error` or `stop`."""
        return self._on_dead_end

    @property
    def rows(self) -> int:
        """The width of `mask()` and `bias()`."""
        return self._parts[0].rows

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens so far."""
        return tuple(self._ids)

    @property
    def accepting(self) -> bool:
        """Whether the text so far is permitted as a whole by all parts, or has ended other than at a dead end."""
        if self.ended:
            return self._may_end(common_row(self._parts))
        return not self._is_lost and all(part.accepting for part in self._parts)

    @property
    def ended(self) -> bool:
        """Whether end-of-sequence was written."""
        return self._end is not None

    @property
    def dead_end(self) -> Diagnostic | None:
        """Why nothing may follow (LC0660, LC0403), or None; after an end that a dead end forced, still why."""
        if self.ended:
            return None if self.accepting else self._stopped()
        return self._place().dead_end

    def mask(self) -> BoolArray:
        """bool [rows], read-only: the tokens that may come next; after the end, end-of-sequence.

        Raises:
            DeadEndError: there are none, and `on_dead_end` is `error`. Its message has the text so far and how many
                tokens each part allows alone (LC0660); or the history was not written under the mask (LC0403).
        """
        place = self._place()
        if place.dead_end is not None and self._on_dead_end == "error":
            raise DeadEndError(place.dead_end)
        return place.mask

    def bias(self) -> npt.NDArray[np.float32]:
        """float32 [rows]: what to add to the logits: the sum of what the parts add, -inf where the mask is False."""
        mask = self.mask()
        row = np.zeros(self.rows, dtype=np.float32)
        if self._place().weighted:
            for part in self._parts:
                if isinstance(part, Weighted):
                    row += part.bias()
        row[~mask] = -np.inf
        return row

    def apply(self, logits: Any) -> Any:
        """Add `bias()` to logits in place, and return them; see `Matcher.apply`, and raises as that and `mask`."""
        return Applier(self.rows, lambda _: self.mask(), lambda _: self.bias()).apply(logits, 0)

    def fill_token_bitmask(self, bitmask: Any, index: int = 0) -> None:
        """Write `mask()` as bits into a row of a bitmask. Raises as `mask`, and as `bitmask.fill`."""
        fill(bitmask, index, pack(self.mask()))

    def raise_end(self, logits: npt.NDArray[np.floating]) -> None:
        """Give end-of-sequence what the `stop before` of a part takes from other tokens, see `Matcher.raise_end`."""
        self.ending().raise_end(logits, sorted(self._vocabulary.eos_ids))

    def ending(self) -> Stopping:
        """The tokens of a part's `stop before` that the others allow; none where the text may not end."""
        if not self._place().weighted or not self._may_end(self._place().mask):
            return NOTHING
        found = [_among(part.ending(), [p for p in self._parts if p is not part]) for part in self._policies()]
        ids, bias = ([getattr(stopping, name) for stopping in found] for name in ("ids", "bias"))
        return Stopping(np.concatenate(ids), np.concatenate(bias)) if found else NOTHING

    def allows(self, token: SupportsIndex) -> bool:
        """Whether the token may come next; False for any id that does not exist. Raises as `mask`, or TypeError."""
        number = token_id(token)
        return 0 <= number < self.rows and bool(self.mask()[number])

    def advance(self, token: SupportsIndex) -> bool:
        """Write a token. A refused one changes nothing and gives False; so does anything after the end.

        Raises TypeError if `token` is no id.
        """
        number = token_id(token)
        if self.ended or self._is_lost or not self._offers(number):
            return False
        if number in self._vocabulary.eos_ids:
            self._end = len(self._ids) + 1
        elif advance_all(self._parts, number):
            self._taken += 1
        else:  # an engine takes back what its own mask allows
            return False
        self._ids.append(number)
        self._known = None
        return True

    def sync(self, ids: Iterable[SupportsIndex]) -> bool:
        """Make `ids` the history, keeping the work on what it shares with the present one.

        Returns:
            Whether all of it is permitted. If not, the matcher is lost until it is rolled back, reset or synced
            again. Tokens after end-of-sequence (padding) are fine.

        Raises:
            TypeError: something in `ids` is no id.
        """
        wanted = list(map(token_id, ids))
        shared = shared_length(self._ids, wanted)
        self.rollback(len(self._ids) - shared)
        for token in wanted[shared:]:
            if not self.advance(token):
                self._ids.append(token)
                self._known = None
        return not self._is_lost

    def rollback(self, count: int) -> None:
        """Take back the last `count` tokens. Raises ValueError if there are fewer."""
        if not 0 <= count <= len(self._ids):
            raise ValueError(f"cannot take back {count} of {len(self._ids)} tokens")
        if count == 0:
            return
        left = len(self._ids) - count
        if self._taken > left:
            for part in self._parts:
                part.rollback(self._taken - left)
            self._taken = left
        if self._end is not None and left < self._end:
            self._end = None
        del self._ids[left:]
        self._known = None

    @property
    def can_fork(self) -> bool:
        """Whether every part can be copied."""
        return all(isinstance(part, Forkable) for part in self._parts)

    def fork(self) -> JoinedMatcher:
        """An independent matcher with the same history. Raises TypeError if some part cannot be copied."""
        new = JoinedMatcher.__new__(JoinedMatcher)
        new._begin(tuple(map(_forked, self._parts)), self._vocabulary, self._on_dead_end)
        new._ids = list(self._ids)
        new._taken, new._end, new._known = self._taken, self._end, self._known
        return new

    def reset(self) -> None:
        """Forget the history."""
        self.rollback(len(self._ids))

    @property
    def _is_lost(self) -> bool:
        return not self.ended and self._taken < len(self._ids)

    def _offers(self, token: int) -> bool:
        place = self._place()
        if place.dead_end is not None and self._on_dead_end == "error":
            return False
        return 0 <= token < self.rows and bool(place.mask[token])

    def _place(self) -> _Place:
        if self._known is None:
            self._known = self._find()
            self._known.mask.setflags(write=False)
        return self._known

    def _find(self) -> _Place:
        if self.ended:
            return _Place(self._end_alone())
        if self._is_lost:
            return _Place(self._end_alone(), lost())
        common = common_row(self._parts)
        left = without_dead_ends(self._parts, common, self._vocabulary.eos_ids)
        if left.any():
            return _Place(left, weighted=True)
        if self.accepting and not self._vocabulary.eos_ids:
            return _Place(self._end_alone(), no_end())
        return _Place(self._end_alone(), dead_end(self._parts, self._ids, self._vocabulary))

    def _end_alone(self) -> BoolArray:
        return end_alone(self.rows, self._vocabulary)

    def _may_end(self, row: BoolArray) -> bool:
        return any(bool(row[end]) for end in self._vocabulary.eos_ids)

    def _policies(self) -> list[Matcher]:
        return [part for part in self._parts if isinstance(part, Matcher)]

    def _stopped(self) -> Diagnostic:
        """The dead end before an end that it forced."""
        return dead_end(self._parts, self._ids[: self._taken], self._vocabulary)


def end_alone(rows: int, vocabulary: Vocabulary) -> BoolArray:
    """bool [rows]: end-of-sequence."""
    row = np.zeros(rows, dtype=np.bool_)
    row[sorted(vocabulary.eos_ids)] = True
    return row


def _among(stopping: Stopping, others: Sequence[Part]) -> Stopping:
    """Those of the tokens that other parts allow, at what the others add to their logits."""
    ids, bias = stopping.ids, stopping.bias
    for part in others:
        allowed = row_of(part)[ids]
        ids, bias = ids[allowed], bias[allowed]
        if isinstance(part, Weighted):
            bias = bias + part.bias()[ids]
    return Stopping(ids, bias)


def _forked(part: Part) -> Part:
    if not isinstance(part, Forkable):
        raise TypeError(f"{type(part).__name__} has no fork()")
    return part.fork()


def _check_escapes(parts: Sequence[Part]) -> None:
    """Raises JoinError (LC0662) if a grammar writes JSON and a hard policy beside it reads the text as it stands."""
    if any(map(writes_json, parts)) and any(isinstance(p, Matcher) and p.policy and is_plain(p.policy) for p in parts):
        raise JoinError(
            Diagnostic(
                "LC0662",
                "the grammar writes JSON, where `\\uXXXX` spells a character that the policy does not see",
                help="join the matcher of `policy.with_(json_strings=True)`",
            )
        )


def is_plain(policy: Policy) -> bool:
    """Whether a policy bars something, and reads escapes as they stand."""
    return policy.bias is None and not policy.lowered.is_json
