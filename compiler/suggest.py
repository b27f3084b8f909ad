"""Near misses: what a misspelt word may have been meant as."""

from __future__ import annotations

from collections.abc import Iterable


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word` (Ratcliff and Obershelp's measure, at least 0.6), case aside; None if none is."""
    from difflib import get_close_matches  # only errors need it

    spelling = {k.casefold(): k for k in sorted(known)}
    found = get_close_matches(word.casefold(), spelling, n=1)
    return spelling[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A help line, or None if nothing known is near."""
    found = closest(word, known)
    return f"did you mean `{found}`?" if found else None
