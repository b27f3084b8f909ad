"""vLLM's runner V2: requests have slots, rows are laid out anew for each step, and the tokens are on the device.

Invariant: a slot's text is what the engine has committed there behind the prompt; it only grows until the slot is given
to another request. Under speculative decoding a request has one more row for each draft token, and what a row follows
is the text, then the inputs of its request's rows from the second up to itself.

A step copies once from the device: the layout, and the last few tokens of each slot with a policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from langc.targets.runtime._vllm_policies import Machines
from langc.targets.runtime._vllm_rows import Placed, Text, apply_rows

TAIL = 16
"""Committed tokens of a slot that are copied in every step; more than a step commits."""
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Step:
    """What is copied from the device. [R] for rows, [S] for slots."""

    slot_of: Ints
    """[R]"""
    offsets: Ints
    """[R]: the place of a row among those of its request."""
    inputs: Ints
    """[R]: the token that the model was given there; a draft, but for the first row of a request."""
    totals: Ints
    """[S]: how many tokens are committed, the prompt's included."""
    tails: Ints
    """[S, TAIL]: the last of them; the first columns mean nothing where there are fewer."""


class Slots:
    """The requests with a policy, by slot."""

    def __init__(self, machines: Machines, req_states: Any) -> None:
        self._machines = machines
        self._req_states = req_states
        self._texts: dict[int, Text] = {}

    def add(self, slot: int, params: Any) -> bool:
        """Give a slot to a request, whatever was there before. Returns whether it has a policy."""
        self._texts.pop(slot, None)
        machine = self._machines.of(params)
        if machine is not None:
            self._texts[slot] = Text(machine)
        return machine is not None

    def apply(self, logits: Any, ctx: Any) -> Any:
        """Apply in place to logits [num_logits_rows, V]."""
        slots = sorted(self._texts.keys() & set(ctx.idx_mapping_np.tolist()))
        if not slots:
            return logits
        step = self._copied(slots, ctx)
        for slot, total, tail in zip(slots, step.totals.tolist(), step.tails.tolist(), strict=True):
            self._read_on(slot, total, tail)
        apply_rows(logits, self._placed(set(slots), step, len(logits)))
        return logits

    def _copied(self, slots: list[int], ctx: Any) -> _Step:
        import torch

        states = self._req_states
        tokens, totals = states.all_token_ids.gpu, states.total_len.gpu
        at = torch.tensor(slots, device=totals.device)
        ends = totals[at].to(torch.int64)
        columns = ends[:, None] - TAIL + torch.arange(TAIL, device=ends.device)
        tails = tokens[at[:, None], columns.clamp(min=0)]
        parts = (ctx.expanded_idx_mapping, ctx.expanded_local_pos, ctx.input_ids, ends, tails)
        copied = torch.cat([part.reshape(-1).to(ends.device, torch.int64) for part in parts]).cpu().numpy()
        slot_of, offsets, inputs, ends, flat = np.split(copied, np.cumsum([part.numel() for part in parts[:-1]]))
        return _Step(slot_of, offsets, inputs, ends, flat.reshape(-1, TAIL))

    def _read_on(self, slot: int, total: int, tail: list[int]) -> None:
        text, prompt = self._texts[slot], int(self._req_states.prompt_len.np[slot])
        new = total - prompt - text.length
        if 0 <= new <= TAIL:
            text.read(tail[TAIL - new :])
        else:  # taken up again after it had to make room
            text.restart()
            text.read(self._req_states.all_token_ids.gpu[slot, prompt:total].tolist())

    def _placed(self, slots: set[int], step: _Step, rows: int) -> list[Placed]:
        placed: list[Placed] = []
        layout = zip(step.slot_of.tolist(), step.offsets.tolist(), step.inputs.tolist(), strict=True)
        for row, (slot, offset, token) in zip(range(rows), layout, strict=False):
            if slot in slots:
                text = self._texts[slot]
                state = text.machine.follow(placed[-1].state, token) if offset else text.state
                placed.append(Placed(row, text.machine, state))
        return placed
