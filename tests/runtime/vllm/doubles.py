"""What of vLLM 0.32 the adapters touch, written again from its sources: base classes, and engines that keep the books.

`EngineV1` has one row a request and closes gaps by moves; `EngineV2` has slots, shuffled rows and drafts.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch

WIDTH = 280
"""Columns of the logits: more than the vocabulary has ids."""
MOST = 6
"""Requests at a time."""
LENGTH = 256
ROOT = ("vllm", "vllm.v1", "vllm.v1.sample", "vllm.v1.worker", "vllm.v1.worker.gpu", "vllm.v1.worker.gpu.sample")
V1_NAME = "vllm.v1.sample.logits_processor"
V2_NAME = "vllm.v1.worker.gpu.sample.logits_processor"


class ProcessorV1(ABC):
    @classmethod  # noqa: B027 -- as it is there
    def validate_params(cls, sampling_params: Any) -> None:
        """May raise ValueError."""

    @abstractmethod
    def __init__(self, vllm_config: Any, device: Any, is_pin_memory: bool) -> None: ...

    @abstractmethod
    def apply(self, logits: Any) -> Any: ...

    @abstractmethod
    def is_argmax_invariant(self) -> bool: ...

    @abstractmethod
    def update_state(self, batch_update: Any) -> None: ...


class ProcessorV2(ABC):
    def __init__(self, vllm_config: Any, req_states: Any) -> None:  # noqa: B027 -- as it is there
        pass

    @classmethod  # noqa: B027 -- as it is there
    def validate_params(cls, sampling_params: Any) -> None:
        """May raise ValueError."""

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        """Whether the request is changed."""
        return True

    def apply_staged_writes(self) -> None:  # noqa: B027 -- as it is there
        """Before each forward pass."""

    @abstractmethod
    def apply(self, logits: Any, ctx: Any) -> Any: ...


class Direction(Enum):
    UNIDIRECTIONAL = auto()
    SWAP = auto()


@contextmanager
def installed(version: str = "0.32.0", **modules: Any) -> Iterator[ModuleType]:
    """`langc.vllm` as it is where this release is installed; a base class by the name of its module, `v1` and `v2`."""
    bases = {V1_NAME: modules.get("v1", ProcessorV1), V2_NAME: modules.get("v2", ProcessorV2)}
    fakes = {name: ModuleType(name) for name in (*ROOT, *bases)}
    fakes["vllm"].__dict__["__version__"] = version
    for name, base in bases.items():
        if base is not None:
            fakes[name].__dict__["LogitsProcessor"] = base
    with patch.dict(sys.modules, fakes):
        sys.modules.pop("langc.targets.runtime.vllm", None)
        import importlib

        yield importlib.import_module("langc.targets.runtime.vllm")


@dataclass(eq=False)
class Request:
    """A request as the engines know it."""

    prompt: list[int]
    policy: str | None
    output: list[int] = field(default_factory=list)

    @property
    def params(self) -> Any:
        """What the engine hands over as `SamplingParams`."""
        return SimpleNamespace(extra_args=None if self.policy is None else {"langc_policy": self.policy})


def config() -> Any:
    """A `VllmConfig`."""
    return SimpleNamespace(model_config=SimpleNamespace(tokenizer="none", get_vocab_size=lambda: WIDTH))


class EngineV1:
    """The persistent batch of runner V1 and a processor in it."""

    def __init__(self, made: type[Any]) -> None:
        self.processor = made(config(), torch.device("cpu"), False)
        self.rows: list[Request] = []

    def change(self, removed: Sequence[Request], added: Sequence[Request], random: Random) -> None:
        """Removed requests leave gaps, added ones fill them from the lowest on, and the last rows fill what is left."""
        rows: dict[int, Request] = dict(enumerate(self.rows))
        gaps = sorted((self.rows.index(r) for r in removed), reverse=True)
        for gap in gaps:
            del rows[gap]
        adds: list[tuple[int, Any, list[int], list[int]]] = []
        moves: list[tuple[int, int, Direction]] = []
        for request in added:
            at = gaps.pop() if gaps else len(self.rows) + len(adds) - len(removed) + len(gaps)
            rows[at] = request
            adds.append((at, request.params, request.prompt, request.output))
        while gaps and rows and max(rows) > gaps[-1]:
            last, gap = max(rows), gaps.pop()
            rows[gap] = rows.pop(last)
            moves.append((last, gap, Direction.UNIDIRECTIONAL))
        for _ in range(random.randrange(3) if len(rows) > 1 else 0):
            a, b = random.sample(sorted(rows), 2)
            rows[a], rows[b] = rows[b], rows[a]
            moves.append((a, b, Direction.SWAP))
        assert sorted(rows) == [*range(len(rows))]
        self.rows = [rows[i] for i in range(len(rows))]
        update = SimpleNamespace(batch_size=len(rows), removed=gaps, added=adds, moved=moves)
        self.processor.update_state(update if gaps or adds or moves else None)

    def logits(self, given: dict[int, torch.Tensor]) -> dict[int, torch.Tensor]:
        """The changed logits of each request, by its identity."""
        if not self.rows:
            return {}
        batch = torch.stack([given[id(r)] for r in self.rows])
        changed = self.processor.apply(batch)
        return {id(r): row for r, row in zip(self.rows, changed, strict=True)}


class EngineV2:
    """The request states of runner V2 and a processor beside them."""

    def __init__(self, made: type[Any]) -> None:
        self.tokens = torch.full((MOST, LENGTH), 77, dtype=torch.int32)  # what is not written yet means nothing
        self.total = torch.zeros(MOST, dtype=torch.int32)
        self.prompt = torch.zeros(MOST, dtype=torch.int32)
        states = SimpleNamespace(
            device=torch.device("cpu"),
            max_num_reqs=MOST,
            vocab_size=WIDTH,
            all_token_ids=SimpleNamespace(gpu=self.tokens),
            total_len=SimpleNamespace(gpu=self.total),
            prompt_len=SimpleNamespace(np=self.prompt.numpy()),
        )
        self.processor = made(config(), states)
        self.slots: dict[int, Request] = {}
        self.free = list(range(MOST))

    def change(self, removed: Sequence[Request], added: Sequence[Request]) -> None:
        """Slots are given back, and taken from the end of the list of free ones."""
        for slot in [s for s, r in self.slots.items() if any(r is one for one in removed)]:
            del self.slots[slot]
            self.free.append(slot)
        for request in added:
            slot = self.free.pop()
            self.slots[slot] = request
            self.prompt[slot] = len(request.prompt)
            declined = not self.processor.add_request(slot, request.params)
            assert declined == (request.policy is None)
        self.processor.apply_staged_writes()

    def logits(
        self, given: dict[int, torch.Tensor], drafts: dict[int, list[int]], random: Random
    ) -> dict[int, list[torch.Tensor]]:
        """The changed logits of each request: behind its text, and behind each of its drafts."""
        for slot, request in self.slots.items():
            ids = request.prompt + request.output
            self.tokens[slot, : len(ids)] = torch.tensor(ids, dtype=torch.int32)
            self.total[slot] = len(ids)
        order = random.sample(sorted(self.slots), len(self.slots))
        rows = [(s, k, t) for s in order for k, t in enumerate([self._last(s), *drafts.get(id(self.slots[s]), [])])]
        if not rows:
            return {}
        slot_of, offsets, inputs = (torch.tensor(part, dtype=torch.int32) for part in zip(*rows, strict=True))
        ctx = SimpleNamespace(
            expanded_idx_mapping=slot_of,
            idx_mapping=torch.tensor(order, dtype=torch.int32),
            idx_mapping_np=torch.tensor(order, dtype=torch.int32).numpy(),
            expanded_local_pos=offsets,
            input_ids=inputs,
        )
        changed = self.processor.apply(torch.stack([given[id(self.slots[s])] for s, _, _ in rows]), ctx)
        found: dict[int, list[torch.Tensor]] = {}
        for (slot, _, _), row in zip(rows, changed, strict=True):
            found.setdefault(id(self.slots[slot]), []).append(row)
        return found

    def _last(self, slot: int) -> int:
        return int(self.tokens[slot, int(self.total[slot]) - 1])
