"""The matcher: which token may come next, as a pure function of the tokens so far.

Invariant: `mask()[i]`, `allows(i)` and what `advance(i)` would return agree for every id, special ids and
padding rows included, until the text has ended. State is one number per token of the history, so `fork` and
`rollback` are cheap and beams may be reordered at will; forks share the machine.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from langc.compiler.loading import as_policy
from langc.compiler.policy import Policy
from langc.compiler.tokens.ahead import NOTHING_FORCED, Ahead
from langc.compiler.tokens.budget import Flags
from langc.compiler.tokens.choose import choose_tables
from langc.compiler.tokens.forced import Forced
from langc.compiler.tokens.limited_machine import closed
from langc.compiler.tokens.loaders import load_vocabulary
from langc.compiler.tokens.logits.apply import Applier
from langc.compiler.tokens.logits.bitmask import fill, pack
from langc.compiler.tokens.machine import ENDED, LOST, TokenMachine
from langc.compiler.tokens.stopping import Stopping
from langc.compiler.tokens.vocabulary import Vocabulary


class Matcher:
    """One text in the making.

    Args:
        policy: what may be written; or a path or a ready name, as `load_policy` takes them.
        vocabulary: the tokens it is written in; or anything that `load_vocabulary` takes.
        rows: the width of the model's logits; rows beyond the tokenizer's are never allowed.
        on_dead_end: `error` or `stop`, see `TokenMachine`.
        max_tokens: how many tokens there may be, end-of-sequence not counted. Only tokens are allowed behind which the
            text can still be finished, so it never breaks off in the middle of a character, a term or a region.

    Raises:
        BudgetError: no permitted text has so few tokens, or the policy has so many phrases that it is not known
            (LC0405).
        ValueError: `max_tokens` is below 0.
        TypeError: `max_tokens` is no integer.
        PolicyError: the vocabulary cannot write any permitted text, or `on_dead_end` is unknown.
        UnsupportedTokenizerError: `rows` is smaller than the vocabulary.
        LimitError: a budget is spent.
    """

    def __init__(
        self,
        policy: Policy | str | os.PathLike[str],
        vocabulary: Vocabulary | Any,
        rows: int | None = None,
        on_dead_end: str = "error",
        *,
        max_tokens: int | None = None,
    ) -> None:
        given, tokens = as_policy(policy), load_vocabulary(vocabulary)
        self._begin(TokenMachine(choose_tables(given, tokens), rows, on_dead_end), tokens, given)
        self._limit(max_tokens)

    @classmethod
    def of(cls, machine: TokenMachine, vocabulary: Vocabulary | None = None) -> Matcher:
        """A matcher over a machine made before (out of a `processor` file, say)."""
        new = cls.__new__(cls)
        new._begin(machine, vocabulary, None)
        return new

    def _begin(self, machine: TokenMachine, vocabulary: Vocabulary | None, policy: Policy | None) -> None:
        self._machine = machine
        self._vocabulary = vocabulary
        self._policy = policy
        self._states = [machine.start]
        self._ids: list[int] = []
        self._ahead = Ahead(machine.tables)
        self._max_tokens: int | None = None

    def _limit(self, max_tokens: int | None) -> None:
        self._max_tokens = None if max_tokens is None else self._ahead.checked(self._machine.start, max_tokens)

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The tokens; None if the machine was made without them."""
        return self._vocabulary

    @property
    def policy(self) -> Policy | None:
        """What may be written; None if only a machine was handed over."""
        return self._policy

    @property
    def rows(self) -> int:
        """The width of `mask()` and `bias()`."""
        return self._machine.rows

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens so far."""
        return tuple(self._ids)

    @property
    def accepting(self) -> bool:
        """Whether the text so far is permitted as a whole, or has ended."""
        return self._machine.accepts(self._states[-1])

    @property
    def ended(self) -> bool:
        """Whether end-of-sequence was written."""
        return self._states[-1] == ENDED

    @property
    def remaining(self) -> int | None:
        """How many tokens there might still be, end-of-sequence not counted; None without `max_tokens`."""
        if self._max_tokens is None:
            return None
        written = self._states.index(ENDED) - 1 if self.ended else len(self._ids)  # neither the end nor padding counts
        return max(self._max_tokens - written, 0)

    def mask(self) -> npt.NDArray[np.bool_]:
        """bool [rows], read-only: the tokens that may come next. Raises DeadEndError, see `TokenMachine`."""
        row, refused = self._machine.masks[self._states[-1]], self._too_far()
        return row if refused is None else closed(self._machine, self._states[-1], refused)

    def bias(self) -> npt.NDArray[np.float32]:
        """float32 [rows], read-only: what to add to the logits: 0, -X of a soft policy, or -inf."""
        row = self._machine.costs[self._states[-1]]
        return row if self._too_far() is None else np.where(self.mask(), row, np.float32(-np.inf))

    def prepare(self) -> None:
        """Make all masks now that will be needed, as far as there is room for them; else a step makes its own, once.

        For Qwen's tokens and the ready policy `ko` it takes some milliseconds.
        """
        self._machine.prepare()

    def apply(self, logits: Any) -> Any:
        """Add `bias()` to logits in place, and return them; refused tokens get -inf even where NaN stood.

        Args:
            logits: [V], or [B, V] if all rows are this text; V at least `rows`, further columns are refused. A numpy
                array of float16, float32 or float64, or a torch tensor, of bfloat16 too, on any device. For an array of
                mlx (float16, bfloat16, float32), which cannot be changed, new logits are returned.

        Raises:
            DeadEndError: see `TokenMachine`.
            TypeError: logits of another kind.
            UnsupportedTokenizerError: V is smaller than `rows`.
        """
        if self._max_tokens is None or self._too_far() is None:
            return self._machine.applier.apply(logits, self._states[-1])
        return Applier(self.rows, lambda _: self.mask(), lambda _: self.bias()).apply(logits, 0)

    def fill_token_bitmask(self, bitmask: Any, index: int = 0) -> None:
        """Write `mask()` as bits into a row of a bitmask. Raises as `mask`, and as `bitmask.fill`."""
        is_plain = self._max_tokens is None or self._too_far() is None
        fill(bitmask, index, self._machine.packed[self._states[-1]] if is_plain else pack(self.mask()))

    def forced(self) -> Forced:
        """What every permitted continuation begins with; see `forced.py`. Nothing where the text may end.

        An engine may write the tokens without asking its model. Of a policy with very many phrases nothing is known.
        """
        state = self._states[-1]
        if state < 0:
            return NOTHING_FORCED
        found, trial = self._ahead.forced(state), self.fork()
        return Forced(found.data, tuple(itertools.takewhile(trial.advance, found.tokens)))

    def _too_far(self) -> Flags | None:
        """The tokens that are refused only because too few would be left behind them."""
        if self._max_tokens is None or self._states[-1] < 0:
            return None
        return self._ahead.too_far(self._states[-1], self._max_tokens - len(self._ids) - 1)

    def _in_time(self, state: int) -> bool:
        """Whether a text in this state behind one more token can be finished."""
        if self._max_tokens is None or state < 0:
            return True
        return self._ahead.least(state) < self._max_tokens - len(self._ids)

    def stopping(self) -> tuple[int, ...]:
        """The tokens that would complete a phrase of `stop before`, and are refused for no other reason."""
        return tuple(self._machine.stopping(self._states[-1]).ids.tolist())

    def raise_end(self, logits: npt.NDArray[np.floating]) -> None:
        """Give end-of-sequence, where it is allowed, the largest logit of the `stopping` tokens, or leave it larger.

        Changes `logits`, floats [rows], in place, before the bias is added or the mask is applied.
        """
        self._machine.raise_end(self._states[-1], logits)

    def ending(self) -> Stopping:
        """The tokens of `stop before` whose largest logit end-of-sequence gets; none where the text may not end."""
        return self._machine.ending(self._states[-1])

    def allows(self, token: SupportsIndex) -> bool:
        """Whether the token may come next; False for any id that does not exist. Raises TypeError if it is none."""
        number = token_id(token)
        return 0 <= number < self.rows and bool(self.mask()[number])

    def advance(self, token: SupportsIndex) -> bool:
        """Write a token. A refused one changes nothing and gives False; so does anything after the end.

        Raises TypeError if `token` is no id.
        """
        number = token_id(token)
        target = self._machine.next(self._states[-1], number)
        if target is None or not self._in_time(target):
            return False
        self._states.append(target)
        self._ids.append(number)
        return True

    def sync(self, ids: Iterable[SupportsIndex]) -> bool:
        """Make `ids` the history, keeping the work on what it shares with the present one.

        Returns:
            Whether all of it is permitted. If not, the matcher is lost until it is rolled back,
            reset or synced again: see `on_dead_end`. Tokens after end-of-sequence (padding) are fine.

        Raises:
            TypeError: something in `ids` is no id.
        """
        wanted = list(map(token_id, ids))
        shared = shared_length(self._ids, wanted)
        self.rollback(len(self._ids) - shared)
        for token in wanted[shared:]:
            state = self._machine.follow(self._states[-1], token)
            self._states.append(state if self._in_time(state) else LOST)
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
        new = Matcher.of(self._machine)
        new._begin(self._machine, self._vocabulary, self._policy)
        new._ahead, new._max_tokens = self._ahead, self._max_tokens
        new._states = list(self._states)
        new._ids = list(self._ids)
        return new

    def reset(self) -> None:
        """Forget the history."""
        self.rollback(len(self._ids))


def token_id(token: SupportsIndex) -> int:
    """An integer of any library. A truth value would pass for 0 or 1, and mean nothing of the sort."""
    if isinstance(token, bool):
        raise TypeError(f"a token id is an integer, not {token}")
    return index(token)


def shared_length(left: Sequence[int], right: Sequence[int]) -> int:
    """How many ids two histories share from the start."""
    for number, (mine, theirs) in enumerate(zip(left, right, strict=False)):
        if mine != theirs:
            return number
    return min(len(left), len(right))
