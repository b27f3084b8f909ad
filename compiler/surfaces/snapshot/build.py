"""From the networks of a surface to the rules of a grammar.

A nonterminal is a place in a network, what stands before it, and what stands at its end: `OPEN`, `WORD` (a lexeme that
a word would grow into, so white space must come before a word) or `DONE` (the rest of the text is no matter). So white
space is asked for exactly where the lexer needs it, and no engine has to look ahead.

Every rule is right-linear but for the rules that it enters: the grammars have no left recursion because the networks
have none.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SNAPSHOT_RULES, over_limit
from langc.compiler.surfaces.engine.network import (
    Do,
    Enter,
    Leave,
    Network,
    Pop,
    Push,
    Read,
    Terminal,
    Test,
    build_network,
)
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.model import Guard, Surface
from langc.compiler.surfaces.signatures import GUARDS
from langc.compiler.surfaces.snapshot.grammar import Grammar, Row
from langc.compiler.surfaces.snapshot.pieces import ANY, DONE, OPEN, WORD, Piece, Pieces
from langc.compiler.surfaces.snapshot.reduce import reduced
from langc.compiler.surfaces.snapshot.statics import Certain, parameters_asked_for

Parameters: TypeAlias = tuple[tuple[str, str], ...]


class Place(NamedTuple):
    """A state of a network, the values of its parameters, and what else a view knows there."""

    state: int
    parameters: Parameters
    known: Hashable = None


class Lost:
    """Instead of a place, where what comes is no matter."""


class View(Protocol):
    """What a grammar takes from the world."""

    def pieces(self, terminal: Terminal, place: Place) -> Sequence[Piece]:
        """What a terminal becomes."""

    def moved(self, place: Place, target: int) -> Place:
        """The place at another state of the same rule."""

    def entered(self, place: Place, start: int, parameters: Parameters) -> Place:
        """The place at the start of a rule."""

    def followed(self, edge: Test | Do | Push | Pop, place: Place) -> Place | Lost | None:
        """The place behind a guard, an action, or the border of a scope.

        None if it may not be gone to; `Lost` if what comes behind it is no matter.
        """

    def leaves(self, place: Place) -> bool:
        """Whether a rule may be left here as it was entered; if not, what comes behind it is no matter."""

    def asked_for(self, network: Network) -> Mapping[str, frozenset[str]]:
        """For each rule the parameters that are of interest."""


def snapshot(surface: Surface, environment: Environment, exact: bool = True) -> Grammar:
    """A grammar that admits every text of a surface, with the names of an environment. Raises LimitError.

    Without `exact`, white space may be missing between a rule that can end in a word or in a sign and a word. An engine
    that follows each reading of a text by itself would else have twice as many for every rule that it is in.
    """
    pieces = Pieces(surface, environment)
    network = build_network(surface)
    rules = Rules(network, Timeless(pieces), pieces, exact=exact)
    start = (Place(network.starts[surface.start], ()),)
    return rules.finished([(rules.in_a_row(start, OPEN, end),) for end in ((OPEN, WORD) if exact else (ANY,))])


@dataclass(frozen=True, eq=False)
class Timeless:
    """The view of a snapshot: guards of the world hold, and its actions do nothing."""

    given: Pieces

    def pieces(self, terminal: Terminal, place: Place) -> Sequence[Piece]:
        """See `View`."""
        return self.given.of(terminal)

    def followed(self, edge: Test | Do | Push | Pop, place: Place) -> Place | None:
        """See `View`."""
        fails = isinstance(edge, Test) and decided(edge.guard, place.parameters) is False
        return None if fails else place._replace(state=edge.target)

    def leaves(self, place: Place) -> bool:
        """See `View`."""
        return True

    def asked_for(self, network: Network) -> Mapping[str, frozenset[str]]:
        """See `View`."""
        return parameters_asked_for(network)

    def moved(self, place: Place, target: int) -> Place:
        """See `View`."""
        return place._replace(state=target)

    def entered(self, place: Place, start: int, parameters: Parameters) -> Place:
        """See `View`."""
        return Place(start, parameters)


def decided(guard: Guard, parameters: Parameters) -> bool | None:
    """What a guard of a parameter says; None for one of the world."""
    wanted = dict(guard.arguments).get("value")
    if wanted is None and guard.name in GUARDS:
        return None
    value = dict(parameters).get(guard.name)
    holds = value == wanted if wanted is not None else value not in (None, "no")
    return holds != guard.negated


class _Key(NamedTuple):
    place: Place
    before: int
    end: int


@dataclass(eq=False)
class Rules:
    """Makes the rules that are asked for, and all that they lead to."""

    network: Network
    view: View
    made: Pieces
    numbers: dict[_Key, int] = field(default_factory=dict)
    rows: list[tuple[Row, ...]] = field(default_factory=list)
    beyond: bool = True
    """Whether there is anything where the rest of the text is no matter."""
    _rows_of: dict[tuple[tuple[Place, ...], int, int], int] = field(default_factory=dict)
    _closed: dict[Place, _Steps] = field(default_factory=dict)
    exact: bool = True
    """Whether what stands at the end of a rule is part of its name; if not, only what is certain there is known."""
    _spaces: int = field(init=False)
    _rest: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        skip = self.made.skip
        self._spaces = self._new(((skip,), ()) if skip else ((),))
        rests = [(self.made.anything(before),) for before in (OPEN, WORD)]
        self._rest = tuple(self._new(((), rest) if self.beyond else ((),)) for rest in rests)

    def finished(self, starts: Iterable[Row]) -> Grammar:
        """The grammar of some rows, with all rules that they lead to. Raises LimitError."""
        start = self._new(tuple(starts))
        for key in self._asked():
            self.rows[self.numbers[key]] = tuple(self._alternatives(key))
            if len(self.rows) > MAX_SNAPSHOT_RULES:
                raise LimitError(over_limit("rules in the grammar of a surface", MAX_SNAPSHOT_RULES))
        return reduced(Grammar(tuple(self.rows), start))

    def in_a_row(self, places: tuple[Place, ...], before: int, end: int) -> int:
        """The rule of the texts of some places, one behind the other, and of the white space at the end."""
        key = (places, before, end)
        if key not in self._rows_of:
            self._rows_of[key] = number = self._new(())
            self.rows[number] = tuple(self._one_by_one(places, before, end))
        return self._rows_of[key]

    def _one_by_one(self, places: tuple[Place, ...], before: int, end: int) -> Iterator[Row]:
        if not places:
            if end in (before, ANY):
                yield () if end == DONE else (self._spaces,)
            return
        for between in (OPEN, WORD, *[DONE] * (end == DONE)) if self.exact else (ANY,):
            number = self._number(_Key(places[0], before, between))
            yield (number, self.in_a_row(places[1:], between, end))

    def read(self, terminal: Terminal, place: Place, before: int) -> Iterator[tuple[Row, int]]:
        """A lexeme with the white space before it, and what stands behind it."""
        for piece in self.view.pieces(terminal, place):
            row: Row = (piece.lexeme, self._rest[piece.behind]) if piece.ends == DONE else (piece.lexeme,)
            if not (before == WORD and piece.begins_wordy):
                yield (self._spaces, *row), piece.ends
            elif self.made.skip:
                yield (self.made.skip, *row), piece.ends

    def _asked(self) -> Iterator[_Key]:
        """All keys, those too that come up meanwhile."""
        at = 0
        while at < len(self.numbers):
            fresh = list(self.numbers)[at:]
            yield from fresh
            at += len(fresh)

    def _new(self, rows: tuple[Row, ...]) -> int:
        self.rows.append(rows)
        return len(self.rows) - 1

    def _number(self, key: _Key) -> int:
        if key not in self.numbers:
            self.numbers[key] = self._new(())
        return self.numbers[key]

    def _alternatives(self, key: _Key) -> Iterator[Row]:
        place, before, end = key
        if before == DONE:
            yield from [()] * (end == DONE)
            return
        steps = self._closure(place)
        if steps.leaves and end in (before, ANY):
            yield ()
        if steps.changes and end == DONE:
            yield (self._rest[before],)
        for edge, there in steps.edges:
            yield from self._read(edge, there, key) if isinstance(edge, Read) else self._entered(edge, there, key)

    def _read(self, edge: Read, place: Place, key: _Key) -> Iterator[Row]:
        for row, ends in self.read(edge.terminal, place, key.before):
            yield (*row, self._number(_Key(self.view.moved(place, edge.target), ends, key.end)))

    def _entered(self, edge: Enter, place: Place, key: _Key) -> Iterator[Row]:
        inner = self.view.entered(place, edge.start, self._given(edge, place.parameters))
        if edge.target in self.network.ends:
            yield (self._number(_Key(inner, key.before, key.end)),)
            return
        behind = self.view.moved(place, edge.target)
        for first, between in self._ways_through(edge, key):
            rest = self._number(_Key(behind, between, key.end))
            yield (self._number(_Key(inner, key.before, first)), rest)

    def _ways_through(self, edge: Enter, key: _Key) -> Iterator[tuple[int, int]]:
        """What may stand at the end of a rule, and what is known of it there."""
        if not self.exact:
            yield ANY, self._certain.behind(edge.rule, key.before)
            return
        for between in (OPEN, WORD, *[DONE] * (key.end == DONE)):
            yield between, between

    def _given(self, edge: Enter, parameters: Parameters) -> Parameters:
        asked = self._asked_for[edge.rule]
        given = {**dict(parameters), **dict(edge.parameters)}
        return tuple(sorted(pair for pair in given.items() if pair[0] in asked))

    @cached_property
    def _asked_for(self) -> Mapping[str, frozenset[str]]:
        return self.view.asked_for(self.network)

    @cached_property
    def _certain(self) -> Certain:
        return Certain(self.network, self.made)

    def _closure(self, place: Place) -> _Steps:
        """What comes next without reading."""
        found = self._closed.get(place)
        if found is None:
            found = self._closed[place] = self._followed(place)
        return found

    def _followed(self, place: Place) -> _Steps:
        steps = _Steps([])
        seen, waiting = {place}, [place]
        while waiting:
            here = waiting.pop()
            for edge in self.network.edges[here.state]:
                if isinstance(edge, Read | Enter):
                    steps.edges.append((edge, here))
                elif isinstance(edge, Leave):
                    unchanged = self.view.leaves(here)
                    steps.leaves, steps.changes = steps.leaves or unchanged, steps.changes or not unchanged
                else:
                    following = self.view.followed(edge, here)
                    if isinstance(following, Lost):
                        steps.changes = True
                    elif following is not None and following not in seen:
                        seen.add(following)
                        waiting.append(following)
        return steps


@dataclass
class _Steps:
    edges: list[tuple[Read | Enter, Place]]
    leaves: bool = False
    changes: bool = False
