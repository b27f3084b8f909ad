"""Grammars of what may follow a place of a text, exact up to the next event of Γ.

An *event* is what changes what a slot offers: a name is written, a text is kept, or a rule is left with another world
than it was entered with. Up to there guards and actions are run in the world as it is, but not without end: after a few
changes of the world (`_CHANGES`) the next one is an event, too. What comes behind an event is
either anything (`beyond`) or nothing, so that the texts of the surface lie between the two grammars. Where both take a
token, no event lies inside it, and the answer is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.engine.network import Do, Network, Parameters, Pop, Push, Terminal, Test
from langc.compiler.surfaces.engine.parse import Point
from langc.compiler.surfaces.engine.threads import Frame, Item, Locals
from langc.compiler.surfaces.environment.names import NameSet, Words
from langc.compiler.surfaces.model import Fresh, Literal, Open, Reference, TokenUse
from langc.compiler.surfaces.snapshot.build import Lost, Place, Rules
from langc.compiler.surfaces.snapshot.grammar import Grammar, Row
from langc.compiler.surfaces.snapshot.pieces import DONE, OPEN, WORD, Piece, Pieces
from langc.compiler.surfaces.world.world import World

_REMEMBERED = 10_000
_CHANGES = 1
"""Actions that are run ahead, and borders of scopes that are crossed: rules may do so again and again."""


class Known(NamedTuple):
    """What is known at a place."""

    world: World
    locals: Locals
    entered: World
    """The world in which the rule was entered, or gone on with."""
    changes: int = 0
    """How often the world has changed since the grammar began."""


@dataclass(eq=False)
class Continuations:
    """The grammars of an engine's points."""

    engine: Engine
    beyond: bool = False

    def grammar(self, point: Point) -> Grammar:
        """What may follow a point. Raises LimitError."""
        rules = Rules(self.engine.parser.network, self._view, self._pieces, beyond=self.beyond)
        return rules.finished(list(self._starts(point, rules)))

    @cached_property
    def _pieces(self) -> Pieces:
        return Pieces(self.engine.surface, self.engine.environment)

    @cached_property
    def _view(self) -> Now:
        return Now(self.engine.parser.network, self._pieces)

    def _starts(self, point: Point, rules: Rules) -> Iterator[Row]:
        if point.accepting:
            yield (rules.in_a_row((), OPEN, OPEN),)
        for edge, thread in offered(point):
            world = thread.world
            here = Place(thread.state, thread.parameters, Known(world, thread.locals, world))
            places = (self._view.moved(here, edge.target), *_returns(thread.stack, world))
            for row, before in rules.read(edge.terminal, here, OPEN):
                for end in (OPEN, WORD, DONE):
                    yield (*row, rules.in_a_row(places, before, end))


def offered(point: Point) -> Iterator[Item]:
    """The edges that a text can go on by."""
    for items in (*point.literals.values(), *point.tokens.values()):
        yield from items
    yield from (item for _, item in point.slots)


def _returns(stack: Frame | None, world: World) -> Iterator[Place]:
    """The rules to go back to."""
    while stack is not None:
        yield Place(stack.state, stack.parameters, Known(world, stack.locals, world))
        stack = stack.parent


@dataclass(eq=False)
class Now:
    """The view of one moment: slots offer what the world says, and a grammar ends with what they are filled by."""

    network: Network
    given: Pieces
    _offers: dict[NameSet | Words, tuple[Piece, ...]] = field(default_factory=dict)

    def pieces(self, terminal: Terminal, place: Place) -> Sequence[Piece]:
        """See `View`."""
        if isinstance(terminal, Literal) or (isinstance(terminal, TokenUse) and not terminal.local):
            return self.given.of(terminal)
        if isinstance(terminal, TokenUse):
            return [piece.last for piece in self.given.of(terminal)]
        return self._slot(terminal, place)

    def _slot(self, slot: Reference | Fresh | Open, place: Place) -> Sequence[Piece]:
        known = _known(place)
        names = known.world.names(slot, known.locals, place.parameters)
        if not names:
            return ()
        found = self._offers.get(names)
        if found is None:
            if len(self._offers) >= _REMEMBERED:
                self._offers.clear()
            found = self._offers[names] = tuple(piece.last for piece in self._offered(slot, names))
        return found

    def _offered(self, slot: Reference | Fresh | Open, names: NameSet | Words) -> Iterator[Piece]:
        if isinstance(names, NameSet):
            yield from self.given.names(slot.sort, names.spellings)
            return
        yield from self.given.shaped(names.shape, names.excluded)
        if names.quoted:
            yield from self.given.quoted()

    def moved(self, place: Place, target: int) -> Place:
        """See `View`."""
        known = _known(place)
        return Place(target, place.parameters, known._replace(locals=self._kept(known.locals, target)))

    def entered(self, place: Place, start: int, parameters: Parameters) -> Place:
        """See `View`."""
        known = _known(place)
        return Place(start, parameters, Known(known.world, (), known.world, known.changes))

    def followed(self, edge: Test | Do | Push | Pop, place: Place) -> Place | Lost | None:
        """See `View`."""
        known, parameters = _known(place), place.parameters
        world: World | None = known.world
        match edge:
            case Test(guard):
                if known.world.holds(guard, known.locals, parameters) == guard.negated:
                    return None
            case Do(action):
                world = known.world.act(action, known.locals, parameters)
            case Push(within):
                world = known.world.open(within, known.locals, parameters)
            case Pop(within):
                world = known.world.close(within)
        if world is None:
            return None
        changes = known.changes + (world != known.world)
        if changes > _CHANGES:
            return Lost()
        return self.moved(place._replace(known=known._replace(world=world, changes=changes)), edge.target)

    def leaves(self, place: Place) -> bool:
        """See `View`."""
        known = _known(place)
        return known.world == known.entered

    def asked_for(self, network: Network) -> Mapping[str, frozenset[str]]:
        """See `View`."""
        return network.live_parameters

    def _kept(self, locals_: Locals, state: int) -> Locals:
        live = self.network.live_locals[state]
        return tuple(pair for pair in locals_ if pair[0] in live)


def _known(place: Place) -> Known:
    assert isinstance(place.known, Known)
    return place.known
