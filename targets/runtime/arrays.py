"""A policy as a plain callable over numpy arrays, for decoding loops of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.budget import BudgetError, unknown_beside_grammar
from langc.compiler.tokens.histories import Histories, Machine
from langc.compiler.tokens.joined.machine import JoinedMachine
from langc.compiler.tokens.joined.matcher import JoinedMatcher
from langc.compiler.tokens.joined.parts import PartMaker, writes_json
from langc.compiler.tokens.limited_machine import LimitedMachine
from langc.compiler.tokens.loaders import load_vocabulary
from langc.compiler.tokens.logits.apply import Applier
from langc.compiler.tokens.logits.layout import find_layout, is_mlx, is_tensor
from langc.compiler.tokens.machine import Tables, TokenMachine, check_on_dead_end
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.portable import load
from langc.compiler.tokens.pressure.pressure import Pressure
from langc.compiler.tokens.stopping import Stopping, WithStopping
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime._sources import Given, ahead_of, tables_of

Logits = npt.NDArray[np.floating]


class PolicyProcessor:
    """Adds a policy's bias to logits.

    Args:
        policy: what may be written, a policy or a surface; or a policy's path or ready name, for `load_policy`.
        vocabulary: the tokens it is written in; or anything that `load_vocabulary` takes.
        prompt_length: how many ids at the start of each row are prompt; None takes the width of the first
            call (see `Histories`). Give 0 if the rows hold generated tokens only.
        join: a grammar that the text obeys as well: called with the number of rows it makes a part of a
            `JoinedMatcher`, as the grammars of `langc.xgrammar` and `langc.llguidance` do. Where it writes JSON, a hard
            policy is taken `with_(json_strings=True)`.
        on_dead_end: what to do where nothing may follow, `error` or `stop`; see `JoinedMatcher`.
        max_tokens: how many tokens a row may generate, end-of-sequence not counted. Every row comes to an end in time,
            see `Matcher`; it never breaks off in the middle of a character, a term or a region.
        pressure: records what is taken from the logits of every call, see `Pressure`; nothing is recorded if not given.

    Raises:
        BudgetError: no permitted text has so few tokens, or that is not known: of a policy with very many phrases, or
            one that is joined (LC0405).
        PolicyError: `on_dead_end` is unknown (LC0307), or the policy cannot hold for JSON strings (LC0360).
        ValueError: `max_tokens` is below 0.
        TypeError: `max_tokens` is no integer.
    """

    pressure: Pressure | None = None
    """What records the calls, if anything does."""

    def __init__(
        self,
        policy: Given,
        vocabulary: Vocabulary | Any,
        prompt_length: int | None = None,
        *,
        join: PartMaker | None = None,
        on_dead_end: str = "error",
        max_tokens: int | None = None,
        pressure: Pressure | None = None,
    ) -> None:
        check_on_dead_end(on_dead_end)
        tokens = load_vocabulary(vocabulary)
        tables = tables_of(policy, tokens, json_strings=writes_json(join))
        self._begin(tables, prompt_length, tokens, join, on_dead_end)
        self._limit(max_tokens)
        self._watch(pressure, tokens)

    @classmethod
    def from_tables(cls, tables: Tables, prompt_length: int | None = None) -> PolicyProcessor:
        """From tables made before."""
        new = cls.__new__(cls)
        new._begin(tables, prompt_length)
        return new

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        vocabulary: Vocabulary | None = None,
        prompt_length: int | None = None,
        *,
        max_tokens: int | None = None,
        pressure: Pressure | None = None,
    ) -> PolicyProcessor:
        """From what `langc compile --target processor` wrote.

        Raises ArtifactError if the file is unsound, and what `max_tokens` raises above.
        """
        new = cls.from_tables(load(path, vocabulary).tables, prompt_length)
        new._limit(max_tokens)
        new._watch(pressure, vocabulary)
        return new

    def _begin(
        self,
        tables: Tables,
        prompt_length: int | None,
        vocabulary: Vocabulary | None = None,
        join: PartMaker | None = None,
        on_dead_end: str = "error",
    ) -> None:
        self._tables = tables
        self._prompt_length = prompt_length
        self._vocabulary = vocabulary
        self._join = join
        self._on_dead_end = on_dead_end
        self._rows = -1
        self._plain: TokenMachine | None = None
        self._histories: Histories[Any] | None = None
        self._ahead = ahead_of(tables)
        self._max_tokens: int | None = None

    def _limit(self, max_tokens: int | None) -> None:
        if max_tokens is None:
            return
        if self._join is not None:
            raise BudgetError(unknown_beside_grammar())
        self._max_tokens = self._ahead.checked(self._tables.start, max_tokens)

    def _watch(self, pressure: Pressure | None, vocabulary: Vocabulary | None) -> None:
        self.pressure = pressure
        if pressure is not None and pressure.vocabulary is None:
            pressure.vocabulary = vocabulary

    def observe(self, ids: npt.ArrayLike, logits: npt.ArrayLike) -> None:
        """Record what the policy takes from logits [B, V] behind ids [B, T], if there is a `pressure`.

        Rows whose text has ended are left out. Raises what `bias` and `Pressure.observe` raise.
        """
        if self.pressure is None:
            return
        histories = np.asarray(ids, dtype=np.int64)
        bias = self.bias(histories, np.shape(logits)[-1])
        start = 0 if self._histories is None else self._histories.prompt_length
        ended = np.isin(histories[:, start:], self.eos_ids).any(axis=1)
        self.pressure.observe(logits, bias, before=histories, rows=np.flatnonzero(~ended).tolist())

    def bias(self, ids: npt.ArrayLike, rows: int) -> npt.NDArray[np.float32]:
        """What to add to the logits of each row, float32 [B, rows].

        Args:
            ids: the tokens so far, integers [B, T].
            rows: the width of the logits.

        Raises:
            UnsupportedTokenizerError: `rows` is smaller than the vocabulary.
            DeadEndError: with an explicit `prompt_length`, a row's history is outside the policy (LC0403); or the
                policy and the grammar that it is joined with leave nothing (LC0660).
            JoinError: they do not fit together (LC0661).
        """
        machine, states = self._placed(ids, rows)
        return np.stack([machine.bias(s) for s in states])

    def applied(self, ids: npt.ArrayLike, logits: Any) -> Any:
        """New logits: those given and the bias of each row. A refused token gets -inf even where NaN stood.

        Args:
            ids: the tokens so far, integers [B, T].
            logits: [B, V], a numpy array, a torch tensor on any device, or an array of mlx; they stay as they are.

        Raises what `bias` raises.
        """
        machine, states = self._placed(ids, logits.shape[-1])
        has_layout = find_layout(logits) is not None or is_mlx(logits)
        if isinstance(machine, TokenMachine) and has_layout:
            return machine.applier.applied(logits, states)
        if isinstance(machine, LimitedMachine) and has_layout:
            return machine.applied(logits, states)
        bias = np.stack([machine.bias(s) for s in states])
        if has_layout:
            applier = Applier(bias.shape[-1], lambda row: bias[row] > -np.inf, lambda row: bias[row])
            return applier.applied(logits, range(len(bias)))
        if is_tensor(logits):
            return logits + logits.new_tensor(bias)
        return (logits + bias.astype(logits.dtype)).astype(logits.dtype)

    @property
    def eos_ids(self) -> list[int]:
        """The ids that end a text."""
        return sorted(self._tables.eos_ids)

    def endings(self, ids: npt.ArrayLike, rows: int) -> list[Stopping]:
        """For each row the tokens of `stop before` whose largest logit end-of-sequence gets. Arguments as for `bias`.

        An empty list if the policy has no `stop before`. A loop that only adds `bias` does not need it to stay inside
        the policy, only to end where a model wanted to go on with such a phrase.
        """
        if not isinstance(self._tables, WithStopping):
            return []
        machine, states = self._placed(ids, rows)
        return [machine.ending(s) for s in states]

    def _placed(self, ids: npt.ArrayLike, rows: int) -> tuple[Machine[Any], list[Any]]:
        """The machine of this width, and the state of each row."""
        if self._histories is None or self._rows != rows:
            self._histories = Histories(self._machine(rows), self._prompt_length)
            self._rows = rows
        return self._histories.machine, self._histories.states(np.asarray(ids, dtype=np.int64))

    def _machine(self, rows: int) -> Machine[Any]:
        if self._plain is None or self._plain.rows != rows:
            self._plain = TokenMachine(self._tables, rows, self._on_dead_end)
        machine, make = self._plain, self._join
        if make is None:
            return machine if self._max_tokens is None else LimitedMachine(machine, self._ahead, self._max_tokens)
        return JoinedMachine(
            lambda: JoinedMatcher(Matcher.of(machine, self._vocabulary), make(rows), on_dead_end=self._on_dead_end)
        )

    def reset(self) -> None:
        """Forget the prompt: the next call begins a generation."""
        self._histories = None

    def __call__(self, ids: npt.ArrayLike, logits: Logits) -> Logits:
        """New logits, of the shape and dtype of `logits`: [V] with ids [T], or [B, V] with ids [B, T]."""
        batch, histories = np.atleast_2d(logits), np.atleast_2d(np.asarray(ids, dtype=np.int64))
        self.observe(histories, batch)
        if endings := self.endings(histories, batch.shape[-1]):
            batch = batch.copy()
            for row, ending in zip(batch, endings, strict=True):
                ending.raise_end(row, self.eos_ids)
        changed: Logits = self.applied(histories, batch)
        return changed.reshape(logits.shape)
