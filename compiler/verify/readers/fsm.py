"""Readers for the token automaton of target outlines: JSON in, automaton out.

They go by the description of the format alone and share no code with the loader. One makes the automaton over the ids
of any vocabulary; the other, for the vocabulary of single bytes, the canonical automaton over bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.partition import Partition
from langc.compiler.limits import MAX_TOKEN_IDS
from langc.compiler.unicode.intervals import BYTES, IntervalSet
from langc.compiler.verify.readers.json_text import fields, listed, read_json, whole
from langc.compiler.verify.readers.nodes import DataError
from langc.compiler.verify.readers.token_automaton import REFUSED, Priced
from langc.compiler.verify.readers.token_bytes import Ints

_KEYS = ("format", "size", "eos", "initial", "final", "sets", "states")


@dataclass(frozen=True)
class FsmFile:
    """The automaton of a file."""

    size: int
    eos_ids: frozenset[int]
    final: frozenset[int]
    sets: Sequence[Ints]
    """The ends of the stretches outside and inside, by turns."""
    states: Sequence[Sequence[tuple[int, int]]]
    start: int = 0

    def edges(self, state: int) -> Priced:
        """What may follow. Raises ReadError if an id leads to two states."""
        parts = [(target, _inside(self.sets[number])) for target, number in self.states[state]]
        ids = np.concatenate([np.zeros(0, np.int64), *(members for _, members in parts)])
        targets = np.repeat([t for t, _ in parts], [m.size for _, m in parts]).astype(np.int64)
        order = np.argsort(ids, kind="stable")
        ids = ids[order]
        if (ids[1:] == ids[:-1]).any():
            raise DataError(f"a token of state {state} leads to two states")
        return Priced(ids, targets[order], np.zeros(ids.size))

    def end(self, state: int) -> float:
        """Nothing in a final state."""
        return 0.0 if state in self.final else REFUSED


def read_token_fsm(text: str) -> FsmFile:
    """The automaton over token ids. Raises ReadError."""
    form, size, eos, initial, final, sets, states = fields(read_json(text), "the file", *_KEYS)
    if form != "langc-fsm-1" or type(initial) is not int or initial != 0:
        raise DataError("its format is not langc-fsm-1, or it does not begin in state 0")
    count = whole(size, "`size`", 1, MAX_TOKEN_IDS)
    bounds = [_bounds(runs, count) for runs in listed(sets, "`sets`")]
    rows = listed(states, "`states`")
    last = len(rows) - 1
    if last < 0:
        raise DataError("it has no states")
    return FsmFile(
        count,
        frozenset(whole(i, "an id of `eos`", 0, count - 1) for i in listed(eos, "`eos`")),
        frozenset(whole(s, "a state of `final`", 0, last) for s in listed(final, "`final`")),
        bounds,
        [[_pair(pair, last, len(bounds) - 1) for pair in listed(row, "a state")] for row in rows],
    )


def _bounds(runs: object, size: int) -> Ints:
    lengths = [whole(n, "the length of a run", 0, size) for n in listed(runs, "a set")]
    if not lengths or len(lengths) % 2 or not all(lengths[1:]) or sum(lengths) > size:
        raise DataError("a set is no row of runs within `size`")
    return np.cumsum(lengths)


def _inside(bounds: Ints) -> Ints:
    inside = np.arange(bounds.size) % 2 == 1
    return np.flatnonzero(np.repeat(inside, np.diff(bounds, prepend=0)))


def _pair(pair: object, last_state: int, last_set: int) -> tuple[int, int]:
    both = listed(pair, "an edge")
    if len(both) != 2:
        raise DataError("an edge is no pair of a state and a set")
    return whole(both[0], "the state of an edge", 0, last_state), whole(both[1], "the set of an edge", 0, last_set)


def read_fsm(text: str) -> Dfa:
    """The canonical byte automaton; token id i is byte i, for i below 256. State s of the file is state s + 1."""
    file = read_token_fsm(text)
    rows: list[tuple[int, ...]] = [(DEAD,) * 256]
    for state in range(len(file.states)):
        row = np.zeros(file.size, np.int64)
        found = file.edges(state)
        row[found.ids] = found.targets + 1
        rows.append(tuple(row[:256].tolist()))
    partition = Partition.of(BYTES, (IntervalSet.of(b) for b in range(256)))
    return minimize(Dfa(partition, tuple(rows), frozenset(s + 1 for s in file.final), file.start + 1))
