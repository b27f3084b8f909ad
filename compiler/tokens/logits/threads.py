"""Work on much memory, shared among threads: numpy's loops let go of the interpreter's lock.

Invariant: when `run_all` returns, every job was done once, by whichever thread; nothing of it goes on. The caller works
too and waits only for jobs that others have begun, so that a helper the system does not run holds nobody up for longer
than one job. Without helpers (a fork's child makes its own; an interpreter that ends makes none) it does all itself.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

MOST_THREADS = 8
"""Memory is what limits this work: more threads gain little."""
_pool: ThreadPoolExecutor | None = None


def threads() -> int:
    """As many as torch would use, if somebody has imported it; else OMP_NUM_THREADS, else the cores there are."""
    torch = sys.modules.get("torch")
    if torch is not None:
        return min(int(torch.get_num_threads()), MOST_THREADS)
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(int(asked) if asked.isascii() and asked.isdigit() else _cores(), MOST_THREADS))


def run_all(jobs: Iterable[Callable[[], object]], workers: int) -> None:
    """Do all jobs, with at most so many threads, the caller's among them.

    Raises what a job of the caller's or of another thread raises; other jobs may be undone then.
    """
    waiting = deque(jobs)
    helpers = _helpers(min(workers, len(waiting)) - 1, waiting)
    try:
        _work(waiting)
    finally:
        waiting.clear()
        begun = [helper for helper in helpers if not helper.cancel()]
        errors = [helper.exception() for helper in begun]
    for error in filter(None, errors):
        raise error


def _work(waiting: deque[Callable[[], object]]) -> None:
    while True:
        try:
            job = waiting.popleft()  # one thread gets it: this is a single step of the interpreter
        except IndexError:
            return
        job()


def _helpers(count: int, waiting: deque[Callable[[], object]]) -> list[Future[None]]:
    """Others that take jobs from now on; fewer where no thread can be started."""
    helpers: list[Future[None]] = []
    try:
        while len(helpers) < count:
            helpers.append(_executor().submit(_work, waiting))
    except RuntimeError:  # the interpreter ends, or the system has no thread left
        pass
    return helpers


def _executor() -> ThreadPoolExecutor:
    global _pool
    if _pool is None:
        from concurrent.futures import ThreadPoolExecutor

        _pool = ThreadPoolExecutor(MOST_THREADS - 1, thread_name_prefix="langc")
    return _pool


def _forget() -> None:
    """Threads do not outlive a fork."""
    global _pool
    _pool = None


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
