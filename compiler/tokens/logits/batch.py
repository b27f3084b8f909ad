"""The steps of a batch, shared among threads.

Invariant: each row becomes what its own step makes of it alone.

Neighbouring rows of one state take one pass: a thread that ends a pass has to wait for the interpreter's lock if
another one has it, which takes about as long as the pass over a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from langc.compiler.tokens.logits.layout import Array
from langc.compiler.tokens.logits.refusal import Refusal
from langc.compiler.tokens.logits.threads import run_all

SHARE = 2 << 20
"""Bytes for which it pays to wake another thread."""
JOBS = 2
"""For each thread, so that one that is held up leaves work to the others."""


def refuse_batch(steps: Sequence[Refusal], source: Array, out: Array, workers: int) -> None:
    """Take a step for each row of views [B, rows] of the logits. The steps look nothing up that others may change."""
    size = max(1, source.itemsize * source.shape[1])
    share = max(SHARE // size, -(-len(steps) // (JOBS * workers)), 1)
    parts = [slice(at, at + share) for at in range(0, len(steps), share)]
    run_all([partial(_refuse, steps[part], source[part], out[part]) for part in parts], workers)


def _refuse(steps: Sequence[Refusal], source: Array, out: Array) -> None:
    for step, rows in _runs(steps):
        step(source[rows], out[rows])


def _runs(steps: Sequence[Refusal]) -> Iterator[tuple[Refusal, slice]]:
    """Each step that neighbouring rows have, and the rows."""
    begin = 0
    for _, group in groupby(steps, id):
        some = list(group)
        yield some[0], slice(begin, begin + len(some))
        begin += len(some)
