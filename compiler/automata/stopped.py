"""The automaton of `Stopped`: a language whose texts end where a phrase first ends, wherever that is.

The product of the two; behind a phrase the text is whole if it could have gone on in the language, and nothing follows.
"""

from __future__ import annotations

from langc.compiler.automata.boolean import intersection, union
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize


def stopped_dfa(part: Dfa, stopping: Dfa, ends: frozenset[int]) -> Dfa:
    """The automaton over the common partition of both. `ends` are the states of `stopping` at the end of a phrase."""
    begun = Dfa(part.partition, _trimmed(part), part.live, part.start)
    at_end = Dfa(stopping.partition, stopping.table, ends, stopping.start)
    before = Dfa(stopping.partition, stopping.table, stopping.accepting - ends, stopping.start)
    return minimize(union(intersection(part, before), intersection(begun, at_end)))


def _trimmed(dfa: Dfa) -> tuple[tuple[int, ...], ...]:
    """The table without the states from which no text of the language can be reached."""
    return tuple(tuple(t if t in dfa.live else DEAD for t in row) for row in dfa.table)
