"""The automaton of `Scoped`: the structure, held to the rules of every scope, without its borders.

Each scope's automaton is lifted to texts with borders: it reads its own stretches, each from the start, and lets
everything else pass. The intersection is deterministic but for the borders, which are then taken for nothing.
"""

from __future__ import annotations

from langc.compiler.automata.boolean import intersection
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.nfa import Fragment, Nfa, NfaBuilder
from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import SCALARS, SURROGATES


def hold(structure: Dfa, scope: Dfa, number: int, begins_inside: bool) -> Dfa:
    """The texts of the structure whose stretches in a scope are all in its language."""
    return minimize(intersection(structure, _lifted(scope, structure.partition, number, begins_inside)))


def _lifted(scope: Dfa, partition: Partition, number: int, begins_inside: bool) -> Dfa:
    """State s of the scope is itself, and one more is outside it."""
    outside = scope.size
    entering, leaving = (partition.class_of(SURROGATES.first() + 2 * number + n) for n in (0, 1))
    firsts = [m.first() for m in partition.members]
    classes = [scope.partition.class_of(symbol) if symbol in SCALARS else -1 for symbol in firsts]
    rows = []
    for state, row in enumerate(scope.table):
        inside = [row[c] if c >= 0 else DEAD for c in classes]
        inside[leaving] = outside if state in scope.accepting else DEAD
        rows.append(tuple(inside))
    away = [outside] * partition.size
    away[entering], away[leaving] = scope.start, DEAD
    start = scope.start if begins_inside else outside
    return Dfa(partition, (*rows, tuple(away)), scope.accepting | {outside}, start)


def without_borders(dfa: Dfa) -> Nfa:
    """The automaton of the texts, their borders taken away. Every state leads to an end."""
    builder = NfaBuilder(Partition.of(SCALARS, (m for m in dfa.partition.members if m.first() in SCALARS)))
    states = [builder.state() for _ in dfa.table]
    end = builder.state()
    targets = [builder.partition.classes_in(m) if m.first() in SCALARS else None for m in dfa.partition.members]
    for state in dfa.live:
        for number, target in enumerate(dfa.table[state]):
            classes = targets[number]
            if target in dfa.live and classes is None:
                builder.join(states[state], states[target])
            elif target in dfa.live and classes is not None:
                builder.edge(states[state], classes, states[target])
        if state in dfa.accepting:
            builder.join(states[state], end)
    return builder.finish(Fragment(states[dfa.start], end))
