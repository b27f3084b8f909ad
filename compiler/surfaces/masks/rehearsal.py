"""Places that are met before a text begins, so that a text meets less that is new.

Invariant: each place is the end of a short beginning of a text, and together they come to every state of the rules
behind which a lexeme is read, as far as the world lets them: each is come to once, breadth first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from langc.compiler.surfaces.engine.config import Config
from langc.compiler.surfaces.masks.home import Homes, Place, behind, place


def rehearsed(homes: Homes, start: Config) -> Iterator[Config]:
    """The places, and behind each lexeme the one behind a blank too. None is there twice."""
    known = set[Place]()
    for config in _rehearsed(homes, start):
        if place(config) not in known:
            known.add(place(config))
            yield config


def _rehearsed(homes: Homes, start: Config) -> Iterator[Config]:
    yield start
    waiting, met = deque([start]), set[int]()
    while waiting:
        for after in _onward(homes, waiting.popleft(), met):
            yield after
            waiting.append(after)
            blank = after.run(homes.between[0]) if homes.between else None
            if blank is not None:
                yield blank


def _onward(homes: Homes, here: Config, met: set[int]) -> Iterator[Config]:
    """The places behind one more lexeme that are at a state which was not met before."""
    point = behind(here)
    if point is None:
        return
    for items, text in homes.lexemes(point):
        states = {edge.target for edge, _ in items}
        if not states <= met:
            after = here.run(homes.apart(here.lexeme, text))
            if after is not None and behind(after) is not None and not states <= met:
                met |= states
                yield after
