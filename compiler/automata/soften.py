"""Automata that read every well-formed text and say which bytes violate the policy.

Where the hard automaton dies, the soft one starts afresh behind the violating character. A byte violates
iff after it the violation can no longer be avoided and before it it could: the first byte after which every
way to finish the character is a violating one.
"""

from __future__ import annotations

from dataclasses import dataclass

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.lower import lower_states


@dataclass(frozen=True)
class SoftDfa:
    """`dfa` reads every well-formed text and accepts those whose end violates nothing."""

    dfa: Dfa
    boundary: frozenset[int]
    """The states between characters: at all of them a text may end, at a price where not accepting."""
    violating: frozenset[tuple[int, int]]
    """The (state, class) pairs that cost."""


def soften(hard: Dfa) -> SoftDfa:
    """The soft byte automaton of a hard code point automaton. Raises LimitError as lowering does."""
    size = hard.size
    lowered = lower_states(_doubled(hard))
    doomed = _doomed(lowered, size)
    table = tuple(tuple(t - size if size < t < 2 * size else t for t in row) for row in lowered.table)
    violating = frozenset(
        (state, number)
        for state, row in enumerate(lowered.table)
        for number, target in enumerate(row)
        if target in doomed and state not in doomed - set(range(2 * size))
    )
    boundary = frozenset(s for s in range(1, size) if s in hard.live)
    return SoftDfa(Dfa(lowered.partition, table, hard.accepting, hard.start), boundary, violating)


def _doubled(hard: Dfa) -> Dfa:
    """State `size + start` is the start again, reached by a violating character."""
    size = hard.size
    again = size + hard.start
    rows = [tuple(t if t in hard.live else again for t in row) for row in hard.table]
    rows[DEAD] = (DEAD,) * hard.partition.size
    return Dfa(hard.partition, (*rows, *rows), hard.accepting, hard.start)


def _doomed(lowered: Dfa, size: int) -> set[int]:
    """The states behind a violating character, and those inside characters that can only become one."""
    doomed = set(range(size + 1, 2 * size))
    inside = range(2 * size, lowered.size)
    changed = True
    while changed:
        fresh = {s for s in inside if s not in doomed and {t for t in lowered.table[s] if t != DEAD} <= doomed}
        changed = bool(fresh)
        doomed |= fresh
    return doomed
