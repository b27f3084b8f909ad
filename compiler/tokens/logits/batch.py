"""The steps of a batch, shared among threads.

Invariant: each row becomes what its own step makes of it alone.

Neighbouring rows of one state take one pass: a thread that ends a pass has to wait for the interpreter's lock if
another one has it, which takes about as long as the pass over a row. So several threads pass over a row or two between
them as well, where few tokens are allowed: these are put back afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from langc.compiler.tokens.logits.layout import Array
from langc.compiler.tokens.logits.refusal import PutBack, Refusal
from langc.compiler.tokens.logits.threads import run_all

SHARE = 2 << 20
"""Bytes for which it pays to wake another thread."""
BRIDGED = 3
"""Rows between those of one step that several threads pass over."""


class Pass(NamedTuple):
    """A step that is taken for some rows at once."""

    step: Refusal
    rows: slice
    inside: list[tuple[int, PutBack]]
    """Rows among them that the step is not for: few tokens are kept there, and the row is written anew."""


def refuse_batch(steps: Sequence[Refusal], source: Array, out: Array, workers: int) -> None:
    """Take a step for each row of views [B, rows] of the logits. The steps look nothing up that others may change."""
    size = max(1, source.itemsize * source.shape[1])
    share = max(SHARE // size, -(-len(steps) // workers), 1)
    parts = [slice(at, at + share) for at in range(0, len(steps), share)]
    bridge = BRIDGED if workers > 1 else 0
    run_all([partial(_refuse, steps[part], source[part], out[part], bridge) for part in parts], workers)


def _refuse(steps: Sequence[Refusal], source: Array, out: Array, bridge: int) -> None:
    for step, rows, inside in _passes(steps, bridge):
        kept = [own.taken(source[number]) for number, own in inside]
        step(source[rows], out[rows])
        for stretch in _stretches([number for number, _ in inside]):
            out[stretch] = inside[0][1].lowest
        for (number, own), some in zip(inside, kept, strict=True):
            own.put(out[number], some)


def _stretches(rows: Sequence[int]) -> Iterator[slice]:
    """Neighbours together."""
    for _, group in groupby(enumerate(rows), lambda pair: pair[1] - pair[0]):
        some = [row for _, row in group]
        yield slice(some[0], some[-1] + 1)


def _passes(steps: Sequence[Refusal], bridge: int) -> Iterator[Pass]:
    begin = 0
    while begin < len(steps):
        found = _pass_from(steps, begin, bridge)
        yield found
        begin = found.rows.stop


def _pass_from(steps: Sequence[Refusal], begin: int, bridge: int) -> Pass:
    """The longest one; rows of few allowed tokens are passed over, at most so many at a time."""
    step, end = steps[begin], begin + 1
    inside, between = list[tuple[int, PutBack]](), list[tuple[int, PutBack]]()
    for number, other in enumerate(steps[begin + 1 :], begin + 1):
        if other is step:
            inside, between, end = inside + between, [], number + 1
        elif isinstance(other, PutBack) and not isinstance(step, PutBack) and len(between) < bridge:
            between.append((number, other))
        else:
            break
    return Pass(step, slice(begin, end), inside)
