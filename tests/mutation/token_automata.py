"""Faults in `outlines` with a token automaton and in `processor`: the tables, and how they are written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens import portable, tables
from langc.compiler.tokens.stopping import Static, StoppingTables
from langc.compiler.tokens.tables import TokenTables
from langc.compiler.tokens.trie import TokenTrie
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets import _fsm
from tests.mutation.mutations import Mutation, Seed, instead, result
from tests.mutation.notations import LETTERS, TERM

Floats = npt.NDArray[np.float64]

_SINGLE = tuple(bytes([b]) for b in range(256))
TWICE = Vocabulary(
    "twice", (*_SINGLE, b"a", b"", b"", b""), {257: "<end>", 258: "<stop>", 259: "<note>"}, frozenset({257, 258})
)
"""All bytes, `a` once more, two ends and a special token that is neither."""
PIECES = Vocabulary("pieces", (b"a", b"\xe4\xb8", "中".encode(), b""), {3: "<end>"}, frozenset({3}))
"""Half a character without the other half."""
_HALF = "only [a中];"
FORCED = Vocabulary("forced", (b"a", b"b", b"c", b"bc", b"x", b""), {5: "<end>"}, frozenset({5}))
"""Two ways to go on behind the `a` of `abc`."""


def _trie_of(change: Callable[[Mapping[int, bytes]], Mapping[int, bytes]]) -> Seed:
    """Other tokens than the vocabulary's."""
    return instead(TokenTrie, "build", lambda right: lambda tokens: right(change(dict(enumerate(tokens)))))


def _first_of_each(tokens: Mapping[int, bytes]) -> Mapping[int, bytes]:
    return {i: spelled for i, spelled in tokens.items() if i == min(j for j in tokens if tokens[j] == spelled)}


_DUPLICATE_LOST = _trie_of(_first_of_each)
_SPECIAL_PASSES = _trie_of(lambda tokens: {**tokens, 259: b"a"})
_DEAD_ENDS_KEPT = result(tables, "_live", lambda live: np.arange(live.size) > 0)


def _value(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Seed:
    """Another JSON value."""
    return result(_fsm, "build_fsm", lambda value: {**value, **change(value)})


def _by_size(right: Callable[..., int]) -> Callable[..., int]:
    def number(self: Any, ids: Any) -> int:
        known = (n for n, runs in enumerate(self.sets) if sum(runs[1::2]) == ids.size)
        return next(known, None) or right(self, ids)

    return number


def tensors(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Seed:
    """Other tensors of an automaton, before their checksum is taken."""
    return result(portable, "_automaton", lambda tensors: {**tensors, **change(tensors)})


def _table(change: Callable[[Any], None]) -> Seed:
    def changed(tensors: dict[str, Any]) -> dict[str, Any]:
        table = tensors["table"].copy()
        change(table)
        return {"table": table}

    return tensors(changed)


def _d_as_c(table: Any) -> None:
    table[:, ord("d")] = table[:, ord("c")]


def _x_leads_back(table: Any) -> None:
    table[1, ord("x")] = 1


def _with_costs(change: Callable[[Floats], Floats]) -> Seed:
    return instead(
        portable, "dumps", lambda right: lambda found, header: right(replace(found, costs=change(found.costs)), header)
    )


def _second(change: Callable[[StoppingTables], Static | None]) -> Seed:
    """Another automaton, or none, in the place of that of the policy without its `stop before` lines."""

    def dumps(right: Callable[..., bytes]) -> Callable[..., bytes]:
        def changed(found: StoppingTables, header: Mapping[str, str]) -> bytes:
            free = change(found)
            return right(found.tables if free is None else StoppingTables(found.tables, free), header)

        return changed

    return instead(portable, "dumps", dumps)


def _free_with_d(found: StoppingTables) -> Static:
    assert isinstance(found.free, TokenTables)
    table = found.free.table.copy()
    _d_as_c(table)
    return replace(found.free, table=table)


_STOP = 'only [a-c]; stop before phrase "bc";'
_NO_VIOLATION = instead(tables, "walk_table", lambda right: lambda soft: right(replace(soft, levels={})))

_FSM, _FILE = "outlines:fsm", "processor"


def _both(target: str) -> list[Mutation]:
    """Faults in the tables that both are made from. They make the reference too, so they are gone by then."""
    return [
        Mutation(
            "duplicate-lost", target, _DUPLICATE_LOST, LETTERS, under=b"a", engine=b"a", vocabulary=TWICE, stays=False
        ),
        Mutation(
            "special-passes", target, _SPECIAL_PASSES, LETTERS, over=b"", engine=b"", vocabulary=TWICE, stays=False
        ),
        Mutation(
            "dead-end",
            target,
            _DEAD_ENDS_KEPT,
            _HALF,
            over=b"\xe4\xb8",
            engine=b"\xe4\xb8",
            vocabulary=PIECES,
            stays=False,
        ),
    ]


MUTATIONS = [
    *_both(_FSM),
    Mutation("end-early", _FSM, _value(lambda v: {"final": [*range(len(v["states"]))]}), TERM, over=b"x", engine=b"x"),
    Mutation("no-end", _FSM, _value(lambda _: {"final": []}), TERM, under=b"", engine=b""),
    Mutation("one-end", _FSM, _value(lambda v: {"eos": v["eos"][:1]}), TERM, under=b"", engine=b"", vocabulary=TWICE),
    Mutation(
        "next-state",
        _FSM,
        _value(lambda v: {"states": [[[0, k] for _, k in pairs] for pairs in v["states"]]}),
        TERM,
        over=b"x",
        under=b"xy",
        engine=b"x",
    ),
    Mutation(
        "run-longer",
        _FSM,
        result(_fsm, "_run_lengths", lambda runs: [*runs[:-1], runs[-1] + 1]),
        TERM,
        over=b"d",
        engine=b"d",
    ),
    Mutation(
        "run-shorter",
        _FSM,
        result(_fsm, "_run_lengths", lambda runs: [*runs[:-1], max(runs[-1] - 1, 1)]),
        TERM,
        under=b"c",
        engine=b"c",
    ),
    Mutation(
        "sets-by-size", _FSM, instead(_fsm._Builder, "_set", _by_size), TERM, over=b"xx", under=b"xy", engine=b"xy"
    ),
    *_both(_FILE),
    Mutation(
        "end-early",
        _FILE,
        tensors(lambda t: {"accepting": t["live"], "endable": t["live"]}),
        TERM,
        over=b"x",
        engine=b"x",
    ),
    Mutation(
        "no-end",
        _FILE,
        tensors(lambda t: {"accepting": 0 * t["live"], "endable": 0 * t["live"]}),
        TERM,
        under=b"",
        engine=b"",
    ),
    Mutation("high", _FILE, _table(_d_as_c), LETTERS, over=b"d", engine=b"d"),
    Mutation("next-state", _FILE, _table(_x_leads_back), TERM, over=b"x", under=b"xy", engine=b"x"),
    Mutation("free-violation", _FILE, _NO_VIOLATION, LETTERS, over=b"\0", engine=b"\0", bias=5.0, stays=False),
    Mutation("no-price", _FILE, _with_costs(np.zeros_like), LETTERS, over=b"\0", engine=b"\0", bias=5.0),
    # Where a text is stopped is no matter of masks.
    Mutation("second-is-first", _FILE, _second(lambda f: f.tables), _STOP, under=b"bc", is_beside=True),
    Mutation("second-lost", _FILE, _second(lambda _: None), _STOP, under=b"bc", is_beside=True),
    Mutation("second-high", _FILE, _second(_free_with_d), _STOP, over=b"d", is_beside=True),
    # Engines are asked what is free; how much the rest costs is seen by reading alone.
    Mutation("twice-the-price", _FILE, _with_costs(lambda costs: 2 * costs), LETTERS, under=b"\0", bias=5.0),
]
