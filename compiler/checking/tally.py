"""What was found in the pieces of a text, put together: violations that a cut divides, and figures.

Invariant: the same for the same text, however it is cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from langc.compiler.checking.report import CheckReport, Violation
from langc.compiler.checking.scanner import Find
from langc.compiler.unicode import properties
from langc.compiler.unicode.intervals import IntervalSet

REPLACEMENT = "\ufffd"


class Runs:
    """The violations so far, with those put together again that only a cut between chunks divides."""

    def __init__(self) -> None:
        self._done: list[Violation] = []
        self._open: list[Find] = []
        """The pieces of the last one."""

    def extend(self, finds: list[Find]) -> None:
        """Add violations in order."""
        for find in finds:
            if self._open and not self._continues(find):
                self._done.append(self._joined())
                self._open.clear()
            self._open.append(find)

    def all(self) -> tuple[Violation, ...]:
        """Every violation, each in one piece."""
        return (*self._done, self._joined()) if self._open else ()

    def _continues(self, find: Find) -> bool:
        last = self._open[-1]
        adjacent = find.violation.start == last.violation.end and not last.violation.text.endswith("\n")
        return adjacent and last.run is not None and last.run == find.joins

    def _joined(self) -> Violation:
        pieces = [find.violation for find in self._open]
        if len(pieces) == 1:
            return pieces[0]
        scripts = dict.fromkeys(script for piece in pieces for script in piece.scripts)
        return replace(pieces[0], text="".join(piece.text for piece in pieces), scripts=tuple(scripts))


class Tally:
    """Counts characters and lines while the text goes by in pieces."""

    def __init__(self) -> None:
        self._characters: Counter[str] = Counter()
        self._by_rule: Counter[str] = Counter()
        self._by_character: Counter[str] = Counter()
        self._line = 1
        self._has_text = self._fails = False
        """Of the current line."""
        self._lines = self._failed = 0

    def feed(self, text: str, finds: list[Find]) -> None:
        """Count a piece and the violations in it."""
        self._characters.update(text)
        for rule, taken in (pair for find in finds for pair in find.taken):
            self._by_rule[rule] += len(taken) or 1
            self._by_character.update(taken)
        failing = {find.violation.line for find in finds}
        *whole, rest = text.split("\n")
        for line in whole:
            self._take(line, failing)
            self.close()
        self._take(rest, failing)

    def close(self) -> None:
        """Take the line as ended."""
        self._lines += self._has_text or self._fails
        self._failed += self._fails
        self._has_text = self._fails = False
        self._line += 1

    def report(self, violations: tuple[Violation, ...]) -> CheckReport:
        """The report on the lines that are complete."""
        letters = properties.lookup("General_Category", "L")
        return CheckReport(
            _count(self._characters, letters),
            _count(self._by_character, letters),
            self._characters[REPLACEMENT],
            self._lines,
            self._failed,
            self._by_rule.copy(),
            self._by_character.copy(),
            violations,
        )

    def _take(self, piece: str, failing: set[int]) -> None:
        self._has_text |= bool(piece.strip("\r"))
        self._fails |= self._line in failing


def _count(characters: Mapping[str, int], members: IntervalSet) -> int:
    return sum(n for c, n in characters.items() if ord(c) in members)
