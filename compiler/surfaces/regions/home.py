"""Ways to an end of a text with regions that hold a surface.

Within a region a way is that of the surface with the policy beside it, then what closes the region. Outside it is the
shortest that the policy leaves, one that opens no such region if there is any.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SURFACE_WAY_STEPS, over_limit
from langc.compiler.surfaces.masks.heads import Nodes
from langc.compiler.surfaces.masks.ways import Ways
from langc.compiler.surfaces.regions.spot import Spot, SpotPlace

if TYPE_CHECKING:
    from langc.compiler.surfaces.policed.tables import JointTables

_REGIONS = 4
"""Regions that a way leads through at most."""


class SpotHomes(Ways[Spot]):
    """See the module.

    Args:
        nodes: the trie of the tokens that ways are counted in.
        joint: the tables within the regions of a tracker, by its number.
    """

    def __init__(self, nodes: Nodes, joint: Callable[[int], JointTables]) -> None:
        super().__init__(nodes)
        self._joint = joint

    def lives(self, here: Spot) -> bool:
        """Whether the text can be finished, as far as is known: that of an open region. The policy sees to the rest."""
        if here.open is None or here.closer is not None or here.accepting:
            return True
        joint = here.open.joint
        if joint is None:
            return False
        region = here.followed.regions[here.open.number]
        return region.is_certain(joint.state) or self._joint(here.open.number).homes.lives(joint)

    def place(self, here: Spot) -> SpotPlace:
        """See `Spot.place`."""
        return here.place

    def step(self, here: Spot, text: bytes) -> Spot | None:
        """The place behind a text."""
        return here.run(text)

    def way(self, here: Spot) -> bytes:
        """A text that leads to an end. Raises LimitError if none is found in time."""
        found, at = b"", here
        for _ in range(_REGIONS):
            text = self._to_closed(at) if at.open is not None else b""
            behind = at.run(text)
            assert behind is not None
            rest, at = self._outside(behind)
            found += text + rest
            if at.accepting:
                return found
        raise _too_far()

    def _to_closed(self, here: Spot) -> bytes:
        """What leads to the end of an open region, or of the text if that comes first."""
        if here.accepting or here.open is None:
            return b""
        if (closer := here.closer) is not None:
            return closer
        joint = here.open.joint
        if joint is None:
            raise _too_far()
        text = self._joint(here.open.number).homes.way(joint)
        behind = here.run(text)
        if behind is not None and behind.accepting:
            return text
        closer = None if behind is None else behind.closer
        if closer is None:
            raise _too_far()
        return text + closer

    def _outside(self, start: Spot) -> tuple[bytes, Spot]:
        """The shortest text to an end; without any to where a region opens. Raises LimitError."""
        waiting, seen = [(b"", start)], {start.place}
        opened: tuple[bytes, Spot] | None = None
        for text, here in waiting:
            if here.accepting:
                return text, here
            for byte in range(256):
                after = here.step(byte)
                if after is None or after.place in seen:
                    continue
                seen.add(after.place)
                if after.open is None:
                    waiting.append((text + bytes((byte,)), after))
                elif opened is None and self.lives(after):
                    opened = text + bytes((byte,)), after
            if len(seen) > MAX_SURFACE_WAY_STEPS:
                break
        if opened is None:
            raise _too_far()
        return opened

    # --- what a search lexeme by lexeme would ask for: there is none ---

    def behind(self, here: Spot) -> Hashable:
        """The place itself."""
        return here.place

    def left(self, here: Spot) -> int:
        """Unknown."""
        return 0

    def rules(self, here: Spot) -> Hashable:
        """Within a region, where in the rules of the surface; elsewhere nothing."""
        if here.open is None or here.open.joint is None:
            return ()
        found = self._joint(here.open.number).homes.rules(here.open.joint)
        return (here.open.number, found) if found else ()

    def _tries(self, here: Spot, is_first: bool) -> Iterator[tuple[int, bytes]]:
        yield from ()


def _too_far() -> LimitError:
    return LimitError(over_limit("places on the way to an end of a text", MAX_SURFACE_WAY_STEPS))
