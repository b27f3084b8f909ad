"""The referee's verdict on bytes, by Python's own decoder: malformed ones are no beginning of any text."""

from __future__ import annotations

from functools import cache

from tests.oracle.encoding import candidates, split
from tests.oracle.residual import Referee

Verdict = tuple[bool, bool]
"""(can still become a member, is one)."""


def judge_bytes(referee: Referee, data: bytes) -> Verdict:
    """The verdict on a string that may end inside a character."""
    whole = _split(data)
    if whole is None:
        return False, False
    text, rest = whole
    if not rest:
        return referee.viable(text), referee.accepts(text)
    low, high = candidates(rest) or (1, 0)
    characters = (low, *(c for c in referee.cuts if low < c <= high))
    tree = referee.after(text)
    return any(referee.alive(referee.step(tree, chr(c))) for c in characters), False


_split = cache(split)
