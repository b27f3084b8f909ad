"""Where the regions of a whole text stand in which a surface holds."""

from __future__ import annotations

from collections.abc import Iterator

from langc.compiler.surfaces.regions.contents import Contents
from langc.compiler.surfaces.regions.tracker import NEWLINE, Tracker


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
