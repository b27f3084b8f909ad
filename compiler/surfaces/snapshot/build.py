"""From the networks of a surface to the rules of a grammar.

A nonterminal is a state of a network with the values of its parameters, what stands before it and what stands at its
end: `OPEN`, `WORD` (a lexeme that a word would grow into, so white space must come before a word) or `DONE`. So white
space is asked for exactly where the lexer needs it, and no engine has to look ahead. Guards of parameters are decided
here; what only the world knows is left out: its guards hold, its actions do nothing.

Every rule is right-linear but for the rules that it enters: the grammars have no left recursion because the networks
have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SNAPSHOT_RULES, over_limit
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.model import Guard, Surface
from langc.compiler.surfaces.network import Enter, Leave, Network, Read, Terminal, Test, build_network
from langc.compiler.surfaces.signatures import GUARDS
from langc.compiler.surfaces.snapshot.grammar import Grammar, Row
from langc.compiler.surfaces.snapshot.lexemes import Lexeme
from langc.compiler.surfaces.snapshot.pieces import DONE, OPEN, WORD, Piece, Pieces
from langc.compiler.surfaces.snapshot.reduce import reduced

Parameters: TypeAlias = tuple[tuple[str, str], ...]
Place: TypeAlias = tuple[int, Parameters]
"""A state of a network, and the values of its parameters."""
_Key: TypeAlias = tuple[int, Parameters, int, int]


def snapshot(surface: Surface, environment: Environment) -> Grammar:
    """A grammar that admits every text of a surface, with the names of an environment. Raises LimitError."""
    pieces = Pieces(surface, environment)
    network = build_network(surface)
    build = Rules(network, pieces.of, pieces.skip)
    return build.grammar([[(network.starts[surface.start], ())]], (OPEN, WORD))


def decided(guard: Guard, parameters: Parameters) -> bool | None:
    """What a guard of a parameter says; None for one of the world."""
    if guard.name in GUARDS and not any(keyword == "value" for keyword, _ in guard.arguments):
        return None
    value = dict(parameters).get(guard.name)
    wanted = dict(guard.arguments).get("value")
    holds = value == wanted if wanted is not None else value not in (None, "no")
    return holds != guard.negated


@dataclass(eq=False)
class Rules:
    """Makes the rules that are asked for, and all that they lead to."""

    network: Network
    pieces: Callable[[Terminal], Sequence[Piece]]
    skip: Lexeme | None
    numbers: dict[_Key, int] = field(default_factory=dict)
    rows: list[tuple[Row, ...]] = field(default_factory=list)

    def grammar(self, ways: Iterable[Sequence[Place]], ends: Sequence[int]) -> Grammar:
        """The texts of some rows of places, one behind the other, and white space around. Raises LimitError."""
        start = self._new(())
        spaces = self._new(((self.skip,), ()) if self.skip else ((),))
        starts: list[Row] = []
        for places in ways:
            starts += [row for end in ends for row in self._in_a_row(places, OPEN, end, spaces)]
        self.rows[start] = tuple(starts)
        self._spaces = spaces
        for key in self._asked():
            self.rows[self.numbers[key]] = tuple(self._alternatives(key))
            if len(self.rows) > MAX_SNAPSHOT_RULES:
                raise LimitError(over_limit("rules in the grammar of a surface", MAX_SNAPSHOT_RULES))
        return reduced(Grammar(tuple(self.rows), start))

    def _asked(self) -> Iterator[_Key]:
        """All keys, those too that come up meanwhile."""
        at = 0
        while at < len(self.numbers):
            fresh = list(self.numbers)[at:]
            yield from fresh
            at += len(fresh)

    def _in_a_row(self, places: Sequence[Place], before: int, end: int, spaces: int) -> Iterator[Row]:
        if not places:
            if before == end:
                yield () if end == DONE else (spaces,)
            return
        for between in (OPEN, WORD, DONE):
            rests = self._in_a_row(places[1:], between, end, spaces)
            yield from ((self._number((*places[0], before, between)), *rest) for rest in rests)

    def _new(self, rows: tuple[Row, ...]) -> int:
        self.rows.append(rows)
        return len(self.rows) - 1

    def _number(self, key: _Key) -> int:
        if key not in self.numbers:
            self.numbers[key] = self._new(())
        return self.numbers[key]

    def _alternatives(self, key: _Key) -> Iterator[Row]:
        state, parameters, before, end = key
        if before == DONE:
            yield from [()] * (end == DONE)
            return
        edges, leaves = self._closure(state, parameters)
        if leaves and before == end:
            yield ()
        for edge in edges:
            if isinstance(edge, Read):
                yield from self._read(edge, key)
            else:
                yield from self._entered(edge, key)

    def _read(self, edge: Read, key: _Key) -> Iterator[Row]:
        _, parameters, before, end = key
        for piece in self.pieces(edge.terminal):
            row: Row = (piece.lexeme, self._number((edge.target, parameters, piece.ends, end)))
            if before == WORD and piece.begins_wordy:
                if self.skip:
                    yield (self.skip, *row)
            else:
                yield (self._spaces, *row)

    def _entered(self, edge: Enter, key: _Key) -> Iterator[Row]:
        _, parameters, before, end = key
        inner = (edge.start, self._given(edge, parameters))
        if self.network.ends(edge.target):
            yield (self._number((*inner, before, end)),)
            return
        for between in (OPEN, WORD, *[DONE] * (end == DONE)):
            rest = self._number((edge.target, parameters, between, end))
            yield (self._number((*inner, before, between)), rest)

    def _given(self, edge: Enter, parameters: Parameters) -> Parameters:
        asked = self.network.live_parameters[edge.rule]
        given = {**dict(parameters), **dict(edge.parameters)}
        return tuple(sorted(pair for pair in given.items() if pair[0] in asked))

    def _closure(self, state: int, parameters: Parameters) -> tuple[list[Read | Enter], bool]:
        """The edges that come next, and whether the rule may end."""
        found: list[Read | Enter] = []
        leaves = False
        seen, waiting = {state}, [state]
        while waiting:
            for edge in self.network.edges[waiting.pop()]:
                if isinstance(edge, Read | Enter):
                    found.append(edge)
                elif isinstance(edge, Leave):
                    leaves = True
                elif edge.target not in seen and not (isinstance(edge, Test) and _fails(edge.guard, parameters)):
                    seen.add(edge.target)
                    waiting.append(edge.target)
        return found, leaves


def _fails(guard: Guard, parameters: Parameters) -> bool:
    return decided(guard, parameters) is False
