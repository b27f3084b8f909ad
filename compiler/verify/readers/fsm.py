"""A reader for the token automaton of target outlines, over the vocabulary of single bytes: JSON in, automaton out.

It goes by the description of the format alone and shares no code with the loader.
"""

from __future__ import annotations

import json

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import BYTES, IntervalSet


def read_fsm(text: str) -> Dfa:
    """The canonical byte automaton; token id i is byte i, for i below 256. State s of the file is state s + 1."""
    value = json.loads(text)
    sets = [_members(runs) for runs in value["sets"]]
    partition = Partition.of(BYTES, (IntervalSet.of(b) for b in range(256)))
    rows: list[tuple[int, ...]] = [(DEAD,) * 256]
    for pairs in value["states"]:
        row = [DEAD] * 256
        for target, number in pairs:
            for token in sets[number]:
                if row[token] != DEAD:
                    raise ValueError(f"token {token} leads to two states")
                row[token] = target + 1
        rows.append(tuple(row))
    accepting = frozenset(s + 1 for s in value["final"])
    return minimize(Dfa(partition, tuple(rows), accepting, value["initial"] + 1))


def _members(runs: list[int]) -> list[int]:
    """The ids inside: every second stretch."""
    members: list[int] = []
    at = 0
    for number, length in enumerate(runs):
        members.extend(range(at, at + length) if number % 2 else ())
        at += length
    return members
