"""What a token may do and what it costs, by definition, for rules that any judge of texts can decide.

A token is allowed iff the bytes so far and its own are the beginning of a permitted text and some tokens of this
vocabulary complete one. A soft rule takes its cost from a token iff some violation is unavoidable after the token
and was avoidable before it; behind a violating character the rule starts afresh. Of several rules the largest
cost counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from tests.oracle.encoding import candidates, split
from tests.oracle.phrases import kind
from tests.oracle.trying import Trying

FREE, FORBIDDEN = 0.0, float("-inf")


@dataclass(frozen=True)
class Discouraged:
    """A soft rule: the texts that do not break it, and what breaking it costs."""

    unbroken: Trying
    cost: float

    def after(self, text: str) -> tuple[int, str]:
        """The violations so far, and the text since the last of them."""
        count, stretch = 0, ""
        for character in text:
            stretch += character
            if not self.unbroken.viable(stretch):
                count, stretch = count + 1, ""
        return count, stretch


class Decoder:
    """Rows of costs after token histories. `tokens` are the texts' bytes, `eos` the id that ends a text."""

    def __init__(
        self, hard: Trying, soft: Sequence[Discouraged], tokens: Sequence[bytes], eos: int, depth: int = 4
    ) -> None:
        self.hard, self.soft, self.tokens, self.eos, self.depth = hard, soft, tokens, eos, depth
        self._finishes: dict[tuple[bytes, int], bool] = {}

    def row(self, history: Sequence[int]) -> list[float]:
        """What each id costs after a permitted history."""
        before = b"".join(self.tokens[i] for i in history)
        return [self._cost(before, i) for i in range(len(self.tokens))]

    def _cost(self, before: bytes, token: int) -> float:
        if token == self.eos:
            return self._end_cost(before)
        after = before + self.tokens[token]
        if not self.tokens[token] or not self.can_finish(after, self.depth):
            return FORBIDDEN
        broken = [s.cost for s in self.soft if self.violations(s, after) > self.violations(s, before)]
        return -max(broken, default=FREE)

    def _end_cost(self, before: bytes) -> float:
        whole = split(before)
        if whole is None or whole[1] or not self.hard.accepts(whole[0]):
            return FORBIDDEN
        return -max((s.cost for s in self.soft if not s.unbroken.accepts(s.after(whole[0])[1])), default=FREE)

    def violations(self, rule: Discouraged, data: bytes) -> int:
        """How many violations nothing can avoid any more."""
        text, rest = split(data) or ("", b"")
        count, stretch = rule.after(text)
        return count + bool(rest and not any(rule.unbroken.viable(stretch + c) for c in self._finished(text, rest)))

    def can_begin(self, data: bytes) -> bool:
        """Whether some permitted text begins with these bytes."""
        whole = split(data)
        if whole is None or not self.hard.viable(whole[0]):
            return False
        return not whole[1] or bool(self._finished(*whole))

    def _finished(self, text: str, rest: bytes) -> list[str]:
        """The characters that finish one begun, and are permitted: those of the judges, and some of the range."""
        known = {c for judge in (self.hard, *(s.unbroken for s in self.soft)) for p in judge.pieces for c in p}
        found = {c for c in known if len(c.encode()) > len(rest) and c.encode().startswith(rest)} | _kinds(rest)
        return [c for c in sorted(found) if self.hard.viable(text + c)]

    def can_finish(self, data: bytes, depth: int) -> bool:
        """Whether so many tokens complete a permitted text."""
        if (data, depth) not in self._finishes:
            self._finishes[data, depth] = self._search(data, depth)
        return self._finishes[data, depth]

    def _search(self, data: bytes, depth: int) -> bool:
        if not self.can_begin(data):
            return False
        whole = split(data)
        if whole is not None and not whole[1] and self.hard.accepts(whole[0]):
            return True
        return depth > 0 and any(self.can_finish(data + token, depth - 1) for token in self.tokens if token)


@cache
def _kinds(rest: bytes) -> set[str]:
    """The first and the last character of each kind that begins with these bytes."""
    low, high = candidates(rest) or (1, 0)
    characters = [chr(c) for c in range(low, high + 1) if not 0xD800 <= c <= 0xDFFF]
    return {c for row in (characters, characters[::-1]) for c in {kind(c): c for c in row}.values()}
