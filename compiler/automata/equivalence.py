"""Exact comparison of two automata, with the shortest sequence that tells them apart.

Breadth-first search over pairs of states; the first pair with different verdicts gives a witness
that no shorter sequence could replace.
"""

from __future__ import annotations

from langc.compiler.automata.boolean import difference
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.unicode.intervals import IntervalSet

_READABLE = ((0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x21, 0x7E), (0xAC00, 0xD7A3))


def equivalent(left: Dfa, right: Dfa) -> bool:
    """Whether both accept the same sequences."""
    return minimize(left) == minimize(right)


def only_in(left: Dfa, right: Dfa) -> tuple[int, ...] | None:
    """A shortest sequence that `left` accepts and `right` refuses, or None."""
    return shortest(difference(left, right))


def shortest(dfa: Dfa) -> tuple[int, ...] | None:
    """A shortest accepted sequence, of readable symbols where there is a choice; None if there is none."""
    if dfa.is_empty:
        return None
    came_from: dict[int, tuple[int, int]] = {dfa.start: (DEAD, -1)}
    queue = [dfa.start]
    for state in queue:
        if state in dfa.accepting:
            return _path(dfa, came_from, state)
        for number, target in enumerate(dfa.table[state]):
            if target in dfa.live and target not in came_from:
                came_from[target] = (state, number)
                queue.append(target)
    raise AssertionError("a living start leads to an accepting state")


def _path(dfa: Dfa, came_from: dict[int, tuple[int, int]], state: int) -> tuple[int, ...]:
    symbols: list[int] = []
    while state != dfa.start:
        state, number = came_from[state]
        symbols.append(readable(dfa.partition.members[number]))
    return tuple(reversed(symbols))


def readable(members: IntervalSet) -> int:
    """The member that a person reads most easily: ASCII letters first, then digits, ASCII, Hangul."""
    for block in _READABLE:
        shared = members & IntervalSet((block,))
        if shared:
            return shared.first()
    return members.first()
