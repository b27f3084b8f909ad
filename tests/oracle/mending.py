"""What mending a text gives, by definition: it is read again and again from where the policy starts afresh.

One scope without regions. A violation is the leftmost occurrence of a denied phrase that is certain, or else what has
stood since the text could last have ended, up to the character after which nothing is permitted. Shares no code with
the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.oracle.bounded import Scope
from tests.oracle.phrases import Wanted, can_be_barred, folded, occurrences
from tests.oracle.trying import Trying

ROUNDS = 4


@dataclass(frozen=True)
class Mending:
    """The rules of a scope. A replacement that is None lets nothing pass."""

    judge: Trying
    denied: str
    instead: str | None
    banned: Sequence[tuple[Wanted, str | None]]

    def guarded(self, text: str) -> str:
        """What a guard hands on of a whole text, replacements made and ended before the first other violation."""
        ends = True
        for number in range(ROUNDS + 1):
            text, broken = self._round(text, ends, mends=number < ROUNDS, strict=True)
            ends &= not broken
        return text

    def mended(self, text: str) -> str:
        """The text with replacements made, and other violations as they are."""
        for _ in range(ROUNDS):
            text, _ = self._round(text, ends=True, mends=True, strict=False)
        return text

    def _round(self, text: str, ends: bool, mends: bool, strict: bool) -> tuple[str, bool]:
        written = ""
        while True:
            at = self._dies(text)
            if at is None and (not ends or self.judge.accepts(text)):
                return written + (text if ends else text[: self._settled(text, len(text))]), False
            start, end, instead = self._violation(text, at)
            if instead is None or not mends:
                if strict:
                    return written + text[: self._settled(text, start)], True
                instead = text[start:end]
            written, text = written + text[:start] + instead, text[end:]

    def _dies(self, text: str) -> int | None:
        return next((n for n in range(len(text)) if not self.judge.viable(text[: n + 1])), None)

    def _settled(self, text: str, place: int) -> int:
        return max((n for n in range(1, place + 1) if self.judge.accepts(text[:n])), default=0)

    def _violation(self, text: str, at: int | None) -> tuple[int, int, str | None]:
        """Where it begins and ends, and what stands for it."""
        read = text if at is None else text[: at + 1]
        found = [
            (_visible(wanted, read, start), number, end, instead)
            for number, (wanted, instead) in enumerate(self.banned)
            for start, end in occurrences(wanted, read)
            if at is None or end < len(read) or not can_be_barred(wanted)
        ]
        if found:
            start, _, end, instead = min(found, key=lambda f: f[:3])
            return start, end, instead
        start = self._settled(text, len(read) if at is None else at)
        whole = read[start:]
        if not set(whole) & set(self.denied):
            return start, len(read), None
        return start, len(read), self._replaced(whole)

    def _replaced(self, text: str) -> str | None:
        if self.instead is None:
            return None
        return "".join(self.instead if c in self.denied else c for c in text)


def _visible(wanted: Wanted, text: str, start: int) -> int:
    """The first character of an occurrence that counts."""
    while not folded(text[start], wanted):
        start += 1
    return start


def mending(
    denied: str, instead: str | None, terms: Sequence[Wanted], banned: Sequence[tuple[Wanted, str | None]], pieces: str
) -> Mending:
    """The referee of these rules; `pieces` are what continuations are made of."""
    scope = Scope(lambda c: c not in denied, tuple(terms), tuple(w for w, _ in banned))
    return Mending(scope.trying(pieces), denied, instead, banned)
