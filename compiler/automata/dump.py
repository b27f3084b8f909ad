"""Automata as stable text, for `langc dump --stage nfa|dfa` and goldens."""

from __future__ import annotations

from collections.abc import Iterator

from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.nfa import Nfa
from langc.compiler.automata.partition import Partition
from langc.compiler.ir.dump import range_lines
from langc.compiler.unicode.intervals import IntervalSet


def dump_dfa(dfa: Dfa) -> str:
    """States with their edges; the dead state and what leads to it are left out."""
    return "\n".join(_dfa_lines(dfa)) + "\n"


def dump_nfa(nfa: Nfa) -> str:
    """The classes, then states with edges by class number and epsilon edges."""
    return "\n".join(_nfa_lines(nfa)) + "\n"


def _dfa_lines(dfa: Dfa) -> Iterator[str]:
    yield f"dfa: {len(dfa.live)} states, {dfa.partition.size} classes, start {dfa.start}"
    for state in sorted(dfa.live):
        yield f"state {state}{' accepting' if state in dfa.accepting else ''}"
        for members, target in dfa.edges(state):
            yield from _edge(members, target)


def _edge(members: IntervalSet, target: int) -> Iterator[str]:
    first, *rest = range_lines(members, "")
    yield f"  -> {target} on {first}"
    yield from (f"        {line}" for line in rest)


def _nfa_lines(nfa: Nfa) -> Iterator[str]:
    yield f"nfa: {len(nfa.edges)} states, {nfa.partition.size} classes, start {nfa.start}"
    yield from _classes(nfa.partition)
    for state, (edges, epsilon) in enumerate(zip(nfa.edges, nfa.epsilon, strict=True)):
        yield f"state {state}{' accepting' if state in nfa.accepting else ''}"
        yield from (f"  -> {target} on class {number}" for number, target in edges)
        yield from (f"  -> {target}" for target in epsilon)


def _classes(partition: Partition) -> Iterator[str]:
    for number, members in enumerate(partition.members):
        first, *rest = range_lines(members, "")
        yield f"class {number}: {first}"
        yield from (f"  {line}" for line in rest)
