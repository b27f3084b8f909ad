"""A place of a text with regions that hold a surface, one step a byte.

What stands in a region is known to be over only where what closes it is complete. Until then both are followed: that
the surface goes on, and that its text was complete where the closer may have begun.

Invariant: what was read is the beginning of a text that the policy permits, and what stands in its regions is, or may
still be, a text of the surface.
"""

from __future__ import annotations

from dataclasses import dataclass

from langc.compiler.surfaces.engine.config import Config
from langc.compiler.surfaces.policed.joint import Joint, Steps
from langc.compiler.surfaces.regions.inside import Inside
from langc.compiler.surfaces.regions.tracker import NEWLINE, RETURN

SpotPlace = tuple[int, tuple[int, ...], tuple[object, ...] | None]


@dataclass(frozen=True, eq=False)
class Followed:
    """What a text is followed through. `own` are the steps within the regions of each tracker."""

    policy: Steps
    regions: tuple[Inside, ...]
    own: tuple[Steps, ...]
    start: Config
    """The beginning of a text of the surface."""


@dataclass(frozen=True, eq=False, slots=True)
class Open:
    """An open region."""

    number: int
    """Of its tracker."""
    joint: Joint | None
    """Where the text of the surface stands; None if it does not go on like that."""
    was_complete: bool
    """For code blocks: whether the text was complete before the end of the last line, or the block has just begun."""
    at_line_start: bool
    before_return: bool | None
    """Directly behind a carriage return: whether the text was complete before it."""
    begun: frozenset[int]
    """For others: how many bytes there are of each closer that may have begun where the text was complete."""

    @property
    def is_complete(self) -> bool:
        """Whether the text of the surface may end here."""
        return self.joint is not None and self.joint.config.accepting

    @property
    def ends(self) -> bool:
        """For code blocks: whether what was written but for its last line end is a text of the surface."""
        return self.was_complete if self.at_line_start else self.is_complete


@dataclass(eq=False, slots=True)
class Spot:
    """See the module."""

    followed: Followed
    state: int
    """Of the policy."""
    tracked: tuple[int, ...]
    open: Open | None

    @classmethod
    def first(cls, followed: Followed, state: int) -> Spot:
        """The beginning of a text."""
        tracked = tuple(region.tracker.start for region in followed.regions)
        return cls(followed, state, tracked, _opened(followed, state, tracked))

    def step(self, byte: int) -> Spot | None:
        """The place after one more byte."""
        followed = self.followed
        state = followed.policy.step(self.state, byte)
        if state is None:
            return None
        tracked = tuple(
            [region.tracker.rows[at][byte] for region, at in zip(followed.regions, self.tracked, strict=True)]
        )
        if self.open is None:
            return Spot(followed, state, tracked, _opened(followed, state, tracked))
        after = self._goes_on(self.open, byte)
        number = self.open.number
        if followed.regions[number].tracker.inside[tracked[number]]:
            spot = Spot(followed, state, tracked, after)
            return spot if spot._may_go_on() else None
        return Spot(followed, state, tracked, None) if self._is_closed(self.open, after) else None

    def run(self, text: bytes) -> Spot | None:
        """The place after several bytes."""
        here: Spot | None = self
        for byte in text:
            if here is None:
                return None
            here = here.step(byte)
        return here

    def may_end(self) -> bool:
        """Whether the text may end here, as far as the regions are concerned."""
        if self.open is None:
            return self.followed.start.accepting or not self.opens_at_end
        region = self.followed.regions[self.open.number]
        if region.tracker.closer is not None:
            return self.open.is_complete
        row = region.tracker.rows[self.tracked[self.open.number]]
        is_closer = not region.tracker.inside[row[NEWLINE]]
        return self.open.was_complete if is_closer else self.open.ends

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""
        return self.followed.policy.ends(self.state) and self.may_end()

    @property
    def opens_at_end(self) -> bool:
        """Outside all regions: whether the text is in the line that opens a code block. Then nothing stands in it."""
        pairs = zip(self.followed.regions, self.tracked, strict=True)
        return any(region.tracker.opening[at] for region, at in pairs)

    # --- in a region ---

    def _goes_on(self, here: Open, byte: int) -> Open:
        """The region with one more byte, wherever the policy stands."""
        joint = None if here.joint is None else here.joint.step(byte)
        if self.followed.regions[here.number].tracker.closer is None:
            return self._in_block(here, byte, joint)
        begun = self._begun(here, byte, joint)
        return Open(here.number, joint, here.was_complete, here.at_line_start, None, begun)

    @staticmethod
    def _in_block(here: Open, byte: int, joint: Joint | None) -> Open:
        if byte == NEWLINE:
            complete = here.is_complete if here.before_return is None else here.before_return
            return Open(here.number, joint, complete, True, None, here.begun)
        before = here.is_complete if byte == RETURN else None
        return Open(here.number, joint, here.was_complete, False, before, here.begun)

    def _begun(self, here: Open, byte: int, joint: Joint | None) -> frozenset[int]:
        closer = self._closer(here)
        longer = {size + 1 for size in here.begun if size < len(closer) and closer[size] == byte}
        return frozenset(longer | {0} if joint is not None and joint.config.accepting else longer)

    def _closer(self, here: Open) -> bytes:
        spelled = self.followed.regions[here.number].tracker.closer
        assert spelled is not None
        return spelled.encode("utf-8", "surrogatepass")

    def _is_closed(self, before: Open, after: Open) -> bool:
        """Whether the text of the surface was complete where what closed the region began."""
        if self.followed.regions[before.number].tracker.closer is None:
            return before.was_complete
        return len(self._closer(before)) in after.begun

    def _may_go_on(self) -> bool:
        """Whether the surface goes on, or what may have begun can still close the region."""
        here = self.open
        assert here is not None
        return here.joint is not None or self.closer is not None or self.accepting

    @property
    def closer(self) -> bytes | None:
        """What closes the region where its closer may have begun, or may begin; None if it cannot."""
        here = self.open
        if here is None:
            return None
        region = self.followed.regions[here.number]
        pair = self.state, self.tracked[here.number]
        if region.tracker.closer is not None:
            closer = self._closer(here)
            rests = (closer[size:] for size in sorted(here.begun, reverse=True))
            return next((rest for rest in rests if rest and region.closes(pair, rest)), None)
        if here.was_complete and (rest := region.closer_at(pair)) is not None:
            return rest
        return self._closer_of_block(here, region)

    def _closer_of_block(self, here: Open, region: Inside) -> bytes | None:
        pair = self.state, self.tracked[here.number]
        if here.before_return if here.before_return is not None else here.is_complete:
            return region.after_contents(pair)
        if not here.is_complete:
            return None
        behind = region.step(pair, RETURN)  # a text that ends in a carriage return: the line end has one of its own
        rest = None if behind is None else region.after_contents(behind)
        return None if rest is None else b"\r" + rest

    @property
    def place(self) -> SpotPlace:
        """What tells places apart, though an engine has forgotten them in between."""
        here = self.open
        if here is None:
            return self.state, self.tracked, None
        joint = None if here.joint is None else here.joint.place
        kept = here.number, joint, here.was_complete, here.at_line_start, here.before_return, here.begun
        return self.state, self.tracked, kept


def _opened(followed: Followed, state: int, tracked: tuple[int, ...]) -> Open | None:
    """The region that is open where none was."""
    for number, (region, at) in enumerate(zip(followed.regions, tracked, strict=True)):
        if region.tracker.inside[at]:
            joint = Joint(followed.start, region.state_of((state, at)), followed.own[number])
            is_complete = followed.start.accepting
            return Open(number, joint, is_complete, True, None, frozenset((0,)) if is_complete else frozenset())
    return None
