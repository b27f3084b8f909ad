"""Whole texts against a surface and a policy, without a vocabulary: over one whose tokens are the bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langc.compiler.surfaces.policed.joint import BYTES, Joint
from langc.compiler.surfaces.policed.tables import JointTables

if TYPE_CHECKING:
    from langc.compiler.surfaces.loaded import LoadedSurface


class JointTexts:
    """See the module. Raises as `JointTables`."""

    def __init__(self, loaded: LoadedSurface) -> None:
        tables = loaded.tables(BYTES)
        assert isinstance(tables, JointTables)
        self._tables = tables

    @property
    def start(self) -> Joint:
        """The beginning of a text."""
        return self._tables.here(self._tables.start)

    def accepts(self, text: str) -> bool:
        """Whether a whole text is one of both."""
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
