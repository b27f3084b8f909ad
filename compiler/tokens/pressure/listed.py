"""Pressure where only a few alternatives of each step are known, as servers list them beside a finished answer.

The answer was written without the policy, and the question is what the policy would have refused on the way. Where the
answer itself breaks a rule, the rule starts afresh behind it, as in a soft policy (`automata/soften.py`): a violation
counts once, at the bytes that make it unavoidable. Here a hard policy is a soft one at the highest cost there is, which
leaves nothing of a probability.

Invariant: masses are lower bounds. An alternative that is not listed, or whose bytes are not known, counts as free. A
token that a matcher refuses only because this vocabulary cannot finish what it begins counts as free too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, fsum, inf

from langc.compiler.automata.dfa import DEAD
from langc.compiler.automata.soften import SoftDfa, soften
from langc.compiler.ir.nodes import MOST_COST
from langc.compiler.policy import Policy
from langc.compiler.tokens.pressure.report import WORST, Named, Place, PressureReport, one_step
from langc.compiler.tokens.pressure.step import Candidate, Step

UNNUMBERED = -1
"""The id of a token of which only the text is known."""
_TAIL = 160
"""Bytes in front of a step that are shown."""


@dataclass(frozen=True)
class Listed:
    """An alternative, with its probability."""

    data: bytes | None
    """What it writes; empty if it ends the text, None if that is not known."""
    probability: float
    token: int = UNNUMBERED

    @property
    def text(self) -> str:
        """What it writes, for people."""
        return "" if self.data is None else self.data.decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class Listing:
    """One step of an answer."""

    written: bytes
    """What was written here."""
    alternatives: tuple[Listed, ...]
    earlier: int = 0
    """How many bytes of `written` stand in front of the alternatives; a server may join the pieces of a character."""
    is_readable: bool = True
    """Whether it is known where the alternatives stand; if not, the step is skipped."""


class Auditor:
    """Reads answers under one policy. Raises LimitError if its automaton is over a budget."""

    def __init__(self, policy: Policy, worst: int = WORST) -> None:
        self._reader = _Reader.of(policy)
        self._empty = PressureReport(keep=worst, listed=0.0)

    def audit(self, answer: Iterable[Listing], name: str = "the answer") -> PressureReport:
        """The report on one answer, read from its beginning."""
        report, before, state = self._empty, b"", self._reader.start
        for number, listing in enumerate(answer, 1):
            _, place = self._reader.read(state, listing.written[: listing.earlier])
            text = before + listing.written[: listing.earlier]
            if listing.is_readable:
                report += self._step(listing, place, text, f"{name}, step {number}")
            else:
                report += replace(self._empty, skipped=1)
            _, state = self._reader.read(state, listing.written)
            before = (before + listing.written)[-_TAIL:]
        return report

    def _step(self, listing: Listing, state: int, before: bytes, where: str) -> PressureReport:
        alternatives = listing.alternatives
        costs = [self._cost(state, a) for a in alternatives]
        step, refused, allowed = _judged(alternatives, costs)
        written = listing.written[listing.earlier :].decode("utf-8", "backslashreplace")
        place = Place(where, step.mass, _tail(before), refused, allowed, written)
        listed = min(fsum(a.probability for a in alternatives), 1.0)
        return replace(one_step(step, place, self._empty.keep), listed=listed)

    def _cost(self, state: int, alternative: Listed) -> float | None:
        if alternative.data is None:
            return None
        return self._reader.read(state, alternative.data)[0] if alternative.data else self._reader.end(state)


def _judged(alternatives: Sequence[Listed], costs: Sequence[float | None]) -> tuple[Step, Named | None, Named | None]:
    """The step, with the most probable alternative that costs and the best one of those that are possible."""
    known = [(a, c) for a, c in zip(alternatives, costs, strict=True) if c is not None]
    costly = max((a for a, c in known if c > 0), key=lambda a: a.probability, default=None)
    free = [(a, 0.0) for a, c in zip(alternatives, costs, strict=True) if c is None]
    possible = [(a.probability * exp(-c), a) for a, c in (*known, *free) if c < inf and a.probability > 0]
    best = max(possible, key=lambda p: (p[0], p[1].probability), default=(0.0, None))[1]
    refused, allowed = (None if a is None else _named(a, alternatives) for a in (costly, best))
    step = Step(
        _least_moved(known),
        refused.candidate if refused else None,
        allowed.candidate if allowed else None,
    )
    return step, refused, allowed


def _named(alternative: Listed, alternatives: Sequence[Listed]) -> Named:
    rank = 1 + sum(other.probability > alternative.probability for other in alternatives)
    return Named(alternative.text, Candidate(alternative.token, alternative.probability, rank))


def _least_moved(known: Sequence[tuple[Listed, float]]) -> float:
    """The least that these costs move, whatever the other tokens cost.

    A token loses p (1 - exp(-cost) / Z), and Z is at least what is sure to be left: this loss grows with Z.
    """
    left = fsum(a.probability * exp(-c) for a, c in known)
    if left <= 0:
        return min(fsum(a.probability for a, c in known if c == inf), 1.0)
    losses = (a.probability * (1 - exp(-c) / left) for a, c in known if c > 0)
    return min(fsum(loss for loss in losses if loss > 0), 1.0)


def _tail(before: bytes) -> str:
    return before[-_TAIL:].lstrip(bytes(range(0x80, 0xC0))).decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class _Reader:
    """A policy as an automaton over bytes that reads every text and says what each part costs."""

    soft: SoftDfa

    @classmethod
    def of(cls, policy: Policy) -> _Reader:
        soft = replace(policy, bias=MOST_COST) if policy.bias is None else policy
        return cls(soften(soft.hard_dfa, soft.soft_rules))

    @property
    def start(self) -> int:
        return self.soft.dfa.start

    @cached_property
    def _classes(self) -> tuple[int | None, ...]:
        """The class of each byte; None for those that stand in no text."""
        dfa = self.soft.dfa
        classes: list[int | None] = [None] * 256
        for (low, high), number in zip(dfa.partition.ranges, dfa.partition.ids, strict=True):
            classes[low : high + 1] = [number] * (high + 1 - low)
        return tuple(classes)

    def read(self, state: int, data: bytes) -> tuple[float, int]:
        """What bytes cost, and the state behind them; malformed ones cannot be written, and all starts anew there."""
        level = 0
        malformed = False
        for byte in data:
            number = self._classes[byte]
            target = DEAD if number is None else self.soft.dfa.table[state][number]
            if number is None or target == DEAD:
                malformed, state = True, self.start
                continue
            level = max(level, self.soft.levels.get((state, number), 0))
            state = target
        return (inf if malformed else self._price(level)), state

    def end(self, state: int) -> float:
        """What it costs to end here."""
        return self._price(self.soft.end_levels.get(state, 0)) if state in self.soft.boundary else inf

    def _price(self, level: int) -> float:
        cost = self.soft.costs[level]
        return cost if cost < MOST_COST else inf
