"""Many steps in one report: how much a policy takes from a model, and where most.

Invariant: reports add up. `a + b` is what one report on the steps of `a` and then those of `b` would be, but for the
last digits of a sum; of the worst steps it keeps as many as the larger of the two was asked to keep.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from langc.compiler.tokens.pressure.step import Candidate, Step
from langc.compiler.unicode.glyphs import visible

WORST = 10
"""Steps that are shown with their texts, if nothing else is said."""
HEAVY = 0.5
"""Mass from which on most of what the model wanted is taken."""
_SHOWN = 0.01
"""Mass from which on a step is shown to people; every step takes a little."""
_BEFORE = 40
"""Characters in front of a step that are shown."""


@dataclass(frozen=True)
class Named:
    """A candidate with the text that it writes."""

    text: str
    candidate: Candidate

    def to_json(self) -> dict[str, object]:
        """The candidate as JSON values."""
        return {
            "id": self.candidate.token if self.candidate.token >= 0 else None,
            "text": self.text,
            "probability": self.candidate.probability,
            "rank": self.candidate.rank,
        }

    def __str__(self) -> str:
        return f"“{self.text}” ({self.candidate.probability:.3g}, rank {self.candidate.rank})"


@dataclass(frozen=True)
class Place:
    """One step with the texts around it; bytes that are no character are written as escapes such as x80."""

    where: str
    """Which text, and which step of it."""
    mass: float
    before: str
    """The end of what stood before."""
    refused: Named | None
    allowed: Named | None
    written: str | None = None
    """What was written in the end, if that is known."""

    def to_json(self) -> dict[str, object]:
        """The place as JSON values."""
        return {
            "where": self.where,
            "mass": self.mass,
            "before": self.before,
            "refused": self.refused.to_json() if self.refused else None,
            "best_allowed": self.allowed.to_json() if self.allowed else None,
            "written": self.written,
        }

    def __str__(self) -> str:
        wanted = f"refused {self.refused}, " if self.refused else ""
        left = f"best allowed {self.allowed}" if self.allowed else "nothing that is listed is allowed"
        after = f", written “{self.written}”" if self.written is not None else ""
        return f"{self.mass:.3f}  {self.where}: “{self.before[-_BEFORE:]}” {wanted}{left}{after}"


@dataclass(frozen=True)
class PressureReport:
    """Figures over steps."""

    steps: int = 0
    taken: float = 0.0
    """The sum of the masses."""
    top_refused: int = 0
    """Steps at which the model's most probable token lost its place."""
    heavy: int = 0
    """Steps at which more than half of the probability was taken."""
    worst: tuple[Place, ...] = ()
    """The steps with the largest masses, those above 0; the largest first, of equal ones the earliest."""
    keep: int = WORST
    """How many of these are kept."""
    listed: float | None = None
    """If only some tokens of each step were known, the sum of their probabilities: masses are then lower bounds."""
    skipped: int = 0
    """Steps that could not be read, and are no part of the other figures."""

    @property
    def mean(self) -> float:
        """The mean mass; 0 without steps."""
        return self.taken / self.steps if self.steps else 0.0

    def __add__(self, other: PressureReport) -> PressureReport:
        keep = max(self.keep, other.keep)
        return PressureReport(
            self.steps + other.steps,
            self.taken + other.taken,
            self.top_refused + other.top_refused,
            self.heavy + other.heavy,
            tuple(heapq.nlargest(keep, (*self.worst, *other.worst), key=lambda place: place.mass)),
            keep,
            _added(self, other),
            self.skipped + other.skipped,
        )

    def to_json(self) -> dict[str, object]:
        """The report as JSON values. `bound` says whether masses are exact or at least so large."""
        return {
            "steps": self.steps,
            "bound": "exact" if self.listed is None else "at least",
            "mean_pressure": self.mean,
            "top_refused": self.top_refused,
            "top_refused_share": _share(self.top_refused, self.steps),
            "heavy": self.heavy,
            "heavy_share": _share(self.heavy, self.steps),
            "mean_listed": None if self.listed is None else _share(self.listed, self.steps),
            "skipped": self.skipped,
            "worst": [place.to_json() for place in self.worst],
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The report for people; what cannot be seen is shown as `<U+XXXX>`."""
        at_least = "" if self.listed is None else "at least "
        yield f"steps: {self.steps:,}" + (f", and {self.skipped:,} that could not be read" if self.skipped else "")
        if not self.steps:
            yield "without a step nothing is known of the pressure"
            return
        yield f"mean pressure: {at_least}{self.mean:.4f}"
        if self.listed is not None:
            yield f"  the tokens that are listed have {_share(self.listed, self.steps):.4f} of the probability"
        yield f"top token refused: {_counted(self.top_refused, self.steps)}"
        yield f"more than half taken: {_counted(self.heavy, self.steps)}"
        shown = [place for place in self.worst if place.mass >= _SHOWN]
        if shown:
            yield "worst steps:"
            yield from (f"  {visible(str(place))}" for place in shown)


def one_step(step: Step, place: Place | None, keep: int) -> PressureReport:
    """The report on a single step; `place` may be left out if it would not be among the worst."""
    return PressureReport(
        1,
        step.mass,
        int(step.top_refused),
        int(step.mass > HEAVY),
        (place,) if place is not None and step.mass > 0 and keep else (),
        keep,
    )


def _added(one: PressureReport, other: PressureReport) -> float | None:
    """What is listed in both together; a report on whole rows lists all of each."""
    if one.listed is None and other.listed is None:
        return None
    return sum(r.steps if r.listed is None else r.listed for r in (one, other))


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0


def _counted(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({_share(part, whole):.1%})"
