"""One contender in a process of its own: from a vocabulary to the first mask, and the memory that it then holds.

`python -m bench.cold CONTENDER VOCABULARY POLICY` prints a JSON object, or one with `cannot` and a reason. Imports, the
reading of the vocabulary's file and of the policy are not timed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from bench import subjects
from bench.contenders import CONTENDERS, CannotError

STEPS = 400
"""Of the text that is written before memory is looked at."""
SECONDS = 300
"""After which a contender is given up."""
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")

Cold = dict[str, float | str | None]


def measured(contender: str, vocabulary: str, policy: str) -> Cold:
    """Of a fresh process: `prepare`, `compile`, `first` and `again` in seconds, `memory` in bytes; or `cannot`.

    `first` is the first mask, `again` a second session of the same policy up to its first mask.
    """
    command = [sys.executable, "-m", "bench.cold", contender, vocabulary, policy]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return {"cannot": f"it took more than {SECONDS} s"}
    if done.returncode:
        return {"cannot": (done.stderr.strip().splitlines() or ["it failed"])[-1]}
    found: Cold = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(contender: str, vocabulary: str, policy: str) -> Cold:
    """The same in this process."""
    chosen = CONTENDERS[contender]
    chosen.load()
    tokens, rules = subjects.vocabulary(vocabulary), subjects.policy(policy)
    ids = subjects.walk(tokens, subjects.policy(policy), STEPS) if contender != "langc" else []
    before = _memory("VmRSS")
    _forget_peak()
    started = time.perf_counter()
    prepared = chosen.prepare(tokens)
    was_prepared = time.perf_counter()
    session = prepared.compile(rules)
    was_compiled = time.perf_counter()
    session.mask()
    was_asked = time.perf_counter()
    prepared.compile(subjects.policy(policy)).mask()
    was_again = time.perf_counter()
    for token in ids or subjects.walk(tokens, rules, STEPS):
        session.advance(token)
        session.mask()
        session.apply()
    peak = _memory("VmHWM")
    return {
        "prepare": was_prepared - started,
        "compile": was_compiled - was_prepared,
        "first": was_asked - was_compiled,
        "again": was_again - was_asked,
        "memory": None if before is None or peak is None else max(peak - before, 0),
    }


def _memory(what: str) -> int | None:
    """In bytes; None where the kernel does not tell."""
    found = re.search(rf"{what}:\s+(\d+) kB", _STATUS.read_text()) if _STATUS.exists() else None
    return int(found[1]) << 10 if found else None


def _forget_peak() -> None:
    with suppress(OSError):  # the peak of reading the vocabulary is then counted, too
        _RESET.write_text("5")


if __name__ == "__main__":
    try:
        print(json.dumps(measure(*sys.argv[1:4])))
    except CannotError as error:
        print(json.dumps({"cannot": str(error)}))
