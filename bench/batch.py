"""Many rows at once: the states of 64 texts applied to logits [64, V], beside one addition to a tensor as large."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from bench import subjects, timing
from bench.rows import Row
from langc.compiler.tokens.choose import choose_tables
from langc.compiler.tokens.machine import TokenMachine

ROWS = 64
CALLS = 20


def batch_rows(vocabulary: str, repeats: int) -> Iterator[Row]:
    """For float32, float16 and bfloat16, with one torch thread and with all cores."""
    import torch

    tokens, policy = subjects.vocabulary(vocabulary), subjects.policy("ko")
    machine = TokenMachine(choose_tables(policy, tokens))
    states = _states(machine, subjects.walk(tokens, policy, ROWS))
    for threads in (1, os.cpu_count() or 1):
        torch.set_num_threads(threads)
        for name in ("float32", "float16", "bfloat16"):
            logits, other = (torch.zeros((ROWS, tokens.size), dtype=getattr(torch, name)) for _ in range(2))
            ours, floor = timing.in_turn(
                [
                    _calls(lambda logits=logits: machine.applier.apply(logits, states)),
                    _calls(lambda logits=logits, other=other: logits.add_(other)),
                ],
                repeats,
            )
            found, its = timing.summary(ours), timing.summary(floor)
            metric = f"batch-{ROWS}-{name}"
            peer = f"add, {threads} thread{'s' * (threads > 1)}"
            yield Row(
                metric, vocabulary, "ko", found.p50, peer, its.p50, "µs", found.p99, found.worst, its.p99, its.worst
            )
    torch.set_num_threads(1)


def _states(machine: TokenMachine, ids: Sequence[int]) -> list[int]:
    """Where the texts stand: each a token further than the one before."""
    return [machine.read(ids[: n + 1]) for n in range(ROWS)]


def _calls(function: object) -> timing.Walk:
    def run() -> timing.Microseconds:
        assert callable(function)
        return timing.calls(range(CALLS), lambda _: None, (), function)

    return run
