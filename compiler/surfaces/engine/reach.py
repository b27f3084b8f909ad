"""What is reached from a place in a rule without reading a lexeme and without asking the world.

Rules are entered and left on the way, and guards that ask for a parameter are decided: parameters do not depend on what
is written. So all threads at one place with equal parameters share what is found here, whatever their worlds, their
locals and the rules that they return to.

Invariant: a `Spot` is a thread less what it has of the one that it was reached from; `Stand.at` adds that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SURFACE_THREADS, over_limit
from langc.compiler.surfaces.engine.beginnings import Beginnings
from langc.compiler.surfaces.engine.lexicon import Lexicon
from langc.compiler.surfaces.engine.network import LEAVE, Do, Enter, Leave, Network, Parameters, Pop, Push, Read, Test
from langc.compiler.surfaces.engine.threads import Frame, Item, Locals, Thread, kept
from langc.compiler.surfaces.model import Literal, TokenUse
from langc.compiler.surfaces.signatures import asks_parameter, parameter_holds
from langc.compiler.tokens.rows import Remembered

Key: TypeAlias = bytes | str
"""A literal by its text, folded if the surface folds; a token by its name."""
Asking: TypeAlias = Do | Test | Push | Pop
"""An edge that the world is to be asked for."""


@dataclass(frozen=True, eq=False, slots=True)
class Spot:
    """A place that is reached."""

    state: int
    parameters: Parameters
    live: frozenset[str]
    """The locals that are asked for there or behind it."""
    is_own: bool
    """It is in the rule of the thread, whose locals it has; in a rule that was entered there are none yet."""
    back: Spot | None
    """Where its rule returns to; None: where that of the thread does."""
    is_unhindered: bool
    """Whether its rule ends without a name of Γ (see `Network.unhindered`)."""
    returns: bool
    """Whether all that it returns to in its reach does."""


Step: TypeAlias = tuple[Read, Spot]
Asked: TypeAlias = tuple[tuple[Asking, Spot, int, bool], ...]
"""With the bytes that a lexeme may begin with behind the edge, and whether also with those where its rule returns to.
"""
Sure: TypeAlias = tuple[Spot, bool]
"""A spot, and whether the rule of its thread is known to lead on once it is returned from."""
LOOK_AHEAD = 4
"""Lexemes that are tried to see that a text can go on, before it is taken for granted."""
_FIRST_KEPT, _SPOTS_KEPT = 512, 4_096
"""Sets of bytes for which the literals of one place are remembered, and sets of spots."""


@dataclass(frozen=True, eq=False)
class Reach:
    """What is reached from one place."""

    owner: Reaches
    start: Spot
    fixed: Mapping[Key, tuple[Step, ...]]
    """Edges that read a literal or a token, by what they read."""
    free: frozenset[Key]
    """What of that nothing hinders a text to go on behind, if the thread's own rule can be returned from."""
    slots: tuple[Step, ...]
    """The other edges that read."""
    asking: Asked
    leaves: bool
    """Whether the end of the thread's own rule is reached."""

    first: Mapping[Key, int]
    """For each of the literals and tokens the bytes that it begins with."""
    first_of_slots: tuple[int, ...]
    """The same of the slots, in order."""

    @property
    def reads(self) -> bool:
        """Whether anything is read."""
        return bool(self.fixed or self.slots)

    @cached_property
    def running(self) -> frozenset[Key]:
        """The literals and tokens behind which so many can follow that a text is taken to go on, in any thread."""
        return frozenset(key for key, steps in self.fixed.items() if any(map(self.owner.runs, steps)))

    @cached_property
    def begun_by(self) -> Remembered[int, frozenset[Key]]:
        """The literals and tokens that may begin with one of some bytes."""
        return Remembered(self._begun_by, _FIRST_KEPT)

    def _begun_by(self, first: int) -> frozenset[Key]:
        return frozenset(key for key, own in self.first.items() if own & first)


class Reaches:
    """The reaches of one network.

    Args:
        network: the rules.
        live_locals: for each state the locals that are asked for there or behind it.
        lexicon: the surface's.
    """

    def __init__(self, network: Network, live_locals: tuple[frozenset[str], ...], lexicon: Lexicon) -> None:
        self.network, self.live_locals, self.lexicon = network, live_locals, lexicon
        self.beginnings = Beginnings(network, lexicon)
        self._spots: dict[tuple[int, Parameters, bool, Spot | None], Spot] = {}
        self._found: dict[Spot, Reach] = {}
        self._of: dict[tuple[int, Parameters], Reach] = {}
        self._runs: dict[tuple[Spot, int], bool] = {}

    def of(self, state: int, parameters: Parameters) -> Reach:
        """What is reached from a state. Raises LimitError if that is too much."""
        found = self._of.get((state, parameters))
        if found is None:
            found = self._of[state, parameters] = self.of_spot(self.spot(state, parameters, True, None))
        return found

    def of_spot(self, spot: Spot) -> Reach:
        """What is reached from a spot of another reach. Raises LimitError if that is too much."""
        found = self._found.get(spot)
        if found is None:
            found = self._found[spot] = _Search(self, spot).reach()
        return found

    def spot(self, state: int, parameters: Parameters, is_own: bool, back: Spot | None) -> Spot:
        """A place; equal ones are one object."""
        key = (state, parameters, is_own, back)
        found = self._spots.get(key)
        if found is None:
            returns = back is None or (back.is_unhindered and back.returns)
            is_unhindered = state in self.network.unhindered
            live = self.live_locals[state]
            found = self._spots[key] = Spot(state, parameters, live, is_own, back, is_unhindered, returns)
        return found

    @cached_property
    def free(self) -> Remembered[frozenset[Sure], frozenset[Key]]:
        """The literals and tokens behind which a text can go on at some spots, whatever the world says."""
        return Remembered(self._free, _SPOTS_KEPT)

    def _free(self, spots: frozenset[Sure]) -> frozenset[Key]:
        return frozenset[Key]().union(*map(self.free_at, spots))

    def free_at(self, sure: Sure) -> frozenset[Key]:
        """The same of one spot."""
        spot, returns = sure
        reach = self.of_spot(spot)
        return reach.free | reach.running if returns else reach.running

    def behind(self, step: Step) -> Spot:
        """Where a step leads."""
        edge, spot = step
        return self.spot(edge.target, spot.parameters, spot.is_own, spot.back)

    def is_free(self, step: Step) -> bool:
        """Whether nothing hinders a text to go on behind a step, if the thread's own rule can be returned from."""
        edge, spot = step
        return edge.target in self.network.free and spot.returns

    def runs(self, step: Step) -> bool:
        """Whether so many literals and tokens can follow behind a step that a text is taken to go on."""
        return self.can_read(self.behind(step), LOOK_AHEAD)

    def can_read(self, spot: Spot, count: int) -> bool:
        """Whether so many literals and tokens can be read one after another, without asking the world."""
        if count == 0:
            return True
        found = self._runs.get((spot, count))
        if found is None:
            steps = (step for steps in self.of_spot(spot).fixed.values() for step in steps)
            found = self._runs[spot, count] = any(self.can_read(self.behind(step), count - 1) for step in steps)
        return found


@dataclass(eq=False)
class _Search:
    reaches: Reaches
    start: Spot
    reached: dict[Spot, None] = field(default_factory=dict)

    def reach(self) -> Reach:
        """Depth first."""
        fixed: dict[Key, list[Step]] = {}
        slots: list[Step] = []
        asking: list[tuple[Asking, Spot, int, bool]] = []
        waiting = [self.start]
        while waiting:
            spot = waiting.pop()
            if spot in self.reached:
                continue
            self.enter(spot)
            for edge in self.reaches.network.edges[spot.state]:
                if isinstance(edge, Read):
                    key = self.key(edge)
                    (slots if key is None else fixed.setdefault(key, [])).append((edge, spot))
                elif isinstance(edge, Do | Push | Pop) or (isinstance(edge, Test) and not asks_parameter(edge.guard)):
                    asking.append((edge, spot, *self.reaches.beginnings.behind(edge.target, spot.back)))
                else:
                    waiting.extend(self.follow(edge, spot))
        return self.finished(fixed, tuple(slots), tuple(asking))

    def enter(self, spot: Spot) -> None:
        if len(self.reached) >= MAX_SURFACE_THREADS:
            raise LimitError(over_limit("threads at one place of a text", MAX_SURFACE_THREADS))
        self.reached[spot] = None

    def finished(self, fixed: dict[Key, list[Step]], slots: tuple[Step, ...], asking: Asked) -> Reach:
        free = frozenset(key for key, steps in fixed.items() if any(map(self.reaches.is_free, steps)))
        leaves = any(spot.back is None and LEAVE in self.reaches.network.edges[spot.state] for spot in self.reached)
        first = {key: self.reaches.lexicon.first(steps[0][0].terminal) for key, steps in fixed.items()}
        steps = {key: tuple(some) for key, some in fixed.items()}
        first_of_slots = tuple(self.reaches.lexicon.first(edge.terminal) for edge, _ in slots)
        return Reach(self.reaches, self.start, steps, free, slots, asking, leaves, first, first_of_slots)

    def key(self, edge: Read) -> Key | None:
        if isinstance(edge.terminal, Literal):
            return self.reaches.lexicon.text(edge.terminal)
        return edge.terminal.token if isinstance(edge.terminal, TokenUse) else None

    def follow(self, edge: Leave | Enter | Test, spot: Spot) -> Iterator[Spot]:
        place = self.reaches.spot
        match edge:
            case Leave():
                if spot.back is not None:
                    yield spot.back
            case Test(guard, target):
                if parameter_holds(guard, spot.parameters) != guard.negated:
                    yield place(target, spot.parameters, spot.is_own, spot.back)
            case Enter(_, start, _, target):
                ends = target in self.reaches.network.ends
                back = spot.back if ends else place(target, spot.parameters, spot.is_own, spot.back)
                yield place(start, self.reaches.network.given(edge, spot.parameters), False, back)


class Stand:
    """A thread, and what is reached from it."""

    __slots__ = ("_beginnings", "_frames", "_threads", "behind", "left", "reach", "thread")

    def __init__(self, thread: Thread, reaches: Reaches) -> None:
        self.thread, self.reach = thread, reaches.of(thread.state, thread.parameters)
        self.behind: dict[int, Stand | None] | None = None
        """What is behind what was asked of the world, by its number in `Reach.asking`."""
        self.left: Stand | None = None
        """What is behind the end of the rule, once it was needed."""
        self._beginnings = reaches.beginnings
        self._threads: dict[Spot, Thread] | None = None
        self._frames: dict[Spot, Frame] | None = None

    @property
    def may_end(self) -> bool:
        """Whether a text may end there."""
        return self.reach.leaves and self.thread.stack is None

    def at(self, spot: Spot) -> Thread:
        """The thread at a spot of its reach."""
        if self._threads is None:
            self._threads = {}
        found = self._threads.get(spot)
        if found is None:
            locals_, stack = self.locals(spot), self.stack(spot.back)
            found = self._threads[spot] = Thread(spot.state, locals_, spot.parameters, stack, self.thread.world)
        return found

    def item(self, step: Step) -> Item:
        """A step with its thread."""
        edge, spot = step
        return edge, self.at(spot)

    def locals(self, spot: Spot) -> Locals:
        """The locals at a spot."""
        return kept(self.thread.locals, spot.live) if spot.is_own else ()

    def stack(self, back: Spot | None) -> Frame | None:
        """The rules to return to, from where a spot's rule does."""
        if back is None:
            return self.thread.stack
        if self._frames is None:
            self._frames = {}
        found = self._frames.get(back)
        if found is None:
            parent = self.stack(back.back)
            first = self._beginnings.of(back.state, parent)
            found = Frame(back.state, self.locals(back), back.parameters, parent, back.is_unhindered, first)
            self._frames[back] = found
        return found
