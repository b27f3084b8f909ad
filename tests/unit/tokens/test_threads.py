"""Jobs shared among threads: each is done once, none is lost, and nobody is waited for in vain."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from unittest import mock

import pytest

from langc.compiler.tokens.logits import threads


@pytest.mark.parametrize("workers", [0, 1, 2, 3, 8, 50])
@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_every_job_is_done_once(workers: int, count: int) -> None:
    """However many threads there are, and the results are there when the call returns."""
    done: list[int] = []
    threads.run_all([partial(done.append, n) for n in range(count)], workers)

    assert Counter(done) == Counter(range(count))


def test_the_others_work_too() -> None:
    """Two jobs that wait for each other end only in two threads."""
    meeting = threading.Barrier(2, timeout=60)
    threads.run_all([meeting.wait, meeting.wait], 2)


def test_a_helper_that_never_comes_is_not_waited_for() -> None:
    """While all others are busy, the caller does everything."""
    busy, go_on = threading.Barrier(threads.MOST_THREADS, timeout=60), threading.Event()

    def block() -> None:
        busy.wait()
        go_on.wait(60)

    blocked = [threads._executor().submit(block) for _ in range(threads.MOST_THREADS - 1)]
    busy.wait()
    done: list[int] = []
    threads.run_all([lambda: done.append(threading.get_ident())] * 9, 4)
    go_on.set()
    for each in blocked:
        each.result(60)

    assert done == [threading.get_ident()] * 9


def raising(error: Exception) -> Callable[[], object]:
    """A job that fails."""

    def job() -> object:
        raise error

    return job


def test_an_error_of_the_caller_is_raised() -> None:
    """The others have ended by then."""
    with pytest.raises(ValueError, match="mine"):
        threads.run_all([raising(ValueError("mine"))], 1)


def test_an_error_of_another_thread_is_raised() -> None:
    """It is not lost with the thread."""
    caller, meeting = threading.get_ident(), threading.Barrier(2, timeout=60)

    def job() -> None:
        meeting.wait()
        if threading.get_ident() != caller:
            raise ValueError("theirs")

    with pytest.raises(ValueError, match="theirs"):
        threads.run_all([job, job], 2)


def test_without_another_thread() -> None:
    """An interpreter that ends starts none."""
    done: list[int] = []
    with mock.patch.object(threads, "_executor", side_effect=RuntimeError("cannot schedule new futures")):
        threads.run_all([partial(done.append, n) for n in range(5)], 3)

    assert done == list(range(5))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_has_threads_of_its_own() -> None:
    """Those of the parent are not in it, and nothing hangs."""
    meeting = threading.Barrier(2, timeout=60)
    threads.run_all([meeting.wait, meeting.wait], 2)
    child = os.fork()
    if child == 0:
        again = threading.Barrier(2, timeout=30)
        try:
            threads.run_all([again.wait, again.wait], 2)
        except BaseException:
            os._exit(1)
        os._exit(0)

    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize(
    ("asked", "expected"), [("3", 3), ("0", 1), ("1", 1), ("99", 8), ("", 5), ("4,2", 5), ("²", 5)]
)
def test_how_many(monkeypatch: pytest.MonkeyPatch, asked: str, expected: int) -> None:
    """OMP_NUM_THREADS where it is a number, else the cores."""
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    monkeypatch.setattr(threads, "_cores", lambda: 5)
    with mock.patch.dict("sys.modules", {"torch": None}):
        assert threads.threads() == expected


def test_torch_decides() -> None:
    """If it was imported, its number of threads counts."""
    torch = mock.Mock(get_num_threads=lambda: 2)
    with mock.patch.dict("sys.modules", {"torch": torch}):
        assert threads.threads() == 2
