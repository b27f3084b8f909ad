"""Token tables as one portable file: safetensors with a JSON header.

Layout (all little-endian, made and read by the `safetensors` library): the metadata has one key, `langc`, a
JSON object with the artefact header and `start`, `size`, `bias`, `eos_ids`, `checksum`. Tensors: `states`
int32 [n], sorted; `accepting`, `endable` uint8 [n]; `offsets` int64 [n + 1]; `ids`, `targets` int32 [m] and
`violates` uint8 [m], where the edges of state `states[i]` are `offsets[i]` up to `offsets[i + 1]`, sorted by id.

A file may come from a stranger: it holds no code, and everything in it is checked before it is used. A file
that passes can at worst mask the wrong tokens; it cannot index out of bounds.
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
from langc.compiler.tokens.tables import Edges, TokenTables
from langc.compiler.tokens.vocabulary import Vocabulary

FORMAT = "langc-processor-1"
_DTYPES = {
    "states": np.int32,
    "accepting": np.uint8,
    "endable": np.uint8,
    "offsets": np.int64,
    "ids": np.int32,
    "targets": np.int32,
    "violates": np.uint8,
}
Tensors = dict[str, npt.NDArray[Any]]


class ArtifactError(LangcError):
    """The file is not a sound artefact of this format, or not for this tokenizer."""


@dataclass(frozen=True)
class Portable:
    """What a file holds."""

    tables: TokenTables
    header: Mapping[str, str]


def dumps(tables: TokenTables, header: Mapping[str, str]) -> bytes:
    """The file's bytes; equal tables and headers give equal bytes."""
    from safetensors.numpy import save

    tensors = _tensors(tables)
    facts = {
        "format": FORMAT,
        "header": dict(header),
        "start": tables.start,
        "size": tables.size,
        "bias": tables.bias,
        "eos_ids": sorted(tables.eos_ids),
    }
    facts["checksum"] = _checksum(tensors, facts)
    # One metadata key: the library does not keep the order of several.
    return save(tensors, {"langc": json.dumps(facts, sort_keys=True)})


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


def _tensors(tables: TokenTables) -> Tensors:
    states = sorted(tables.edges)
    edges = [tables.edges[s] for s in states]
    counts = np.array([0, *(e.ids.size for e in edges)], dtype=np.int64)
    return {
        "states": np.array(states, dtype=np.int32),
        "accepting": np.array([s in tables.accepting for s in states], dtype=np.uint8),
        "endable": np.array([s in tables.endable for s in states], dtype=np.uint8),
        "offsets": np.cumsum(counts),
        "ids": np.concatenate([e.ids for e in edges]).astype(np.int32),
        "targets": np.concatenate([e.targets for e in edges]).astype(np.int32),
        "violates": np.concatenate([e.violates for e in edges]).astype(np.uint8),
    }


def _checksum(tensors: Tensors, facts: Mapping[str, Any]) -> str:
    """SHA-256 over the tensors and all facts but the checksum itself."""
    digest = hashlib.sha256(json.dumps({k: v for k, v in facts.items() if k != "checksum"}, sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(tensors[name]).tobytes())
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


def _checked(facts: dict[str, Any], tensors: Tensors, path: str) -> TokenTables:
    if {n: t.dtype for n, t in tensors.items()} != _DTYPES or any(t.ndim != 1 for t in tensors.values()):
        raise _error(path, "its tensors are not those of the format")
    if not isinstance(facts.get("header"), dict) or not _facts_are_sound(facts):
        raise _error(path, "its header is damaged")
    if facts.get("checksum") != _checksum(tensors, facts):
        raise _error(path, "its checksum does not match")
    if not _is_sound(tensors, facts["start"], facts["size"]):
        raise _error(path, "its tables point outside themselves")
    return _tables(facts, tensors)


def _facts_are_sound(facts: Mapping[str, Any]) -> bool:
    size, bias, eos = facts.get("size"), facts.get("bias"), facts.get("eos_ids")
    return (
        type(facts.get("start")) is int
        and type(size) is int
        and 0 < size < 1 << 24
        and (bias is None or (type(bias) is float and 0 < bias < float("inf")))
        and isinstance(eos, list)
        and all(type(i) is int and 0 <= i < size for i in eos)
    )


def _is_sound(tensors: Tensors, start: int, size: int) -> bool:
    states, offsets, ids, targets = (tensors[n] for n in ("states", "offsets", "ids", "targets"))
    if not states.size or offsets.size != states.size + 1 or offsets[0] != 0 or np.any(np.diff(offsets) < 0):
        return False
    if any(tensors[n].size != states.size for n in ("accepting", "endable")):
        return False
    if any(tensors[n].size != offsets[-1] for n in ("ids", "targets", "violates")):
        return False
    inside = np.ones(ids.size, dtype=bool)
    inside[offsets[:-1][offsets[:-1] < ids.size]] = False  # a state's first id may be below the one before it
    return bool(
        np.all(np.diff(states) > 0)
        and states[0] > 0
        and start in states
        and np.all((ids >= 0) & (ids < size))
        and np.all(~inside[1:] | (np.diff(ids) > 0))
        and np.all(np.isin(targets, states))
    )


def _tables(facts: Mapping[str, Any], tensors: Tensors) -> TokenTables:
    states = tensors["states"].tolist()
    offsets = tensors["offsets"].tolist()
    violates = tensors["violates"].astype(bool)
    edges = {
        state: Edges(tensors["ids"][a:b], tensors["targets"][a:b], violates[a:b])
        for state, a, b in zip(states, offsets, offsets[1:], strict=False)
    }
    accepting, endable = (
        frozenset(s for s, flag in zip(states, tensors[n], strict=True) if flag) for n in ("accepting", "endable")
    )
    eos = frozenset(facts["eos_ids"])
    return TokenTables(facts["start"], accepting, endable, edges, facts["size"], eos, facts["bias"])


def _error(path: str, why: str) -> ArtifactError:
    return ArtifactError(
        Diagnostic("LC0506", f"{path} is no artefact to use: {why}", help="compile the policy again for this model")
    )
