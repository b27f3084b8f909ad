"""`make bench`: langc beside its peers, each figure of both measured in the same run.

Prints a table, writes the same rows to a JSON file and plots of the step beside it. docs/performance.md says what each
figure is. Everything runs in one thread. A peer that is not installed, or cannot take a policy, is a row that says so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from bench import cold, places, subjects, timing
from bench.batch import batch_rows
from bench.contenders import CONTENDERS, CannotError, Contender, Session
from bench.plots import write_plots
from bench.rows import Row, table
from langc.compiler.tokens.matcher import Matcher

PEERS = ("xgrammar", "llguidance", "outlines-core", "resklogits")
FLOOR = "floor"


def main() -> None:
    """Time what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="where the rows go; the plots go beside it")
    parser.add_argument("--vocabularies", default=",".join(subjects.VOCABULARIES), help="with commas between them")
    parser.add_argument("--policies", default=",".join(subjects.POLICIES))
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--steps", type=int, default=600, help="of the text")
    parser.add_argument("--repeats", type=int, default=7, help="of the text, each contender in turn")
    parser.add_argument("--processes", type=int, default=3, help="fresh ones for set-up and memory")
    options = parser.parse_args()
    rows: list[Row] = []
    for vocabulary in options.vocabularies.split(","):
        for policy in options.policies.split(","):
            for row in _all(vocabulary, policy, _able(policy, options.peers.split(",")), options):
                rows.append(row)
                print(f"{row.metric} {vocabulary} {policy} {row.peer}", file=sys.stderr)
        rows += batch_rows(vocabulary, options.repeats)
    print(table(rows))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(
            json.dumps({"machine": machine(), "rows": [r.to_json() for r in rows]}, indent=1) + "\n"
        )
        write_plots(rows, options.json.parent)


def machine() -> dict[str, object]:
    """What it ran on."""
    versions = {name: c.version for name, c in CONTENDERS.items() if c.version}
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cores": os.cpu_count(),
        "processor": platform.processor() or platform.machine(),
        "versions": versions,
    }


def _able(policy: str, peers: Sequence[str]) -> list[str]:
    """The peers that policies of this size are tried on: the others take minutes to say that they cannot."""
    able = {"ko": PEERS, "ko+regions": ("xgrammar", "llguidance"), "ko+100": ("llguidance", "resklogits")}
    return [peer for peer in peers if peer in able.get(policy, ("resklogits",))]


def _all(vocabulary: str, policy: str, peers: Sequence[str], options: argparse.Namespace) -> Iterator[Row]:
    yield from cold_rows(vocabulary, policy, peers, options.processes)
    yield from warm_rows(vocabulary, policy, peers, options.steps, options.repeats)


# --- cold: fresh processes -------------------------------------------------------------------------------------------

_COLD = {
    "setup": ("ms", 1e3, ("prepare",)),
    "compile": ("ms", 1e3, ("compile", "first")),
    "compile-again": ("ms", 1e3, ("again",)),
    "ready": ("ms", 1e3, ("prepare", "compile", "first")),
    "memory": ("MB", 1e-6, ("held",)),
    "memory-peak": ("MB", 1e-6, ("peak",)),
}
"""Metric to unit, factor, and the figures that it is the sum of; the least of all processes counts."""


def cold_rows(vocabulary: str, policy: str, peers: Sequence[str], processes: int) -> Iterator[Row]:
    """Set-up, compilation and memory."""
    names = ["langc", *(p for p in peers if CONTENDERS[p].version is not None)]
    found: dict[str, list[cold.Cold]] = {name: [] for name in names}
    for _ in range(processes):
        for name in names:
            if not any("cannot" in earlier for earlier in found[name]):
                found[name].append(cold.measured(name, vocabulary, policy))
    for metric, (unit, factor, parts) in _COLD.items():
        ours = _least(found["langc"], parts, factor)
        for name in names[1:]:
            its = _least(found[name], parts, factor)
            note = next((str(f["cannot"]) for f in found[name] if "cannot" in f), None)
            if ours is not None:
                yield Row(metric, vocabulary, policy, ours, name, its, unit, note=note)
    loaded, ready = (_least(found["langc"], parts, 1e3) for parts in (("load",), _COLD["ready"][2]))
    if loaded is not None:
        yield Row("load", vocabulary, policy, loaded, "langc, ready", ready, "ms")


def _least(runs: Sequence[cold.Cold], parts: Sequence[str], factor: float) -> float | None:
    sums = [sum(float(run[p] or 0) for p in parts) for run in runs if all(run.get(p) is not None for p in parts)]
    return factor * min(sums) if sums else None


# --- warm: one text, in turn -----------------------------------------------------------------------------------------


def warm_rows(vocabulary: str, policy: str, peers: Sequence[str], steps: int, repeats: int) -> Iterator[Row]:
    """Mask, advance, apply and the whole step, on the same text."""
    tokens = subjects.vocabulary(vocabulary)
    ids = subjects.walk(tokens, subjects.policy(policy), steps)
    dense = _is_dense(Matcher(subjects.policy(policy), tokens), ids)
    sessions, reasons = _sessions(["langc", FLOOR, *peers], vocabulary, policy)
    yield from _worst_rows(vocabulary, policy, sessions, reasons, peers, ids)
    for session in sessions.values():
        session.prepare()
    for metric, chosen, functions in _metrics(dense):
        walks = [_walk(session, ids, functions) for session in sessions.values()]
        times = dict(zip(sessions, timing.in_turn(walks, repeats), strict=True))
        ours = timing.summary(times["langc"], chosen)
        for name in [FLOOR, *peers]:
            its = timing.summary(times[name], chosen) if name in times else None
            if name != FLOOR or "step" in metric or "apply" in metric:
                yield _warm_row(metric, vocabulary, policy, ours, name, its, reasons.get(name))


def _worst_rows(
    vocabulary: str,
    policy: str,
    sessions: dict[str, Session],
    reasons: dict[str, str],
    peers: Sequence[str],
    ids: Sequence[int],
) -> Iterator[Row]:
    """The slowest step of the text, and of all places, where nothing is remembered of any."""
    found = places.places(subjects.vocabulary(vocabulary), policy)
    times = places.in_rounds(sessions, ids, found)
    for number, (metric, count) in enumerate((("worst-step", len(ids)), ("worst-place", len(found)))):
        ours = timing.summary(times["langc"][number])
        for name in [FLOOR, *peers]:
            its = timing.summary(times[name][number]) if name in times else None
            note = reasons.get(name) or f"of {count}; langc's p50: {ours.p50:.0f} µs"
            values = (ours.worst, name, its.worst if its else None, "µs", ours.p99, ours.worst)
            theirs = (its.p99 if its else None, its.worst if its else None)
            yield Row(metric, vocabulary, policy, *values, *theirs, ours.spread, note)


def _metrics(dense: np.ndarray) -> Iterator[tuple[str, np.ndarray | None, tuple[str, ...]]]:
    """The name, the steps that count, and what is timed in each."""
    yield "mask", None, ("mask",)
    yield "advance", None, ("advance",)
    for name, chosen in (("dense", dense), ("sparse", ~dense)):
        if chosen.any():
            yield f"apply-{name}", chosen, ("apply",)
            yield f"step-{name}", chosen, ("advance", "mask", "apply")


def _walk(session: Session, ids: Sequence[int], functions: tuple[str, ...]) -> timing.Walk:
    def run() -> timing.Microseconds:
        session.reset()
        if functions[0] == "advance":
            return timing.steps(ids, session.advance, *(getattr(session, f) for f in functions[1:]))
        before = (session.mask,) if functions == ("apply",) else ()
        return timing.calls(ids, session.advance, before, getattr(session, functions[0]))

    return run


def _sessions(names: Sequence[str], vocabulary: str, policy: str) -> tuple[dict[str, Session], dict[str, str]]:
    """Those that can, and why the others cannot."""
    found: dict[str, Session] = {}
    reasons: dict[str, str] = {}
    for name in names:
        contender: Contender = CONTENDERS[name]
        if contender.version is None:
            reasons[name] = "not installed"
            continue
        try:
            tokens = subjects.vocabulary(vocabulary)
            source = contender.translate(subjects.policy(policy), tokens)
            found[name] = contender.prepare(tokens).compile(source)
        except CannotError as error:
            reasons[name] = str(error)
    return found, reasons


def _is_dense(matcher: Matcher, ids: Sequence[int]) -> np.ndarray:
    """bool [N]: whether half of all tokens may follow each token."""
    found = []
    for token in ids:
        matcher.advance(token)
        found.append(int(matcher.mask().sum()) * 2 >= matcher.rows)
    return np.array(found)


def _warm_row(
    metric: str,
    vocabulary: str,
    policy: str,
    ours: timing.Summary,
    name: str,
    its: timing.Summary | None,
    note: str | None,
) -> Row:
    return Row(
        metric,
        vocabulary,
        policy,
        ours.p50,
        name,
        its.p50 if its else None,
        "µs",
        ours.p99,
        ours.worst,
        its.p99 if its else None,
        its.worst if its else None,
        ours.spread,
        note or f"langc's first: {ours.first:.0f} µs",
    )


if __name__ == "__main__":
    main()
