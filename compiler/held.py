"""How much of a text that is still being read can become part of a violation.

The text could have ended at its *settled* places: it is permitted up to there, or the policy started afresh there. A
violation begins at the last settled place, or, if it is a phrase, where its occurrence began. So up to the last settled
place that is not behind the beginning of an occurrence in progress the text is safe.

Invariant: what is safe depends on the text so far and not on how it came. Occurrences are followed as far back as
`reach` says, as those that are reported are. An occurrence that is complete but may be in a region that closes, or be
barred by what follows, stays in progress until the text could end again.
"""

from __future__ import annotations

from collections import deque

from langc.compiler.automata.phrase_finder import PhraseFinder, reach
from langc.compiler.ir.nodes import RuleKind
from langc.compiler.policy import Policy

_KINDS = (RuleKind.DENY, RuleKind.STOP_BEFORE)


class HeldText:
    """The settled places of one text, by their offsets in code points."""

    def __init__(self, policy: Policy) -> None:
        scopes = ((*ir.rules, *(r for region in ir.regions for r in region.rules)) for ir in policy.lowered.scopes)
        rules = [rule for scope in scopes for rule in scope if rule.kind in _KINDS]
        self._phrases = PhraseFinder((rule, p) for rule in rules for p in rule.phrases)
        self._reach = reach(p for rule in rules for p in rule.phrases)
        self._begun_delimiters = {d[:size] for d in policy.markers for size in range(1, len(d))}
        self._last = 0
        self._gaps: deque[tuple[int, int]] = deque()
        """The settled places on both sides of stretches without any, as far back as phrases reach."""

    def settle(self, first: int, last: int) -> None:
        """The text could end at every place from `first` to `last`."""
        if first > self._last + 1:
            self._gaps.append((self._last, first))
        self._last = last
        while self._gaps and self._gaps[0][1] + self._reach < last:
            self._gaps.popleft()

    def unsettle(self, place: int, recent: str) -> None:
        """The text could not end at `place`; `recent` is what stands before it, as far back as the policy goes."""
        if self._last == place - 1 and (begun := self._begun(recent)):
            self._last = self._settled_before(place - begun)

    def break_off(self, start: int, end: int) -> int:
        """The policy starts afresh behind a violation from `start` to `end`; what was safe before it."""
        safe = self._settled_before(start)
        self._gaps.clear()
        self._last = end
        return safe

    def safe(self, length: int, recent: str) -> int:
        """How much of a text of some length is safe; `recent` is its end, as far back as the policy goes."""
        return self._settled_before(length - self._begun(recent))

    def _settled_before(self, place: int) -> int:
        """The last settled place up to `place`."""
        if place >= self._last:
            return self._last
        return next((first for first, last in self._gaps if first < place < last), place)

    def _begun(self, recent: str) -> int:
        """How many characters ago the first occurrence in progress began; 0 without one.

        While a delimiter may be in progress, so are the occurrences before it: the border would be their boundary.
        """
        if not self._reach:
            return 0
        recent = recent[-self._reach :]
        ends = (size for size in range(1, len(recent) + 1) if recent[-size:] in self._begun_delimiters)
        texts = (recent, *(recent[:-size] for size in ends)) if self._begun_delimiters else (recent,)
        begun = (self._phrases.begun(text) for text in texts)
        return max((len(recent) - start for start in begun if start is not None), default=0)
