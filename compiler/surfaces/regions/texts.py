"""Whole texts of a policy with a surface in its regions, without a vocabulary: over one whose tokens are the bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from langc.compiler.surfaces.policed.joint import BYTES
from langc.compiler.surfaces.regions.contents import Contents
from langc.compiler.surfaces.regions.spot import Spot
from langc.compiler.surfaces.regions.tables import RegionTables
from langc.compiler.surfaces.regions.tracker import NEWLINE, Tracker

if TYPE_CHECKING:
    from langc.compiler.surfaces.loaded import LoadedSurface


class RegionTexts:
    """See the module. Raises as `RegionTables`."""

    def __init__(self, loaded: LoadedSurface) -> None:
        tables = loaded.tables(BYTES)
        assert isinstance(tables, RegionTables)
        self._tables = tables

    @property
    def start(self) -> Spot:
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


def stretches(contents: Contents, text: str) -> list[tuple[int, int]]:
    """Where what stands in the regions begins and ends in a text, in code points."""
    return sorted(pair for tracker in contents.trackers for pair in _stretches(tracker, text))


def _stretches(tracker: Tracker, text: str) -> Iterator[tuple[int, int]]:
    state, begin = tracker.start, None
    if tracker.inside[state]:
        begin = 0
    for place, character in enumerate(text, 1):
        for byte in character.encode("utf-8", "surrogatepass"):
            state = tracker.rows[state][byte]
        if begin is not None and not tracker.inside[state]:
            yield begin, _end(tracker, text, begin, place, is_closed=True)
            begin = None
        elif begin is None and tracker.inside[state]:
            begin = place
    if begin is not None:
        is_closer = tracker.closer is None and not tracker.inside[tracker.rows[state][NEWLINE]]
        yield begin, _end(tracker, text, begin, len(text), is_closed=is_closer)
    elif tracker.closer is None and tracker.inside[tracker.rows[state][NEWLINE]]:
        yield len(text), len(text)  # the line that opens a code block is the last


def _end(tracker: Tracker, text: str, begin: int, place: int, *, is_closed: bool) -> int:
    """Where the contents end of a region that ends at `place`."""
    if tracker.closer is not None:
        return place - len(tracker.closer) if is_closed else place
    if is_closed:
        place = max(text.rfind("\n", begin, place - text[begin:place].endswith("\n")) + 1, begin)
    for ending in ("\r\n", "\n"):
        if text[begin:place].endswith(ending):
            return place - len(ending)
    return place
