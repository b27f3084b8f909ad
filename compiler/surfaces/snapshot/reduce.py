"""Rules that matter, each once.

Invariant: the grammar's language stays. Rules that derive no text go, with every row that names one; rules that are not
reached go; and rules that cannot be told apart become one: two rules are told apart if their rows are, with rules that
were not told apart before taken for the same (partition refinement, as for automata).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from langc.compiler.surfaces.snapshot.grammar import Grammar, Row, Symbol

_Rules: TypeAlias = Sequence[tuple[Row, ...]]


def reduced(grammar: Grammar) -> Grammar:
    """The same language with fewer rules."""
    rules = _inlined(_productive(grammar.rules))
    blocks = _blocks(rules)
    first: dict[int, int] = {}
    for rule, block in enumerate(blocks):
        first.setdefault(block, rule)
    merged = [_renamed(rules[rule], blocks) for rule in first.values()]
    numbers = {block: position for position, block in enumerate(first)}
    renamed = [_renamed(rows, numbers) for rows in merged]
    return _reached(renamed, numbers[blocks[grammar.start]])


def _productive(rules: _Rules) -> list[tuple[Row, ...]]:
    """The rules with the rows alone that derive a text."""
    good: set[int] = set()
    users: dict[int, set[int]] = {}
    for rule, rows in enumerate(rules):
        for row in rows:
            for symbol in row:
                if isinstance(symbol, int):
                    users.setdefault(symbol, set()).add(rule)
    waiting = set(range(len(rules)))
    while waiting:
        rule = waiting.pop()
        if rule not in good and any(all(not isinstance(s, int) or s in good for s in row) for row in rules[rule]):
            good.add(rule)
            waiting |= users.get(rule, set()) - good
    return [tuple(row for row in rows if all(not isinstance(s, int) or s in good for s in row)) for rows in rules]


def _inlined(rules: _Rules) -> list[tuple[Row, ...]]:
    """Rules of a single row of at most one symbol are written as what they are: nothing, a lexeme, another rule."""
    short = {rule: rows[0] for rule, rows in enumerate(rules) if len(rows) == 1 and len(rows[0]) <= 1}

    def meant(symbol: Symbol) -> Row:
        row: Row = (symbol,)
        while row and isinstance(row[0], int) and row[0] in short:
            row = short[row[0]]
        return row

    return [tuple(tuple(s for symbol in row for s in meant(symbol)) for row in rows) for rows in rules]


def _blocks(rules: _Rules) -> list[int]:
    """For each rule the number of the block of rules that it cannot be told apart from."""
    blocks = [0] * len(rules)
    count = 1
    while True:
        seen: dict[frozenset[Row], int] = {}
        finer = [seen.setdefault(frozenset(_renamed(rows, blocks)), len(seen)) for rows in rules]
        if len(seen) == count:
            return finer
        blocks, count = finer, len(seen)


def _renamed(rows: tuple[Row, ...], numbers: Sequence[int] | dict[int, int]) -> tuple[Row, ...]:
    """Rows with other numbers of rules; rows that are then the same are one."""
    renamed = (tuple(numbers[s] if isinstance(s, int) else s for s in row) for row in rows)
    return tuple(dict.fromkeys(renamed))


def _reached(rules: _Rules, start: int) -> Grammar:
    """What is reached from the start, which gets the number 0."""
    numbers = {start: 0}
    order = [start]
    for rule in order:
        for row in rules[rule]:
            for symbol in row:
                if isinstance(symbol, int) and symbol not in numbers:
                    numbers[symbol] = len(numbers)
                    order.append(symbol)
    return Grammar(tuple(_renamed(rules[rule], numbers) for rule in order), 0)
