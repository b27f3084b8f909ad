"""Pressure: how much of a model's probability a policy takes away, step by step.

A policy that takes little changes a word here and there. One that takes nearly everything makes the model write what it
holds for next to impossible: with Han denied and no other way to say it, “good morning” in Chinese came out as the word
“ mornings”. The report shows where that happens, so that the author can leave a way: see docs/pressure.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.pressure.measure import measure
from langc.compiler.tokens.pressure.report import WORST, Named, Place, PressureReport, one_step
from langc.compiler.tokens.pressure.step import Candidate, Step
from langc.compiler.tokens.vocabulary import Vocabulary

Ids = npt.NDArray[np.int64]
Logits = npt.NDArray[np.floating]

_TAIL = 64
"""Tokens in front of a step that are kept to show its text."""
_CONTINUATION = bytes(range(0x80, 0xC0))


class Pressure:
    """Collects steps; memory does not grow with their number.

    Args:
        vocabulary: the tokens, so that the report can show texts; a processor that is given this object fills it in.
        worst: how many steps are shown with their texts.
    """

    def __init__(self, vocabulary: Vocabulary | None = None, worst: int = WORST) -> None:
        self.vocabulary = vocabulary
        self._empty = PressureReport(keep=worst)
        self.reset()

    def reset(self) -> None:
        """Forget all steps."""
        self._report = self._empty
        self._calls = 0

    @property
    def report(self) -> PressureReport:
        """The report on the steps so far."""
        return self._report

    def observe(
        self,
        logits: npt.ArrayLike,
        bias: npt.ArrayLike,
        chosen: npt.ArrayLike | None = None,
        *,
        before: npt.ArrayLike | None = None,
        rows: Sequence[int] | None = None,
    ) -> tuple[Step, ...]:
        """Measure one step of one row or of several.

        Args:
            logits: of any float dtype, [V] or [B, V], before the bias.
            bias: what the policy adds to them, of the same shape: 0, less, or minus infinity.
            chosen: the id that was written, or one for each row, if it is known already.
            before: the ids in front of the step, [T] or [B, T]; only to show texts.
            rows: the rows [B] of a batch to measure, all if not given. The others are not looked at.

        Returns:
            The steps, one for each row that was measured.

        Raises:
            ValueError: as `measure.measure`, or the shapes do not fit together. Nothing is recorded then.
        """
        batch, added, single = _rows(logits, bias)
        ids = [None] * len(batch) if chosen is None else _ids(chosen, (len(batch),)).tolist()
        histories = _ids(np.zeros((len(batch), 0)) if before is None else before, (len(batch), -1))
        numbers = range(len(batch)) if rows is None else rows
        steps = tuple(measure(batch[n], added[n], ids[n]) for n in numbers)
        self._calls += 1
        for number, step in zip(numbers, steps, strict=True):
            where = f"step {self._calls}" if single else f"row {number}, step {self._calls}"
            self._add(step, where, histories[number])
        return steps

    def _add(self, step: Step, where: str, before: Ids) -> None:
        worst, keep = self._report.worst, self._report.keep
        shown = step.mass > 0 and (len(worst) < keep or (keep > 0 and step.mass > worst[-1].mass))
        place = self._place(step, where, before) if shown else None
        self._report += one_step(step, place, keep)

    def _place(self, step: Step, where: str, before: Ids) -> Place:
        tail = b"".join(map(self._spelled, before[-_TAIL:].tolist()))
        if len(before) > _TAIL:
            tail = tail.lstrip(_CONTINUATION)  # the rest of a character that begins in front of it
        written = None if step.chosen is None else _text(self._spelled(step.chosen))
        return Place(where, step.mass, _text(tail), self._named(step.refused), self._named(step.allowed), written)

    def _named(self, candidate: Candidate | None) -> Named | None:
        return None if candidate is None else Named(_text(self._spelled(candidate.token)), candidate)

    def _spelled(self, token: int) -> bytes:
        """What a token writes; a special one by its spelling, and a number where no text is known."""
        vocabulary = self.vocabulary
        if vocabulary is None or not 0 <= token < vocabulary.size:
            return f"<{token}>".encode()
        return vocabulary.token_bytes(token) or (vocabulary.special_text(token) or f"<{token}>").encode()


def _text(spelled: bytes) -> str:
    return spelled.decode("utf-8", "backslashreplace")


def _rows(logits: npt.ArrayLike, bias: npt.ArrayLike) -> tuple[Logits, Logits, bool]:
    """Both as [B, V], and whether they were one row. Raises ValueError if they are of two shapes."""
    batch, added = np.asarray(logits), np.asarray(bias)
    if batch.shape != added.shape or batch.ndim not in (1, 2):
        raise ValueError(f"logits {batch.shape} and bias {added.shape} are not of one shape [V] or [B, V]")
    return np.atleast_2d(batch), np.atleast_2d(added), batch.ndim == 1


def _ids(given: npt.ArrayLike, shape: tuple[int, ...]) -> Ids:
    """Ids with a row for each row of the batch. Raises ValueError if there are more rows or fewer."""
    return np.asarray(given, dtype=np.int64).reshape(shape)
