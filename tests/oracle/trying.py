"""What can still become a member, by trying: longer and longer continuations, until one is a member.

It is as good as its pieces: they must hold a character of each kind that the language tells apart, and the closers of
what can be open. `hopeless` may cut off what is lost whatever follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

Test = Callable[[str], bool]


class Trying:
    """Decides texts and their beginnings, for any way to decide texts."""

    def __init__(self, member: Test, pieces: Iterable[str], depth: int, hopeless: Test = lambda text: False) -> None:
        self.pieces = tuple(dict.fromkeys(pieces))
        self.depth = depth
        self.hopeless = hopeless
        self._member = member
        self._members: dict[str, bool] = {}
        self._viable: dict[str, bool] = {}

    def accepts(self, text: str) -> bool:
        """Whether the text is a member."""
        if text not in self._members:
            self._members[text] = self._member(text)
        return self._members[text]

    def viable(self, text: str) -> bool:
        """Whether a continuation by so many pieces is a member."""
        if text not in self._viable:
            self._viable[text] = any(self.accepts(longer) for longer in self._continued(text))
        return self._viable[text]

    def _continued(self, text: str) -> Iterator[str]:
        layer = [text]
        for _ in range(self.depth + 1):
            layer = [t for t in layer if not self.hopeless(t)]
            yield from layer
            layer = [t + piece for t in layer for piece in self.pieces]

    def first_violation(self, text: str) -> int | None:
        """The first offset after which no member is left; the length if only the end is wrong; else None."""
        for end in range(1, len(text) + 1):
            if not self.viable(text[:end]):
                return end - 1
        return None if self.accepts(text) else len(text)

    def texts(self, alphabet: Sequence[str], length: int) -> Iterator[str]:
        """Every text of so many pieces of an alphabet whose beginnings can all become members, but perhaps itself."""
        layer = [""]
        for _ in range(length):
            layer = [t + piece for t in layer if self.viable(t) for piece in alphabet]
            yield from layer
