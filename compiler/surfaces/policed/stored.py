"""What a policy asks of the texts of a surface, as a JSON value: its automata over bytes, and no vocabulary.

    {"name": …, "sha256": …, "checksum": …, "bound": {…}, "free": {…}}

`bound` is what is permitted, `free`, if it is there, what is permitted without the lines of `stop before`. Each has an
`automaton` and the `phrases` that are denied beside it (`tokens/phrases/stored.py`). An automaton has the byte ranges
of its classes, the rows of its table, and its states by number; state 0 is dead. `sha256` is the hash of the policy,
and `checksum` that of the automata.

Invariant: `from_json(to_json(r))` has the hash of `r` and the same tables for every vocabulary. A value may come from a
stranger: what passes can permit the wrong texts, and no more.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.automata.soften import SoftDfa
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import PolicyError
from langc.compiler.ir.phrases import Phrase
from langc.compiler.ir.stops import has_stop_before, without_stop_before
from langc.compiler.limits import MAX_COSTS
from langc.compiler.policy import Policy
from langc.compiler.surfaces.policed.joint import BYTES, Steps
from langc.compiler.surfaces.policed.rules import Rules
from langc.compiler.surfaces.regions.contents import Contents
from langc.compiler.surfaces.regions.tracker import Tracker
from langc.compiler.tokens.phrases.stored import from_json as phrases_from
from langc.compiler.tokens.phrases.stored import to_json as phrases_json

if TYPE_CHECKING:
    from langc.compiler.tokens.machine import Tables
    from langc.compiler.tokens.stopping import Static
    from langc.compiler.tokens.vocabulary import Vocabulary

_KEYS = frozenset({"name", "sha256", "checksum", "bound", "free"})
_OF_CONTENTS = frozenset({"regions", "markers"})
_OF_REGIONS = frozenset({"closer", "probe", "automaton"})
_OF_AUTOMATON = frozenset(
    {"ranges", "classes", "table", "start", "accepting", "endable", "costs", "levels", "end_levels"}
)


@dataclass(frozen=True, eq=False)
class Automaton:
    """What is permitted: by an automaton, and by phrases that must not be."""

    soft: SoftDfa
    phrases: tuple[Phrase, ...]

    def tables(self, vocabulary: Vocabulary, name: str) -> Static:
        """The tables for a vocabulary. Raises PolicyError (LC0402) if it cannot write anything that is permitted."""
        from langc.compiler.tokens.phrases.tables import PhraseTables
        from langc.compiler.tokens.tables import automaton_tables, can_write

        tables = automaton_tables(self.soft, vocabulary)
        made = PhraseTables(tables, self.phrases) if self.phrases and can_write(tables) else tables
        if not can_write(tables) or not made.mask(made.start).any():
            message = f"policy {name} permits no text that the tokenizer {vocabulary.name} can spell"
            raise PolicyError(Diagnostic("LC0402", message, help="take another tokenizer"))
        return made


@dataclass(frozen=True, eq=False)
class StoredRules:
    """See `Rules`."""

    name: str
    hash: str
    bound: Automaton
    free: Automaton | None
    contents: Contents | None = None

    @property
    def policy(self) -> Policy | None:
        """It is not known."""
        return None

    def tables(self, vocabulary: Vocabulary) -> Tables:
        """See `Rules`."""
        from langc.compiler.tokens.stopping import StoppingTables

        bound = self.bound.tables(vocabulary, self.name)
        return bound if self.free is None else StoppingTables(bound, self.free.tables(vocabulary, self.name))

    def first_violation(self, text: str) -> int | None:
        """See `Rules`."""
        steps, state = self._steps
        for place, character in enumerate(text):
            following = steps.run(state, character.encode("utf-8", "surrogatepass"))
            if following is None:
                return place
            state = following
        return None if steps.ends(state) else len(text)

    @cached_property
    def _steps(self) -> tuple[Steps, int]:
        tables = self.bound.tables(BYTES, self.name)
        return Steps(tables, BYTES), tables.start


def stored(rules: Rules) -> StoredRules:
    """The automata of some rules. Raises LimitError if one is over its budget, and what `Policy.ir` raises."""
    if isinstance(rules, StoredRules):
        return rules
    assert rules.policy is not None
    policy = rules.policy.beside_surface
    is_stopped = policy.bias is None and has_stop_before(policy.lowered)
    free = _automaton(Policy(without_stop_before(policy.lowered))) if is_stopped else None
    return StoredRules(rules.name, rules.hash, _automaton(policy), free, rules.contents)


def _automaton(policy: Policy) -> Automaton:
    apart = policy.apart if policy.bias is None else None
    return Automaton(policy.soft_dfa, ()) if apart is None else Automaton(apart.rest.soft_dfa, apart.phrases)


# --- written ---


def to_json(rules: Rules) -> dict[str, Any]:
    """The JSON value. Raises as `stored`."""
    found = stored(rules)
    automata = {"bound": _written(found.bound), "free": None if found.free is None else _written(found.free)}
    if found.contents is not None:
        automata["contents"] = _written_contents(found.contents)
    return {"name": found.name, "sha256": found.hash, "checksum": _checksum(automata), **automata}


def _written(automaton: Automaton) -> dict[str, Any]:
    soft = automaton.soft
    dfa = soft.dfa
    return {
        "automaton": {
            "ranges": [list(pair) for pair in dfa.partition.ranges],
            "classes": list(dfa.partition.ids),
            "table": [list(row) for row in dfa.table],
            "start": dfa.start,
            "accepting": sorted(dfa.accepting),
            "endable": sorted(soft.boundary),
            "costs": list(soft.costs),
            "levels": sorted([state, number, level] for (state, number), level in soft.levels.items()),
            "end_levels": sorted([state, level] for state, level in soft.end_levels.items()),
        },
        "phrases": phrases_json(automaton.phrases),
    }


def _written_contents(contents: Contents) -> dict[str, Any]:
    regions = [
        {"closer": tracker.closer, "probe": tracker.probe, "automaton": _written(_plain(tracker.texts))["automaton"]}
        for tracker in contents.trackers
    ]
    return {"regions": regions, "markers": sorted(contents.markers)}


def _plain(dfa: Dfa) -> Automaton:
    return Automaton(SoftDfa(dfa, dfa.accepting, (0.0,), {}, {}), ())


def _checksum(automata: object) -> str:
    return hashlib.sha256(json.dumps(automata, separators=(",", ":"), sort_keys=True).encode()).hexdigest()


# --- read ---


def from_json(value: object) -> StoredRules:
    """The rules of a JSON value. Raises ValueError, which says what is wrong with it."""
    if not isinstance(value, dict) or set(value) - {"contents"} != _KEYS:
        raise ValueError("the fields are others")
    automata = {name: value[name] for name in ("bound", "free", "contents") if name in value}
    if not isinstance(value["name"], str) or not isinstance(value["sha256"], str):
        raise ValueError("the name is none")
    if value["checksum"] != _checksum(automata):
        raise ValueError("the checksum does not match")
    bound, free = (None if one is None else _read(one) for one in (value["bound"], value["free"]))
    if bound is None:
        raise ValueError("the automaton is missing")
    contents = _contents(value["contents"]) if "contents" in value else None
    return StoredRules(value["name"], value["sha256"], bound, free, contents)


def _contents(value: object) -> Contents:
    if not isinstance(value, dict) or set(value) != _OF_CONTENTS:
        raise ValueError("the fields of its regions are others")
    if not isinstance(value["regions"], list) or not value["regions"]:
        raise ValueError("it has no regions")
    markers = value["markers"]
    if not isinstance(markers, list) or not all(isinstance(marker, str) and marker for marker in markers):
        raise ValueError("a delimiter is none")
    return Contents(tuple(map(_tracker, value["regions"])), frozenset(markers))


def _tracker(value: object) -> Tracker:
    if not isinstance(value, dict) or set(value) != _OF_REGIONS:
        raise ValueError("the fields of a region are others")
    closer, probe = value["closer"], value["probe"]
    if not (closer is None or (isinstance(closer, str) and closer)):
        raise ValueError("a delimiter is none")
    if not isinstance(probe, str) or len(probe) != 1 or not "!" <= probe <= "~":
        raise ValueError("a character is none")
    return Tracker(closer, _soft(value["automaton"]).dfa, probe)


def _read(value: object) -> Automaton:
    if not isinstance(value, dict) or set(value) != {"automaton", "phrases"}:
        raise ValueError("the fields of an automaton are others")
    phrases = phrases_from(value["phrases"])
    soft = _soft(value["automaton"])
    if phrases and len(soft.costs) > 1:
        raise ValueError("something costs beside phrases")
    return Automaton(soft, phrases)


def _soft(value: object) -> SoftDfa:
    if not isinstance(value, dict) or set(value) != _OF_AUTOMATON:
        raise ValueError("the fields of an automaton are others")
    partition = _partition(value["ranges"], value["classes"])
    table = tuple(tuple(row) for row in _rows(value["table"], partition.size))
    size = len(table)
    if size < 2 or any(table[DEAD]) or not all(0 <= target < size for row in table for target in row):
        raise ValueError("the table points outside of itself")
    accepting, endable = (frozenset(_numbers(value[name], 1, size)) for name in ("accepting", "endable"))
    start = _numbers([value["start"]], 0, size)[0]
    costs = value["costs"]
    if not isinstance(costs, list) or not costs or costs != sorted(set(map(_cost, costs))) or costs[0] != 0:
        raise ValueError("the costs are none")
    levels = {
        (_number(state, 1, size), _number(number, 0, partition.size)): _number(level, 1, len(costs))
        for state, number, level in _rows(value["levels"], 3)
    }
    ends = {_number(s, 1, size): _number(level, 1, len(costs)) for s, level in _rows(value["end_levels"], 2)}
    if not accepting <= endable or len(costs) > MAX_COSTS + 1:
        raise ValueError("the ends are none")
    return SoftDfa(Dfa(partition, table, accepting, start), endable, tuple(costs), levels, ends)


def _partition(ranges: object, classes: object) -> Partition:
    pairs = [(row[0], row[1]) for row in _rows(ranges, 2)]
    starts = [0, *(high + 1 for _, high in pairs)]
    if [low for low, _ in pairs] != starts[:-1] or starts[-1] != 256 or any(low > high for low, high in pairs):
        raise ValueError("the classes are not those of bytes")
    ids = _numbers(classes, 0, len(pairs))
    if len(ids) != len(pairs) or set(ids) != set(range(len(set(ids)))):
        raise ValueError("the classes are not those of bytes")
    return Partition(tuple(pairs), tuple(ids))


def _rows(value: object, width: int) -> list[list[int]]:
    if not isinstance(value, list):
        raise ValueError("a list is none")
    for row in value:
        if not isinstance(row, list) or len(row) != width or any(type(one) is not int for one in row):
            raise ValueError("a row is none")
    return value


def _numbers(value: object, low: int, high: int) -> list[int]:
    if not isinstance(value, list):
        raise ValueError("a list is none")
    return [_number(one, low, high) for one in value]


def _number(value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value < high:
        raise ValueError("a number is out of range")
    return value


def _cost(value: object) -> float:
    if type(value) is not float or not 0 <= value < float("inf"):
        raise ValueError("a cost is none")
    return value
