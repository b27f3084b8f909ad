"""Near misses: what a misspelt word may have been meant as."""

from __future__ import annotations

from collections.abc import Iterable


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word` (Ratcliff and Obershelp's measure, at least 0.6), case aside; None if none is."""
    return next(iter(all_close(word, known, 1)), None)


def all_close(word: str, known: Iterable[str], most: int = 5) -> list[str]:
    """Known words like `word`, by the measure of `closest`, the most like it first."""
    from difflib import get_close_matches  # only errors need it

    spelling = {k.casefold(): k for k in sorted(known)}
    return [spelling[found] for found in get_close_matches(word.casefold(), spelling, n=most)]


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A help line, or None if nothing known is near."""
    found = closest(word, known)
    return f"did you mean `{found}`?" if found else None
