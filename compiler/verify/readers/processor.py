"""A reader for the files of target processor: safetensors in, token automaton out.

It goes by the layout in `compiler/tokens/portable.py` and by the format of safetensors (the length of a JSON object,
the object, the tensors), and shares no code with the loader. It takes no other file for one, checks that the trie is
one, and reads each token's bytes by climbing from its node to the root.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.compiler.limits import MAX_ARTIFACT_BYTES, MAX_COSTS, MAX_TOKEN_IDS
from langc.compiler.verify.readers.json_text import fields, listed, read_json, whole
from langc.compiler.verify.readers.nodes import DataError
from langc.compiler.verify.readers.token_automaton import REFUSED, Priced
from langc.compiler.verify.readers.token_bytes import Flags, Ints, Table, TokenBytes

Array = npt.NDArray[Any]
_DTYPES = {
    **dict.fromkeys(("table", "end_levels", "parent", "first_child", "first_id", "ids"), "I32"),
    **dict.fromkeys(("live", "accepting", "endable", "byte"), "U8"),
}
_NUMPY: dict[str, np.dtype[Any]] = {"I32": np.dtype("<i4"), "U8": np.dtype("u1")}
_FREE = "free_"
_AUTOMATON = ("table", "live", "accepting", "endable", "end_levels")
"""What the automaton of a policy without its `stop before` lines has, too, under names of its own."""
_FACTS = ("format", "header", "start", "size", "costs", "eos_ids", "checksum")


@dataclass(frozen=True)
class ProcessorFile:
    """The automaton of a file."""

    tokens: TokenBytes
    table: Table
    """[L S, 256]: state s where the token costs `costs[l]` so far is row l S + s."""
    live: Flags
    accepting: Flags
    endable: Flags
    start: int
    size: int
    eos_ids: frozenset[int]
    costs: npt.NDArray[np.float64]
    """[L]."""
    end_levels: Ints
    """[S]: which cost ending has."""
    phrases: Sequence[object] = ()
    """What is denied beside the automaton, as it is written down."""
    free: ProcessorFile | None = None
    """The automaton of the policy without its `stop before` lines, if there are any."""

    def edges(self, state: int) -> Priced:
        """What may follow: tokens that lead to a living state."""
        numbers, ends = self.tokens.walk(self.table, state)
        targets = ends % len(self.live)
        kept = self.live[targets]
        prices = self.costs[ends[kept] // len(self.live)]
        return Priced(self.tokens.ids[numbers[kept]], targets[kept], prices)

    def end(self, state: int) -> float:
        """Nothing where the text is permitted, the price of a violation where it may end all the same."""
        return float(self.costs[self.end_levels[state]]) if self.endable[state] else REFUSED


def read_processor(data: bytes) -> ProcessorFile:
    """The automaton. Raises ReadError."""
    facts, tensors = _parts(data)
    form, _, start, size, costs, eos, checksum = fields(facts, "the metadata", *_FACTS)
    if form != "langc-processor-2":
        raise DataError("its format is not langc-processor-2")
    if checksum != _checksum(facts, tensors):
        raise DataError("its checksum does not match")
    count = whole(size, "`size`", 1, MAX_TOKEN_IDS)
    _check_trie(tensors, count)
    ends = frozenset(whole(i, "an id of `eos_ids`", 0, count - 1) for i in listed(eos, "`eos_ids`"))
    own = {name: tensors[name] for name in _AUTOMATON}
    read = _automaton((start, costs, facts.get("phrases")), own, _tokens(tensors), count, ends)
    if "free" not in facts:
        return read
    beside = fields(facts["free"], "`free`", "start", "costs", "phrases")
    others = {name: tensors[_FREE + name] for name in _AUTOMATON}
    return replace(read, free=_automaton(beside, others, read.tokens, count, ends))


def _automaton(
    facts: Sequence[object], tensors: Mapping[str, Array], tokens: TokenBytes, size: int, eos_ids: frozenset[int]
) -> ProcessorFile:
    """One of the automata over a trie, of its start, costs and phrases and its tensors."""
    start, costs, phrases = facts
    prices = _costs(costs)
    states = _check_automaton(tensors, len(prices))
    live, accepting, endable = (tensors[name].astype(np.bool_) for name in _FLAGS)
    return ProcessorFile(
        tokens,
        tensors["table"],
        live,
        accepting,
        endable,
        whole(start, "`start`", 1, states - 1),
        size,
        eos_ids,
        prices,
        tensors["end_levels"].astype(np.int64),
        listed(phrases, "`phrases`"),
    )


def _parts(data: bytes) -> tuple[Mapping[str, object], dict[str, Array]]:
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > len(data) - 8:
        raise DataError("no safetensors file")
    header = _decoded(data[8 : 8 + length])
    (metadata,) = fields(header, "the beginning", "__metadata__")
    (text,) = fields(metadata, "the metadata", "langc")
    facts = read_json(text) if isinstance(text, str) else None
    if not isinstance(facts, dict) or not isinstance(header, dict):
        raise DataError("its metadata are not those of the format")
    names = {*_DTYPES} | ({_FREE + name for name in _AUTOMATON} if "free" in facts else set())
    if {*header} - {"__metadata__"} != names:
        raise DataError("its tensors are not those of the format")
    body = memoryview(data)[8 + length :]
    tensors = {name: _tensor(header[name], name, body) for name in names}
    if sum(tensor.nbytes for tensor in tensors.values()) != len(body):
        raise DataError("there are bytes in it that belong to no tensor")
    return facts, tensors


def _decoded(data: bytes) -> object:
    try:
        return read_json(data.decode())
    except UnicodeDecodeError:
        raise DataError("no safetensors file") from None


def _tensor(entry: object, name: str, body: memoryview) -> Array:
    dtype, shape, offsets = fields(entry, f"the tensor {name}", "dtype", "shape", "data_offsets")
    sizes = [whole(n, f"the shape of {name}", 0, MAX_ARTIFACT_BYTES) for n in listed(shape, f"the shape of {name}")]
    places = [whole(n, f"the place of {name}", 0, len(body)) for n in listed(offsets, f"the place of {name}")]
    known = name.removeprefix(_FREE)
    kind = _NUMPY[_DTYPES[known]]
    if len(sizes) != (2 if known == "table" else 1) or dtype != _DTYPES[known] or len(places) != 2:
        raise DataError(f"the tensor {name} is not that of the format")
    if places[1] - places[0] != kind.itemsize * int(np.prod(sizes, dtype=object)):
        raise DataError(f"the tensor {name} is not where it should be")
    flat: Array = np.frombuffer(body[places[0] : places[1]], kind)
    return flat.reshape(sizes)


def _checksum(facts: Mapping[str, object], tensors: Mapping[str, Array]) -> str:
    digest = hashlib.sha256(json.dumps({k: v for k, v in facts.items() if k != "checksum"}, sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].tobytes())
    return digest.hexdigest()


def _costs(value: object) -> npt.NDArray[np.float64]:
    found = listed(value, "`costs`")
    numbers = [c for c in found if isinstance(c, float) and 0 <= c < float("inf")]
    if not 0 < len(numbers) == len(found) <= MAX_COSTS + 1 or numbers[0] != 0 or numbers != sorted(numbers):
        raise DataError("`costs` are no numbers that begin with 0 and grow")
    return np.array(numbers)


def _check_automaton(tensors: Mapping[str, Array], levels: int) -> int:
    """The number of states. Raises ReadError unless every row leads to rows, and the dead ones nowhere."""
    table, ends = tensors["table"], tensors["end_levels"]
    states = len(table) // levels
    sizes = {len(tensors[name]) for name in (*_FLAGS, "end_levels")}
    if table.shape != (levels * states, 256) or states < 2 or sizes != {states}:
        raise DataError("its automaton has not as many states everywhere")
    inside = table.min() >= 0 and table.max() < len(table) and ends.min() >= 0 and ends.max() < levels
    if not inside or table[::states].any() or any(tensors[f].max() > 1 for f in _FLAGS):
        raise DataError("its automaton points outside itself")
    return states


_FLAGS = ("live", "accepting", "endable")


def _check_trie(tensors: Mapping[str, Array], size: int) -> None:
    """Raises ReadError unless nodes come level by level and every id stands at one node."""
    parent, ids, first_id = (tensors[name].astype(np.int64) for name in ("parent", "ids", "first_id"))
    count = len(parent)
    if not count or any(len(tensors[n]) != count + m for n, m in (("byte", 0), ("first_child", 1), ("first_id", 1))):
        raise DataError("its trie has not as many nodes everywhere")
    up = parent[1:]
    if (up < 0).any() or (up >= np.arange(1, count)).any() or (np.diff(up) < 0).any():
        raise DataError("its trie is none")
    if (tensors["first_child"] != 1 + np.searchsorted(up, np.arange(count + 1))).any():
        raise DataError("its trie has other children than parents")
    if first_id[0] or first_id[-1] != len(ids) or (np.diff(first_id) < 0).any():
        raise DataError("its trie has tokens outside its nodes")
    if len(np.unique(ids)) != len(ids) or (len(ids) and (ids.min() < 0 or ids.max() >= size)):
        raise DataError("its trie has an id twice, or one outside `size`")


def _tokens(tensors: Mapping[str, Array]) -> TokenBytes:
    """The bytes of every token, read from its last byte to the first."""
    parent, first_id = tensors["parent"].astype(np.int64), tensors["first_id"].astype(np.int64)
    nodes = np.repeat(np.arange(len(parent)), np.diff(first_id))
    order = np.argsort(tensors["ids"], kind="stable")
    nodes, lengths = nodes[order], _depths(tensors)[nodes[order]]
    if int(lengths.sum()) > MAX_ARTIFACT_BYTES:
        raise DataError("its tokens are too long")
    kept = lengths > 0
    ids, nodes, lengths = tensors["ids"][order][kept].astype(np.int64), nodes[kept], lengths[kept]
    starts = np.cumsum(lengths) - lengths
    data = np.zeros(int(lengths.sum()), np.uint8)
    open_, at = np.arange(len(nodes)), starts + lengths - 1
    while open_.size:
        data[at[open_]] = tensors["byte"][nodes[open_]]
        nodes[open_] = parent[nodes[open_]]
        at[open_] -= 1
        open_ = open_[nodes[open_] > 0]
    return TokenBytes(ids, data, starts, lengths)


def _depths(tensors: Mapping[str, Array]) -> Ints:
    """int64 [N]: how many bytes each node spells."""
    first_child = tensors["first_child"]
    depths = np.zeros(len(tensors["parent"]), np.int64)
    low, high, depth = 0, 1, 0
    while low < high:
        depths[low:high] = depth
        low, high, depth = int(first_child[low]), int(first_child[high]), depth + 1
    return depths
