"""The token automaton as plain JSON: made here, read back here, run by `targets/runtime/outlines.py`.

The value is an object with these keys:

* `format`: `langc-fsm-1`; `langc`: the artefact's header;
* `size`: the number of token ids; `eos`: the ids that end a text;
* `initial`: the first state, always 0; `final`: the states in which a text may end;
* `sets`: sets of token ids as run lengths: so many ids are outside, so many inside, so many outside, ... from id 0;
* `states`: for each state pairs `[target, set]`: an id of that set of ids leads to the target.

The sets of one state share no id; an id in none of them is refused. In a final state each id of `eos` may be written
and ends the text; nothing follows it. The same set serves many states, which is what keeps the file small: for ko over
151,851 ids there are 47 states and 119 sets.

Invariant: equal tables give equal text. A file may come from a stranger: `Fsm.load` checks every number in it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_FSM_RUNS, MAX_TOKEN_IDS, over_limit
from langc.compiler.tokens.portable import ArtifactError
from langc.compiler.tokens.tables import Edges, TokenTables

FORMAT = "langc-fsm-1"
Runs = list[int]


def build_fsm(tables: TokenTables, header: Mapping[str, str]) -> dict[str, Any]:
    """The JSON value. Raises LimitError past `MAX_FSM_RUNS`."""
    builder = _Builder(tables)
    states = list(builder.states())
    return {
        "format": FORMAT,
        "langc": dict(header),
        "size": tables.size,
        "eos": sorted(tables.eos_ids),
        "initial": 0,
        "final": [n for s, n in builder.numbers.items() if s in tables.accepting],
        "sets": builder.sets,
        "states": states,
    }


def write_fsm(value: Mapping[str, Any]) -> str:
    """The JSON text: one line a key, and one a set or state."""
    lines = []
    for key, part in value.items():
        if key in ("sets", "states"):
            rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in part)
            lines.append(f'"{key}": [\n{rows}\n]')
        else:
            lines.append(f'"{key}": {json.dumps(part)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


class _Builder:
    """Numbers states in breadth-first order and sets in the order of their first use."""

    def __init__(self, tables: TokenTables) -> None:
        self.tables = tables
        self.numbers = {tables.start: 0}
        self.sets: list[Runs] = []
        self._known: dict[bytes, int] = {}
        self._size = 0

    def states(self) -> Iterator[list[list[int]]]:
        queue = [self.tables.start]
        for state in queue:
            found = self.tables.edges(state)
            pairs = []
            for target in np.unique(found.targets).tolist():
                if target not in self.numbers:
                    self.numbers[target] = len(self.numbers)
                    queue.append(target)
                pairs.append([self.numbers[target], self._set(found.ids[found.targets == target])])
            yield pairs

    def _set(self, ids: npt.NDArray[np.int32]) -> int:
        key = ids.tobytes()
        if key not in self._known:
            runs = _run_lengths(ids)
            self._size += len(runs)
            if self._size > MAX_FSM_RUNS:
                raise LimitError(over_limit("runs of token ids", MAX_FSM_RUNS))
            self._known[key] = len(self.sets)
            self.sets.append(runs)
        return self._known[key]


def _run_lengths(ids: npt.NDArray[np.int32]) -> Runs:
    """Sorted ids, as the lengths of the stretches outside and inside."""
    last = np.flatnonzero(np.diff(ids, append=-1) != 1)
    starts, ends = ids[np.concatenate([[0], last[:-1] + 1])], ids[last] + 1
    bounds = np.column_stack([starts, ends]).ravel()
    return [int(n) for n in np.diff(bounds, prepend=0)]


@dataclass(frozen=True)
class Fsm:
    """The tables of a `TokenMachine`, from the JSON value."""

    size: int
    eos_ids: frozenset[int]
    accepting: frozenset[int]
    bounds: tuple[tuple[int, ...], ...]
    """The ids at which each set begins, ends, begins again, and so on."""
    states: tuple[tuple[tuple[int, int], ...], ...]
    """The pairs of target and set of each state."""
    header: Mapping[str, str]
    start: int = 0

    @classmethod
    def load(cls, value: object) -> Fsm:
        """From the JSON value. Raises ArtifactError (LC0506) if it is unsound."""
        try:
            fsm = _parsed(value)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unsound(f"it is no {FORMAT} value") from error
        _check(fsm)
        return fsm

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """Nothing costs: the format is for hard policies."""
        return np.zeros(1)

    @property
    def end_levels(self) -> npt.NDArray[np.int32]:
        """Nor does ending."""
        return np.zeros(len(self.states), dtype=np.int32)

    @property
    def endable(self) -> frozenset[int]:
        """Where the text may end: the format is for hard policies."""
        return self.accepting

    def target(self, state: int, token: int) -> int | None:
        """Where a token leads, None for a refused one."""
        return next((t for t, k in self.states[state] if token >= 0 and bisect_right(self.bounds[k], token) % 2), None)

    def mask(self, state: int) -> npt.NDArray[np.bool_]:
        """bool [size]: the allowed tokens of a state."""
        row = np.zeros(self.size, dtype=np.bool_)
        row[self.edges(state).ids] = True
        return row

    def edges(self, state: int) -> Edges:
        """The allowed tokens of a state, by id."""
        parts = [(t, self._members(k)) for t, k in self.states[state]]
        ids = np.concatenate([np.zeros(0, np.int32), *(m for _, m in parts)])
        targets = np.repeat(np.array([t for t, _ in parts], np.int32), [m.size for _, m in parts])
        order = np.argsort(ids)
        return Edges(ids[order], targets[order], np.zeros(ids.size, np.bool_))

    def _members(self, number: int) -> npt.NDArray[np.int32]:
        bounds = np.array(self.bounds[number])
        inside = np.arange(bounds.size + 1) % 2 == 1
        lengths = np.diff(bounds, prepend=0, append=self.size)
        return np.flatnonzero(np.repeat(inside, lengths)).astype(np.int32)


def _parsed(value: Any) -> Fsm:
    if value["format"] != FORMAT or value["initial"] != 0:
        raise ValueError
    return Fsm(
        int(value["size"]),
        frozenset(map(int, value["eos"])),
        frozenset(map(int, value["final"])),
        tuple(tuple(accumulate(map(int, runs))) for runs in value["sets"]),
        tuple(tuple((int(t), int(k)) for t, k in pairs) for pairs in value["states"]),
        {str(k): str(v) for k, v in value["langc"].items()},
    )


def _check(fsm: Fsm) -> None:
    count = len(fsm.states)
    if not (0 < fsm.size <= MAX_TOKEN_IDS and count and fsm.accepting <= set(range(count))):
        raise _unsound("its numbers do not fit together")
    if not all(0 <= i < fsm.size for i in fsm.eos_ids):
        raise _unsound("it ends texts with ids that it does not have")
    if not all(_is_set(b, fsm.size) for b in fsm.bounds):
        raise _unsound("a set of ids is no row of runs within its size")
    if not all(0 <= t < count and 0 <= k < len(fsm.bounds) for pairs in fsm.states for t, k in pairs):
        raise _unsound("a state leads nowhere")


def _is_set(bounds: tuple[int, ...], size: int) -> bool:
    if not bounds or len(bounds) % 2 or bounds[0] < 0 or bounds[-1] > size:
        return False
    return all(a < b for a, b in pairwise(bounds))


def _unsound(why: str) -> ArtifactError:
    return ArtifactError(
        Diagnostic("LC0506", f"the automaton cannot be used: {why}", help="compile the policy again for this model")
    )
