"""Putting what `replace` lines say in the place of what they deny, in a text that may still arrive.

A *round* reads a text and writes it again: each character that a `replace` of sets denies and each phrase that a
`replace phrase` denies, as `check` finds them, becomes its replacement. What stands around a replacement may violate
the policy only now (with `replace [·] with ""`, `a·b` becomes a denied `ab`), so there are `MAX_MENDINGS` rounds. A
text that arrives goes through one more, which lets nothing through that is a violation.

Invariant: a round writes a character once nothing that follows can make it part of a violation, and not before. What
is written does not depend on how the text was cut. A text without violations is written as it is. Behind the last
round what was written is a permitted text at any time, if it is anything at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from langc.compiler.checking.report import Violation
from langc.compiler.checking.scanner import Find, Scanner
from langc.compiler.ir.nodes import Rule, RuleKind
from langc.compiler.limits import MAX_MENDINGS
from langc.compiler.policy import Policy


def mend(text: str, policy: Policy) -> tuple[str, int]:
    """A text with everything replaced that has a replacement, and how many characters and phrases that were.

    Other violations stay as they are.
    """
    instead = replacements(policy)
    total = 0
    for _ in range(MAX_MENDINGS if instead else 0):
        text, count = _mended_once(text, policy, instead)
        total += count
        if not count:
            break
    return text, total


def _mended_once(text: str, policy: Policy, instead: Mapping[str, str]) -> tuple[str, int]:
    scanner = Scanner(policy)
    written: list[str] = []
    at = count = 0
    for find in (*scanner.feed(text), *scanner.finish()):
        repair = _repaired(find, instead)
        written += (text[at : find.violation.start], repair.text)
        at = find.violation.end
        count += repair.total
    return "".join((*written, text[at:])), count


class _Repair(NamedTuple):
    """What stands for a violation."""

    text: str
    total: int
    """How many characters and phrases were replaced."""
    is_whole: bool
    """Whether nothing of it is left that a rule denies."""


def _repaired(find: Find, instead: Mapping[str, str]) -> _Repair:
    """Of a set each character is replaced, of a phrase the occurrence; what no rule takes away stays."""
    written, total, left = "", 0, 0
    for piece, charge in find.pieces:
        replacement = instead.get(charge.rule) if charge else None
        if replacement is None:
            written += piece
            left += charge is not None
            continue
        count = 1 if find.violation.is_phrase else len(piece)
        written += replacement * count
        total += count
    return _Repair(written, total, total > 0 and not left)


class Mender:
    """Mends one text that arrives. It ends before the first violation that is not mended as a whole.

    Once `violation` is set nothing more is written.
    """

    def __init__(self, policy: Policy) -> None:
        instead = replacements(policy)
        mending = [_Round(policy, instead) for _ in range(MAX_MENDINGS if instead else 0)]
        self._rounds = [*mending, _Round(policy, {})]
        self.violation: Violation | None = None
        """What ended the text. Its offsets count in the text as it was mended before."""

    @property
    def mended(self) -> int:
        """How many characters and phrases were replaced."""
        return sum(r.mended for r in self._rounds)

    def feed(self, text: str) -> str:
        """Read the next characters; what may be written now."""
        return self._through(text, ends=False)

    def finish(self) -> str:
        """Take the text as ended; the rest of what may be written."""
        return self._through("", ends=True)

    def _through(self, text: str, ends: bool) -> str:
        if self.violation is not None:
            return ""
        for number, each in enumerate(self._rounds):
            try:
                text = each.feed(text) + (each.finish() if ends else "")
            except _Broken as broken:
                return self._end(number, broken)
        return text

    def _end(self, number: int, broken: _Broken) -> str:
        """What the rounds behind the one that broke off still write. One that breaks as well does so further ahead."""
        for each in self._rounds[number + 1 :]:
            try:
                broken.text = each.feed(broken.text) + each.close()
            except _Broken as earlier:
                broken = earlier
        self.violation = broken.violation
        return broken.text


def replacements(policy: Policy) -> dict[str, str]:
    """The replacement of each rule that has one, by the rule as `langc fmt` prints it, which says it."""
    return {r.text: r.replacement for r in _rules(policy) if r.replacement is not None}


def stops(policy: Policy) -> frozenset[str]:
    """The rules at which a text ends, and that is no fault."""
    return frozenset(r.text for r in _rules(policy) if r.kind in (RuleKind.STOP, RuleKind.STOP_BEFORE))


def _rules(policy: Policy) -> Iterable[Rule]:
    scopes = policy.lowered.scopes
    return [rule for ir in scopes for rules in (ir.rules, *(r.rules for r in ir.regions)) for rule in rules]


@dataclass
class _Broken(Exception):
    """A round met a violation that it may not let through."""

    text: str
    """What it writes before."""
    violation: Violation


class _Round:
    """Reads a text once."""

    def __init__(self, policy: Policy, instead: Mapping[str, str]) -> None:
        self._scanner = Scanner(policy, holds=True)
        self._instead = instead
        self._waiting = ""
        """What was read and not written."""
        self._written = 0
        """How much of the text that is read was written, or replaced."""
        self.mended = 0

    def feed(self, text: str) -> str:
        """Read the next characters. Raises _Broken."""
        self._waiting += text
        return self._repaired(self._scanner.feed(text)) + self._upto(self._scanner.safe())

    def finish(self) -> str:
        """Take the text as ended. Raises _Broken."""
        return self._repaired(self._scanner.finish()) + self._waiting

    def close(self) -> str:
        """Take the text as cut off: what of it could have been a text."""
        return self._upto(self._scanner.settled())

    def _repaired(self, finds: Iterable[Find]) -> str:
        written = ""
        for find in finds:
            repair = _repaired(find, self._instead)
            if not repair.is_whole:
                raise _Broken(written + self._upto(find.safe), find.broken())
            written += self._upto(find.violation.start) + repair.text
            self._upto(find.violation.end)
            self.mended += repair.total
        return written

    def _upto(self, place: int) -> str:
        """The text from where the last was written up to a place, which is written now."""
        size = max(0, place - self._written)
        text, self._waiting = self._waiting[:size], self._waiting[size:]
        self._written += size
        return text
