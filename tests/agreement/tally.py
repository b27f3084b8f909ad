"""What the agreement run counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tally:
    """One policy, one vocabulary, one engine (or reader, or the oracle)."""

    kind: str
    engine: str
    vocabulary: str
    case: str
    prefixes: int = 0
    """Distinct places in text, one whole mask each."""
    texts: int = 0
    languages: int = 0
    seconds: float = 0.0
    """Of one core."""
    faults: dict[str, int] = field(default_factory=dict)
    """Masks that differ by a known fault of the engine, by its name."""
    unexplained: int = 0
    problem: str | None = None
    """The first unexplained difference, in words."""
    refused: str | None = None
    """Why the target or the engine does not take the policy or the vocabulary."""


@dataclass
class Row:
    """All policies together."""

    policies: int = 0
    prefixes: int = 0
    texts: int = 0
    languages: int = 0
    seconds: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    unexplained: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, tally: Tally) -> None:
        """One more policy."""
        self.policies += tally.refused is None
        self.prefixes += tally.prefixes
        self.texts += tally.texts
        self.languages += tally.languages
        self.seconds += tally.seconds
        self.faults.update(tally.faults)
        self.unexplained += tally.unexplained
        if tally.refused is not None:
            self.refused[tally.refused] += 1


Key = tuple[str, str, str]
"""Kind, engine and vocabulary."""


class Totals:
    """Rows as they grow."""

    def __init__(self) -> None:
        self.rows: dict[Key, Row] = {}
        self.problems: list[Tally] = []
        self.policies: set[str] = set()

    def add(self, tallies: Iterable[Tally]) -> None:
        """What one job found."""
        for tally in tallies:
            self.rows.setdefault((tally.kind, tally.engine, tally.vocabulary), Row()).add(tally)
            if tally.unexplained:
                self.problems.append(tally)
            if tally.prefixes:
                self.policies.add(tally.case)

    @property
    def masks(self) -> int:
        """Whole masks compared, those with the oracle included."""
        return sum(row.prefixes for row in self.rows.values())

    @property
    def unexplained(self) -> int:
        """Differences that nothing explains."""
        return sum(row.unexplained for row in self.rows.values())
