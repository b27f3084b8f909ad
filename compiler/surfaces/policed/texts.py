"""Whole texts against a surface and a policy, without a vocabulary: over tables of one whose tokens are the bytes."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar


class Place(Protocol):
    """A place of a text, one step a byte."""

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""

    def run(self: At, text: bytes) -> At | None:
        """The place behind several bytes, None where one is refused."""


At = TypeVar("At", bound=Place)
Asked = TypeVar("Asked", contravariant=True)


class Living(Protocol[Asked]):
    """Which places lead to an end."""

    def lives(self, here: Asked) -> bool:
        """Whether a way to an end is known."""


class TextTables(Protocol[At]):
    """Tables of texts of a surface and a policy, or of a policy with a surface in its regions."""

    @property
    def start(self) -> int:
        """The state of the beginning."""

    @property
    def homes(self) -> Living[At]:
        """Ways to an end."""

    def here(self, state: int) -> At:
        """The place that a state is."""


class WholeTexts(Generic[At]):
    """See the module."""

    def __init__(self, tables: TextTables[At]) -> None:
        self._tables = tables

    @property
    def start(self) -> At:
        """The beginning of a text."""
        return self._tables.here(self._tables.start)

    def accepts(self, text: str) -> bool:
        """Whether a whole text is permitted."""
        behind = self.start.run(text.encode("utf-8", "surrogatepass"))
        return behind is not None and behind.accepting

    def refused_at(self, text: str) -> int | None:
        """See `LoadedSurface.refused_at`."""
        if self.accepts(text):
            return None
        here = self.start
        for place, character in enumerate(text):
            behind = here.run(character.encode("utf-8", "surrogatepass"))
            if behind is None or not self._tables.homes.lives(behind):
                return place
            here = behind
        return len(text)
