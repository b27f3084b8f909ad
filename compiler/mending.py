"""Putting what `replace` lines say in the place of what they deny, in a text that may still arrive.

A *round* reads a text and writes it again: each character that a `replace` of sets denies and each phrase that a
`replace phrase` denies, as `check` finds them, becomes its replacement. What stands around a replacement may violate
the policy only now (with `replace [·] with ""`, `a·b` becomes a denied `ab`), so there are `MAX_MENDINGS` rounds. Where
nothing else may pass, one more round lets nothing through that is a violation.

Invariant: a round writes a character once nothing that follows can make it part of a violation, and not before. What
is written does not depend on how the text was cut. A text without violations is written as it is. Behind the last,
strict round what was written is a permitted text at any time, if it is anything at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from langc.compiler.checking import Find, Scanner, Violation
from langc.compiler.ir.nodes import Rule, RuleKind
from langc.compiler.limits import MAX_MENDINGS
from langc.compiler.policy import Policy


class Mender:
    """Mends one text. If it is `strict`, the text ends before the first violation that no replacement mends.

    Once `violation` is set nothing more is written.
    """

    def __init__(self, policy: Policy, strict: bool) -> None:
        mending = [_Round(policy, strict) for _ in range(MAX_MENDINGS if replacements(policy) else 0)]
        self._rounds = [*mending, *([_Round(policy, strict, mends=False)] if strict else [])]
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
            text = broken.text
            try:
                broken.text = each.feed(text) + each.close()
            except _Broken as earlier:
                broken = earlier
        self.violation = broken.violation
        return broken.text


def mend(text: str, policy: Policy) -> tuple[str, int]:
    """A text with everything replaced that has a replacement, and how many characters and phrases that were."""
    mender = Mender(policy, strict=False)
    return mender.feed(text) + mender.finish(), mender.mended


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

    def __init__(self, policy: Policy, strict: bool, mends: bool = True) -> None:
        self._scanner = Scanner(policy, holds=True)
        self._instead = replacements(policy) if mends else {}
        self._strict = strict
        self._waiting = ""
        """What was read and not written."""
        self._written = 0
        """How much of the text that is read was written, or replaced."""
        self.mended = 0

    def feed(self, text: str) -> str:
        """Read the next characters. Raises _Broken."""
        self._waiting += text
        return self._mended(self._scanner.feed(text)) + self._upto(self._scanner.safe())

    def finish(self) -> str:
        """Take the text as ended. Raises _Broken."""
        return self._mended(self._scanner.finish()) + self._waiting

    def close(self) -> str:
        """Take the text as cut off: what of it could have been a text."""
        return self._upto(self._scanner.settled())

    def _mended(self, finds: Iterable[Find]) -> str:
        written = ""
        for find in finds:
            instead = self._replaced(find)
            if instead is None:
                raise _Broken(written + self._upto(find.safe), find.broken())
            written += self._upto(find.violation.start) + instead
            self._upto(find.violation.end)
        return written

    def _replaced(self, find: Find) -> str | None:
        """What stands for a violation; None if it must not pass and some of it has no replacement."""
        instead = [self._instead.get(charge.rule) if charge else None for _, charge in find.pieces]
        mends = any(text is not None for text in instead)
        leaves = any(charge and text is None for text, (_, charge) in zip(instead, find.pieces, strict=True))
        if self._strict and (leaves or not mends):
            return None
        written = ""
        for text, (piece, _) in zip(instead, find.pieces, strict=True):
            count = 1 if find.violation.is_phrase else len(piece)
            written += piece if text is None else text * count
            self.mended += 0 if text is None else count
        return written

    def _upto(self, place: int) -> str:
        """The text from where the last was written up to a place, which is written now."""
        size = max(0, place - self._written)
        text, self._waiting = self._waiting[:size], self._waiting[size:]
        self._written += size
        return text
