"""How things are timed, and what is said of it.

Machines are shared and noisy, so the same walk is run several times, all contenders taking turns, and each step counts
with the least time that it took. What is left of the differences between steps is their own. `spread` is what the
repeats of the median step differ by: a figure is worth no more than that.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Microseconds: TypeAlias = npt.NDArray[np.float64]
Walk: TypeAlias = Callable[[], Microseconds]


@dataclass(frozen=True)
class Summary:
    """Of the steps of a walk, in microseconds."""

    p50: float
    p99: float
    worst: float
    first: float
    """The worst of the first repeat, when nothing was cached."""
    spread: float
    """The interquartile range of the repeats' medians, by their median."""


def summary(repeats: Sequence[Microseconds], chosen: npt.NDArray[np.bool_] | None = None) -> Summary:
    """Of repeats [N] of one walk, or of the chosen steps."""
    rows = np.stack([r if chosen is None else r[chosen] for r in repeats])
    least = rows.min(axis=0)
    medians = np.median(rows, axis=1)
    low, middle, high = np.percentile(medians, (25, 50, 75))
    p50, p99 = np.percentile(least, (50, 99))
    return Summary(float(p50), float(p99), float(least.max()), float(rows[0].max()), float((high - low) / middle))


def in_turn(walks: Sequence[Walk], repeats: int) -> list[list[Microseconds]]:
    """Every walk so many times, one after the other in each round."""
    found: list[list[Microseconds]] = [[] for _ in walks]
    with without_collection():
        for _ in range(repeats):
            for walk, times in zip(walks, found, strict=True):
                times.append(walk())
    return found


@contextmanager
def without_collection() -> Iterator[None]:
    """The garbage of one contender must not be collected in the time of another."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def steps(ids: Sequence[int], advance: Callable[[int], object], *after: Callable[[], object]) -> Microseconds:
    """The time of each step: a token is written, and the functions are called; float64 [N], in microseconds."""
    clock, found = time.perf_counter_ns, np.empty(len(ids))
    for n, token in enumerate(ids):
        start = clock()
        advance(token)
        for function in after:
            function()
        found[n] = clock() - start
    return found / 1_000


def calls(
    ids: Sequence[int],
    advance: Callable[[int], object],
    before: Sequence[Callable[[], object]],
    timed: Callable[[], object],
) -> Microseconds:
    """The time of `timed` behind each token, with what has to come before it; float64 [N], in microseconds."""
    clock, found = time.perf_counter_ns, np.empty(len(ids))
    for n, token in enumerate(ids):
        advance(token)
        for function in before:
            function()
        start = clock()
        timed()
        found[n] = clock() - start
    return found / 1_000
