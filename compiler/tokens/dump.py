"""Token tables as stable text, for `langc dump --stage tokens`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from langc.compiler.tokens.tables import Edges, TokenTables
from langc.compiler.tokens.trie import IntArray

_PER_LINE = 12


def dump_tables(tables: TokenTables) -> str:
    """Every state that tokens reach: how it may end, and the allowed ids by where they lead."""
    return "\n".join(_lines(tables)) + "\n"


def _lines(tables: TokenTables) -> Iterator[str]:
    states = sorted(tables.states())
    strength = f", soft {' '.join(map(repr, tables.costs[1:].tolist()))}" if tables.costs.size > 1 else ""
    yield f"tokens: {len(states)} states, {tables.size} ids, start {tables.start}{strength}"
    for state in states:
        edges = tables.edges(state)
        yield f"state {state}{_end(tables, state)}: {edges.ids.size} allowed"
        yield from _edge_lines(edges, tables.costs.tolist())


def _end(tables: TokenTables, state: int) -> str:
    if state in tables.accepting:
        return " accepting"
    return f" accepting at {tables.costs[tables.end_levels[state]]!r}" if state in tables.endable else ""


def _edge_lines(edges: Edges, costs: list[float]) -> Iterator[str]:
    for level, cost in enumerate(costs):
        for target in np.unique(edges.targets[edges.levels == level]).tolist():
            ids = edges.ids[(edges.targets == target) & (edges.levels == level)]
            words = _ranges(ids)
            yield f"  -> {target}{f' at {cost!r}' if level else ''} on {' '.join(words[:_PER_LINE])}"
            for i in range(_PER_LINE, len(words), _PER_LINE):
                yield f"       {' '.join(words[i : i + _PER_LINE])}"


def _ranges(ids: IntArray) -> list[str]:
    """Sorted ids, runs of neighbours as `low..high`."""
    firsts = np.flatnonzero(np.diff(ids, prepend=ids[0] - 2) != 1)
    lows, highs = ids[firsts], ids[np.append(firsts[1:], len(ids)) - 1]
    return [f"{low}" if low == high else f"{low}..{high}" for low, high in zip(lows, highs, strict=True)]
