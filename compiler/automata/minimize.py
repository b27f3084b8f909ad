"""The canonical automaton of a language.

Partition refinement (Moore 1956): states are told apart by what they accept and by where their
classes lead, until no round tells more apart. Then equal columns of the table become one class of
the alphabet, and states are numbered breadth first. Equal languages give equal results.
"""

from __future__ import annotations

from langc.compiler.automata.dfa import DEAD, Dfa


def minimize(dfa: Dfa) -> Dfa:
    """The least complete DFA of the same language, in canonical form (see `dfa.py`)."""
    if dfa.is_empty:
        coarse, _ = dfa.partition.merged([0] * dfa.partition.size)
        return Dfa(coarse, ((DEAD,) * coarse.size,), frozenset(), DEAD)
    order = _reachable(dfa)
    block = _refine(dfa, order)
    representatives: dict[int, int] = {}
    for state in order:
        representatives.setdefault(block[state], state)
    rows = {b: tuple(block[t] for t in dfa.table[s]) for b, s in representatives.items()}
    columns = list(zip(*(rows[b] for b in sorted(rows)), strict=True))
    coarse, old_class = dfa.partition.merged(columns)
    merged = {b: tuple(row[c] for c in old_class) for b, row in rows.items()}
    accepting = {b for b, s in representatives.items() if s in dfa.accepting}
    return _renumber(Dfa(coarse, (), frozenset(accepting), block[dfa.start]), merged)


def _reachable(dfa: Dfa) -> list[int]:
    """The dead state and all that the start leads to."""
    seen = {DEAD, dfa.start}
    queue = [DEAD, dfa.start] if dfa.start != DEAD else [DEAD]
    for state in queue:
        for target in dfa.table[state]:
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return queue


def _refine(dfa: Dfa, states: list[int]) -> dict[int, int]:
    """The block of each state; states without a future share the block of `DEAD`, which is 0."""
    block = {s: (2 if s in dfa.accepting else 1) if s in dfa.live else DEAD for s in states}
    count = len(set(block.values()))
    while True:
        numbers: dict[object, int] = {}
        fresh: dict[int, int] = {}
        for s in states:
            signature = (block[s], tuple(block[t] for t in dfa.table[s])) if s in dfa.live else DEAD
            fresh[s] = numbers.setdefault(signature, len(numbers))
        if len(numbers) == count:
            return fresh
        block, count = fresh, len(numbers)


def _renumber(dfa: Dfa, rows: dict[int, tuple[int, ...]]) -> Dfa:
    numbers = {DEAD: DEAD, dfa.start: 1}
    queue = [dfa.start]
    for state in queue:
        for target in rows[state]:
            if target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
    table = [(DEAD,) * dfa.partition.size, *(tuple(numbers[t] for t in rows[s]) for s in queue)]
    return Dfa(dfa.partition, tuple(table), frozenset(numbers[s] for s in dfa.accepting), 1)
