"""One contender in a process of its own: from a vocabulary to masks that are ready, and the memory that it then holds.

`python -m bench.cold CONTENDER VOCABULARY POLICY` prints a JSON object, or one with `cannot` and a reason. Imports, the
reading of the vocabulary's file and of the policy are not timed.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import langc
from bench import subjects
from bench.contenders import CONTENDERS, CannotError
from langc.compiler.policy import Policy
from langc.compiler.tokens.vocabulary import Vocabulary

STEPS = 400
"""Of the text that is written before memory is looked at."""
SECONDS = 300
"""After which a contender is given up."""
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")

Cold = dict[str, float | str | None]


def measured(contender: str, vocabulary: str, policy: str) -> Cold:
    """Of a fresh process: times in seconds, memory in bytes; or `cannot`, with a reason.

    `prepare`, `compile` and `first` follow one another; `first` is the first mask, of langc the masks of all states as
    far as it keeps them. `again` is a second session of the same policy up to there. Times are of the processor, all in
    one thread, so that others who use the machine do not count. `peak` is the most memory up to the end of a text, and
    `held` what is left then.
    """
    command = [sys.executable, "-m", "bench.cold", contender, vocabulary, policy]
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": SECONDS, "check": False}
    options |= {"env": {**os.environ, "OMP_NUM_THREADS": "1"}, "input": json.dumps(_ids(vocabulary, policy))}
    try:
        done = subprocess.run(command, **options)
    except subprocess.TimeoutExpired:
        return {"cannot": f"it took more than {SECONDS} s"}
    if done.returncode:
        return {"cannot": (done.stderr.strip().splitlines() or ["it failed"])[-1]}
    found: Cold = json.loads(done.stdout.splitlines()[-1])
    return found


@cache
def _ids(vocabulary: str, policy: str) -> list[int]:
    """What the process writes: it must not find them itself, since that would fill caches."""
    return subjects.walk(subjects.vocabulary(vocabulary), subjects.policy(policy), STEPS)


def measure(contender: str, vocabulary: str, policy: str, ids: Sequence[int]) -> Cold:
    """The same in this process."""
    chosen = CONTENDERS[contender]
    chosen.load()
    tokens, rules = subjects.vocabulary(vocabulary), [subjects.policy(policy) for _ in range(2)]
    sources = [chosen.translate(each, tokens) for each in rules]
    _give_back()
    before = _memory("VmRSS")
    _forget_peak()
    clocks = [time.process_time()]
    prepared = chosen.prepare(tokens)
    clocks.append(time.process_time())
    session = prepared.compile(sources[0])
    clocks.append(time.process_time())
    session.prepare()
    clocks.append(time.process_time())
    for token in ids:
        session.advance(token)
        session.mask()
        session.apply()
    peak = _memory("VmHWM")
    _give_back()
    held = _memory("VmRSS")
    clocks.append(time.process_time())
    prepared.compile(sources[1]).prepare()
    clocks.append(time.process_time())
    names = ("prepare", "compile", "first", "text", "again")
    return {
        **{name: after - earlier for name, earlier, after in zip(names, clocks, clocks[1:], strict=False)},
        "load": _loaded(rules[0], tokens) if contender == "langc" else None,
        "peak": None if before is None or peak is None else max(peak - before, 0),
        "held": None if before is None or held is None else max(held - before, 0),
    }


def _loaded(policy: Policy, vocabulary: Vocabulary) -> float | None:
    """Seconds from a file of the target `artifact` to its first mask."""
    from langc.compiler.tokens.machine import TokenMachine
    from langc.compiler.tokens.portable import load

    with TemporaryDirectory() as folder:
        path = Path(folder) / "artifact"
        try:
            path.write_bytes(langc.compile(policy, "artifact", vocabulary).content)
        except langc.LangcError:
            return None
        started = time.process_time()
        machine = TokenMachine(load(path, vocabulary).tables)
        _ = machine.masks[machine.start]
        return time.process_time() - started


def _memory(what: str) -> int | None:
    """In bytes; None where the kernel does not tell."""
    found = re.search(rf"{what}:\s+(\d+) kB", _STATUS.read_text()) if _STATUS.exists() else None
    return int(found[1]) << 10 if found else None


def _give_back() -> None:
    """Return to the system what is free, where the C library can; else it counts as held."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _forget_peak() -> None:
    with suppress(OSError):  # the peak of reading the vocabulary is then counted, too
        _RESET.write_text("5")


if __name__ == "__main__":
    try:
        of, vocabulary_, policy_ = sys.argv[1:4]
        print(json.dumps(measure(of, vocabulary_, policy_, json.load(sys.stdin))))
    except CannotError as error:
        print(json.dumps({"cannot": str(error)}))
