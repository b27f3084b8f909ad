"""The canonical automaton of a language.

Partition refinement: states are told apart by what they accept and by where their classes lead, until no
round tells more apart. A block that splits keeps its number for its largest part (Hopcroft 1971), and only the
states that lead to a renumbered one are looked at again; so a chain of n states takes n short rounds, not
n long ones. Then equal columns of the table become one class of the alphabet, and states are numbered breadth
first. Equal languages give equal results.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from langc.compiler.automata.dfa import DEAD, Dfa

Table = Sequence[tuple[int, ...]]


def minimize(dfa: Dfa) -> Dfa:
    """The least complete DFA of the same language, in canonical form (see `dfa.py`)."""
    if dfa.is_empty:
        coarse, _ = dfa.partition.merged([0] * dfa.partition.size)
        return Dfa(coarse, ((DEAD,) * coarse.size,), frozenset(), DEAD)
    order = _reachable(dfa)
    block = _refine(dfa)
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


def _refine(dfa: Dfa) -> list[int]:
    """The block of each state; states without a future share the block of `DEAD`, which is 0."""
    kinds = [s in dfa.accepting if s in dfa.live else None for s in range(dfa.size)]
    return refine(dfa.table, dfa.sources, kinds)


def refine(table: Table, sources: Sequence[Iterable[int]], kinds: Sequence[Hashable | None]) -> list[int]:
    """The block of each state: the coarsest division that `kinds` makes finer and no class of the alphabet.

    Args:
        table: the next state for each state and class.
        sources: the states that lead to each state.
        kinds: what tells states apart at once (Moore 1956); those of kind None are one block, 0, and never looked at.
    """
    numbers: dict[Hashable | None, int] = {None: DEAD}
    block = [numbers.setdefault(kind, len(numbers)) for kind in kinds]
    members: dict[int, set[int]] = {number: set() for number in numbers.values()}
    for state, number in enumerate(block):
        members[number].add(state)
    unsettled = {state for state, number in enumerate(block) if number != DEAD}
    while unsettled:
        touched: dict[int, list[int]] = {}
        for state in unsettled:
            touched.setdefault(block[state], []).append(state)
        leaving = [part for b, states in touched.items() for part in _leaving(table, block, members[b], states)]
        unsettled = set()
        for part in leaving:
            members[block[part[0]]].difference_update(part)
            number = len(members)
            members[number] = set(part)
            for state in part:
                block[state] = number
                unsettled.update(sources[state])
    return block


def _leaving(table: Table, block: list[int], members: set[int], touched: list[int]) -> list[list[int]]:
    """The parts of one block that must leave it: all but the largest.

    The untouched members are one part: they still agree with each other, and with no touched one, some target of
    which was renumbered.
    """
    by_signature: dict[tuple[int, ...], list[int]] = {}
    for state in touched:
        by_signature.setdefault(_signature(table, block, state), []).append(state)
    parts = sorted(by_signature.values(), key=len)
    untouched = len(members) - len(touched)
    if untouched >= len(parts[-1]):
        return parts
    return [*parts[:-1], *([[*members.difference(touched)]] if untouched else [])]


def _signature(table: Table, block: list[int], state: int) -> tuple[int, ...]:
    return tuple([block[t] for t in table[state]])


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
