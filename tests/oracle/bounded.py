"""One scope by definition: its characters, its permitted terms with their boundaries, its denied phrases.

A text is permitted if each character is permitted by itself or lies wholly in some complete occurrence of a term, and
no denied phrase occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.oracle.phrases import Wanted, folded, is_fixed, occurrences, occurs
from tests.oracle.trying import Trying


def _anything(character: str) -> bool:
    return True


@dataclass(frozen=True)
class Scope:
    """The rules of one scope."""

    permits: Callable[[str], bool] = _anything
    """Whether a character is permitted by itself."""
    terms: tuple[Wanted, ...] = ()
    banned: tuple[Wanted, ...] = ()

    def accepts(self, text: str) -> bool:
        """Whether the text is permitted."""
        return all(self.fine(text)) and not any(occurs(p, text) for p in self.banned)

    def fine(self, text: str) -> list[bool]:
        """For each character, whether it is permitted by itself or by a term around it."""
        fine = [self.permits(c) for c in text]
        if all(fine):
            return fine
        for term in self.terms:
            for start, end in occurrences(term, text):
                fine[start:end] = [True] * (end - start)
        return fine

    def hopeless(self, text: str) -> bool:
        """A phrase has occurred for good, or what waits for a term lies in none that has begun."""
        if any(is_fixed(p, text) for p in self.banned):
            return True
        fine = self.fine(text)
        if all(fine):
            return False
        beginnings = {(t, text[start:]) for t in self.terms for start in range(fine.index(False) + 1)}
        return not any(folded(t.text, t).startswith(folded(begun, t)) for t, begun in beginnings)

    def trying(self, pieces: Iterable[str], depth: int = 2) -> Trying:
        """The scope as a judge of beginnings too."""
        return Trying(self.accepts, pieces, depth, self.hopeless)


@dataclass(frozen=True)
class Barred:
    """The texts of a part in which none of some phrases occurs, wherever regions begin and end."""

    part: Trying
    phrases: tuple[Wanted, ...]

    def accepts(self, text: str) -> bool:
        """Whether the text is permitted."""
        return self.part.accepts(text) and not any(occurs(p, text) for p in self.phrases)

    def hopeless(self, text: str) -> bool:
        """A phrase has occurred for good, or the part is lost."""
        return self.part.hopeless(text) or any(is_fixed(p, text) for p in self.phrases)

    def trying(self, pieces: Iterable[str], depth: int = 2) -> Trying:
        """A judge of beginnings too."""
        return Trying(self.accepts, pieces, depth, self.hopeless)


@dataclass(frozen=True)
class Stopping:
    """The texts of a part without some phrases, and those that end where one of the phrases first ends."""

    part: Trying
    phrases: tuple[Wanted, ...]
    ended: Callable[[str], bool] = lambda _: True
    """Whether a text that is ended there breaks no rule but that it must go on."""

    def accepts(self, text: str) -> bool:
        """Whether the text is permitted."""
        ends = [end for p in self.phrases for _, end in occurrences(p, text)]
        if ends and min(ends) == len(text):
            return self.part.viable(text) and self.ended(text)
        return not ends and self.part.accepts(text)

    def hopeless(self, text: str) -> bool:
        """Something is written behind a phrase, or the part has no such beginning."""
        ends = [end for p in self.phrases for _, end in occurrences(p, text)]
        return not self.part.viable(text) or min(ends, default=len(text)) < len(text)

    def trying(self, pieces: Iterable[str], depth: int = 2) -> Trying:
        """A judge of beginnings too."""
        return Trying(self.accepts, pieces, depth, self.hopeless)
