"""Token tables as one portable file: safetensors with a JSON header.

Layout (made and read by the `safetensors` library): the metadata has one key, `langc`, a JSON object with the
artefact header and `start`, `size`, `costs`, `eos_ids`, `phrases`, `checksum`. Tensors, with L costs, S states and N
trie nodes: `table` int32 [L S, 256], `live`, `accepting`, `endable` uint8 [S] and `end_levels` int32 [S] as in
`tables.py`; `byte` uint8 [N], `parent` int32 [N], `first_child`, `first_id` int32 [N + 1] and `ids` int32 as in
`trie.py`. `phrases` are what is denied beside the tables (`phrases/stored.py`); where there are any, nothing costs.
A policy with `stop before` has a second automaton over the same trie, that of the policy without these lines: `free`,
an object with `start`, `costs` and `phrases`, and the tensors of an automaton with `free_` before their names.

A file may come from a stranger: it holds no code, and everything in it is checked before it is used. A file
that passes can at worst mask the wrong tokens; it can neither index out of bounds nor loop.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.limits import MAX_COSTS
from langc.compiler.tokens.phrases.stored import from_json, to_json
from langc.compiler.tokens.phrases.tables import PhraseTables
from langc.compiler.tokens.stopping import Static, StoppingTables
from langc.compiler.tokens.tables import TokenTables
from langc.compiler.tokens.trie import TokenTrie
from langc.compiler.tokens.vocabulary import Vocabulary

FORMAT = "langc-processor-2"
FREE = "free_"
_AUTOMATON = {
    "table": np.int32,
    "live": np.uint8,
    "accepting": np.uint8,
    "endable": np.uint8,
    "end_levels": np.int32,
}
_TRIE = {
    "byte": np.uint8,
    "parent": np.int32,
    "first_child": np.int32,
    "first_id": np.int32,
    "ids": np.int32,
}
Tensors = dict[str, npt.NDArray[Any]]


class ArtifactError(LangcError):
    """The file is not a sound artefact of this format, or not for this tokenizer."""


@dataclass(frozen=True)
class Portable:
    """What a file holds."""

    tables: Static | StoppingTables
    header: Mapping[str, str]


def dumps(tables: Static | StoppingTables, header: Mapping[str, str]) -> bytes:
    """The file's bytes; equal tables and headers give equal bytes."""
    from safetensors.numpy import save

    bound, free = (tables.tables, tables.free) if isinstance(tables, StoppingTables) else (tables, None)
    base, facts = _parts(bound)
    facts |= {"format": FORMAT, "header": dict(header), "size": base.size, "eos_ids": sorted(base.eos_ids)}
    tensors = {**_automaton(base), **_trie(base)}
    if free is not None:
        beside, facts["free"] = _parts(free)
        tensors |= {FREE + name: tensor for name, tensor in _automaton(beside).items()}
    # The library writes the memory as it lies, whatever the strides.
    tensors = {name: np.ascontiguousarray(t) for name, t in tensors.items()}
    facts["checksum"] = _checksum(tensors, facts)
    # One metadata key: the library does not keep the order of several.
    content: bytes = save(tensors, {"langc": json.dumps(facts, sort_keys=True)})
    return content


def _parts(tables: Static) -> tuple[TokenTables, dict[str, Any]]:
    """The tables of an automaton, and what else there is to know of it."""
    base, phrases = (tables.base, tables.phrases) if isinstance(tables, PhraseTables) else (tables, ())
    return base, {"start": base.start, "costs": base.costs.tolist(), "phrases": to_json(phrases)}


def load(path: str | Path, vocabulary: Vocabulary | None = None) -> Portable:
    """Read a file and check it, against `vocabulary` too if it is given.

    Raises:
        ArtifactError: the file is missing, damaged, of another format, or for another tokenizer (LC0506).
    """
    facts, tensors = _read(Path(path))
    tables = _checked(facts, tensors, str(path))
    header = {str(k): str(v) for k, v in facts["header"].items()}
    if vocabulary is not None and header.get("tokenizer-sha256") != vocabulary.hash:
        raise _error(str(path), f"it was compiled for another tokenizer than {vocabulary.name}")
    return Portable(tables, header)


def _automaton(tables: TokenTables) -> Tensors:
    size = len(tables.live)
    return {
        "table": tables.table,
        "live": tables.live.astype(np.uint8),
        "accepting": _flags(tables.accepting, size),
        "endable": _flags(tables.endable, size),
        "end_levels": tables.end_levels,
    }


def _trie(tables: TokenTables) -> Tensors:
    trie = tables.trie
    return {
        "byte": trie.byte,
        "parent": trie.parent,
        "first_child": trie.first_child,
        "first_id": trie.first_id,
        "ids": trie.ids,
    }


def _flags(states: frozenset[int], size: int) -> npt.NDArray[np.uint8]:
    row = np.zeros(size, dtype=np.uint8)
    row[sorted(states)] = 1
    return row


def _checksum(tensors: Tensors, facts: Mapping[str, Any]) -> str:
    """SHA-256 over the tensors and all facts but the checksum itself."""
    digest = hashlib.sha256(json.dumps({k: v for k, v in facts.items() if k != "checksum"}, sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(tensors[name]).data)  # as it lies: a copy takes as long as the sum
    return digest.hexdigest()


def _read(path: Path) -> tuple[dict[str, Any], Tensors]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="numpy") as file:
            facts = json.loads((file.metadata() or {}).get("langc", "null"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (OSError, SafetensorError, ValueError, RecursionError) as error:
        raise _error(str(path), f"it cannot be read: {error}") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise _error(str(path), f"it is not a {FORMAT} file")
    return facts, tensors


def _checked(facts: dict[str, Any], tensors: Tensors, path: str) -> Static | StoppingTables:
    beside = {FREE + name: kind for name, kind in _AUTOMATON.items()} if "free" in facts else {}
    if {n: t.dtype for n, t in tensors.items()} != {**_AUTOMATON, **_TRIE, **beside}:
        raise _error(path, "its tensors are not those of the format")
    found = [(facts, {name: tensors[name] for name in _AUTOMATON})]
    if "free" in facts:
        free = facts["free"] if isinstance(facts["free"], dict) else {}
        shared = {name: facts.get(name) for name in ("size", "eos_ids")}
        found.append(({**free, **shared}, {name: tensors[FREE + name] for name in _AUTOMATON}))
    if not isinstance(facts.get("header"), dict) or not all(_facts_are_sound(part) for part, _ in found):
        raise _error(path, "its header is damaged")
    if not all(_phrases_are_sound(part) for part, _ in found):
        raise _error(path, "its phrases are not those of the format")
    if facts.get("checksum") != _checksum(tensors, facts):
        raise _error(path, "its checksum does not match")
    are_sound = (_automaton_is_sound(states, part["start"], len(part["costs"])) for part, states in found)
    if not all(are_sound) or not _trie_is_sound(tensors, facts["size"]):
        raise _error(path, "its tables point outside themselves")
    byte, parent, first_child, first_id, ids = (tensors[name] for name in _TRIE)
    trie = TokenTrie(byte, parent, first_child, first_id, ids)
    bound, *free_ = (_tables(part, states, trie) for part, states in found)
    return StoppingTables(bound, *free_) if free_ else bound


def _facts_are_sound(facts: Mapping[str, Any]) -> bool:
    size, costs, eos = facts.get("size"), facts.get("costs"), facts.get("eos_ids")
    return (
        type(facts.get("start")) is int
        and type(size) is int
        and 0 < size < 1 << 24
        and isinstance(costs, list)
        and 0 < len(costs) <= MAX_COSTS + 1
        and all(type(c) is float and 0 <= c < float("inf") for c in costs)
        and costs[0] == 0
        and costs == sorted(costs)
        and isinstance(eos, list)
        and all(type(i) is int and 0 <= i < size for i in eos)
    )


def _phrases_are_sound(facts: Mapping[str, Any]) -> bool:
    try:
        return not from_json(facts.get("phrases")) or len(facts["costs"]) == 1
    except ValueError:
        return False


def _automaton_is_sound(tensors: Tensors, start: int, levels: int) -> bool:
    table, flags = tensors["table"], [tensors[n] for n in ("live", "accepting", "endable")]
    if table.ndim != 2 or table.shape[1] != 256 or len(table) < 2 * levels or len(table) % levels:
        return False
    size = len(table) // levels
    ends = tensors["end_levels"]
    return (
        all(f.shape == (size,) and bool(np.all(f <= 1)) for f in flags)
        and 0 < start < size
        and bool(np.all((table >= 0) & (table < levels * size)))
        and not table[::size].any()
        and ends.shape == (size,)
        and bool(np.all((ends >= 0) & (ends < levels)))
    )


def _trie_is_sound(tensors: Tensors, size: int) -> bool:
    """Children come after their parents, so that every walk and every climb ends."""
    byte, parent, first_child, first_id, ids = (
        tensors[n] for n in ("byte", "parent", "first_child", "first_id", "ids")
    )
    count = byte.size
    if count == 0 or any(t.ndim != 1 for t in (byte, parent, first_child, first_id, ids)):
        return False
    if parent.size != count or first_child.size != count + 1 or first_id.size != count + 1:
        return False
    numbers, above = np.arange(1, count, dtype=parent.dtype), parent[1:]
    return bool(
        first_child[0] == 1
        and first_child[-1] == count
        and np.all(first_child[1:] >= first_child[:-1])
        and np.all(first_child[1:-1] > numbers)
        and (not above.size or (above.min() >= 0 and above.max() < count))
        # Walks go by parents or by children: both are to say the same. "raise" for "clip" would need a copy.
        and np.all(first_child[:-1].take(above, mode="clip") <= numbers)
        and np.all(first_child[1:].take(above, mode="clip") > numbers)
        and first_id[0] == 0
        and np.all(first_id[1:] >= first_id[:-1])
        and first_id[-1] == ids.size
        and (not ids.size or (ids.min() >= 0 and ids.max() < size))
    )


def _tables(facts: Mapping[str, Any], tensors: Tensors, trie: TokenTrie) -> Static:
    accepting, endable = (frozenset(np.flatnonzero(tensors[n]).tolist()) for n in ("accepting", "endable"))
    live = tensors["live"].astype(np.bool_)
    tables = TokenTables(
        trie,
        tensors["table"],
        live,
        accepting,
        endable,
        facts["start"],
        facts["size"],
        frozenset(facts["eos_ids"]),
        np.array(facts["costs"]),
        tensors["end_levels"],
    )
    phrases = from_json(facts["phrases"])
    return PhraseTables(tables, phrases) if phrases else tables


def _error(path: str, why: str) -> ArtifactError:
    return ArtifactError(
        Diagnostic("LC0506", f"{path} is no artefact to use: {why}", help="compile the policy again for this model")
    )
