"""vLLM's runner V1: a row of the logits is a request, and the engine says which rows are given up, taken and moved.

Invariant: behind `update` each row that has a text belongs to the request that the engine has there. The lists of
output tokens are the engine's own and grow by themselves, so they are read when the logits come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langc.targets.runtime._vllm_policies import Machines
from langc.targets.runtime._vllm_rows import Placed, Text, apply_rows

NOT_YET = -1
"""Stands at the end of a list for a token that the engine has not heard of yet; when the logits come, none is left but
in rows whose logits are thrown away."""


@dataclass(frozen=True)
class _Request:
    text: Text
    output_ids: list[int]


class Batch:
    """The requests with a policy, by row."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._requests: dict[int, _Request] = {}

    def update(self, change: Any) -> None:
        """Take in a `BatchUpdate`, or None: first what is removed, then what is added, then what is moved."""
        if change is None:
            return
        for row in change.removed:
            self._requests.pop(row, None)
        for row, params, _, output_ids in change.added:
            self._add(row, params, output_ids)
        for source, target, direction in change.moved:
            self._move(source, target, direction.name == "SWAP")

    def _add(self, row: int, params: Any, output_ids: list[int]) -> None:
        machine = self._machines.of(params)
        self._put(row, None if machine is None else _Request(Text(machine), output_ids))

    def _move(self, source: int, target: int, swap: bool) -> None:
        moved, replaced = self._requests.pop(source, None), self._requests.pop(target, None)
        self._put(target, moved)
        if swap:
            self._put(source, replaced)

    def _put(self, row: int, request: _Request | None) -> None:
        """A row that is refilled does not appear among the removed ones: whatever was there goes."""
        if request is None:
            self._requests.pop(row, None)
        else:
            self._requests[row] = request

    def apply(self, logits: Any) -> Any:
        """Apply in place to logits [num_reqs, V]."""
        placed = [self._placed(row, self._requests[row]) for row in sorted(self._requests) if row < len(logits)]
        apply_rows(logits, placed)
        return logits

    def _placed(self, row: int, request: _Request) -> Placed:
        ids = request.output_ids
        request.text.become(ids[: ids.index(NOT_YET)] if ids and ids[-1] == NOT_YET else ids)
        return Placed(row, request.text.machine, request.text.state)
