"""The automaton of `Stopped`: a language whose texts end where a phrase first ends, wherever that is.

The product of the two; behind a phrase the text is whole if it could have gone on in the language, and nothing follows.
"""

from __future__ import annotations

from langc.compiler.automata.boolean import intersection, union
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize


def stopped_dfa(part: Dfa, stopping: Dfa, ends: frozenset[int], ended: Dfa | None = None) -> Dfa:
    """The automaton over the common partition of all.

    `ends` are the states of `stopping` at the end of a phrase; what ends there must be in `ended`, if that is given.
    """
    begun = Dfa(part.partition, _trimmed(part), part.live, part.start)
    at_end = Dfa(stopping.partition, stopping.table, ends, stopping.start)
    before = Dfa(stopping.partition, stopping.table, stopping.accepting - ends, stopping.start)
    cut_short = intersection(begun, at_end if ended is None else intersection(at_end, ended))
    return minimize(union(intersection(part, before), cut_short))


def _trimmed(dfa: Dfa) -> tuple[tuple[int, ...], ...]:
    """The table without the states from which no text of the language can be reached."""
    return tuple(tuple(t if t in dfa.live else DEAD for t in row) for row in dfa.table)
