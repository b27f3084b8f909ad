"""The agreement run: `python -m tests.agreement.run`, or `make agreement`.

Invariant: the exit code is 0 only if nothing is unexplained and, on a whole run, every bar of `plan.py` is reached.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from langc.compiler.version import VERSION
from tests.agreement.plan import LEAST_MASKS, LEAST_POLICIES, MASKS, REFUSES, SEATS, Job, jobs, least
from tests.agreement.policies import cases
from tests.agreement.tally import Row, Tally, Totals
from tests.agreement.vocabularies import REAL, TOYS
from tests.agreement.work import work

_MOST_PROBLEMS = 20
_EVERY = 100
"""Jobs between two lines of progress, where there is no terminal for a bar."""


def main(arguments: list[str] | None = None) -> int:
    """Run, print, and say whether all is well."""
    options = _options(arguments)
    console = Console(width=None if sys.stdout.isatty() else 140)
    chosen = list(jobs(options.share, tuple(options.vocabularies)))
    before = time.perf_counter()
    totals = run(chosen, options.workers, console)
    seconds = time.perf_counter() - before
    is_whole = options.share == 1 and set(options.vocabularies) == {*REAL, *TOYS}
    short = list(shortfalls(totals)) if is_whole else []
    console.print(table(totals))
    _say(console, totals, short, seconds)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(to_json(totals, short, seconds), indent=1) + "\n", encoding="utf-8")
    return int(bool(totals.unexplained or short))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare the masks of all engines over all vocabularies.")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="one policy in N (default: all)")
    parser.add_argument("--vocabularies", nargs="+", choices=(*REAL, *TOYS), default=[*REAL, *TOYS])
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    return parser.parse_args(arguments)


def run(chosen: list[Job], workers: int, console: Console) -> Totals:
    """All jobs, in this process or in a few that give way to others."""
    totals = Totals()
    with _progress(console) as progress:
        bar = progress.add_task("", total=len(chosen))
        found = map(work, chosen) if workers == 1 else _in_processes(chosen, workers)
        for done, tallies in enumerate(found, start=1):
            totals.add(tallies)
            progress.update(bar, advance=1, description=_where(tallies))
            if not console.is_terminal and done % _EVERY == 0:
                console.print(f"{done:,} of {len(chosen):,} jobs: {totals.masks:,} masks", highlight=False)
    return totals


def _in_processes(chosen: list[Job], workers: int) -> Iterator[list[Tally]]:
    """Raises BrokenProcessPool if an engine takes its process with it."""
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin) as pool:
        for done in as_completed([pool.submit(work, job) for job in chosen]):
            yield done.result()


def _begin() -> None:
    os.nice(5)


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal)


def _where(tallies: list[Tally]) -> str:
    return f"{tallies[0].kind}: {tallies[0].vocabulary}" if tallies else ""


def shortfalls(totals: Totals) -> Iterator[str]:
    """What a whole run was to reach and did not."""
    if totals.masks < LEAST_MASKS:
        yield f"{totals.masks:,} masks, not {LEAST_MASKS:,}"
    if len(totals.policies) < LEAST_POLICIES:
        yield f"{len(totals.policies)} policies, not {LEAST_POLICIES}"
    for seat in SEATS:
        for name in (*TOYS, *REAL):
            found = totals.rows.get((MASKS, seat.name, name), Row()).prefixes
            if found < least(seat.name, name):
                yield f"{seat.name} over {name}: {found:,} prefixes, not {least(seat.name, name):,}"


def table(totals: Totals) -> Table:
    """A row for each engine and vocabulary."""
    made = Table("comparison", "engine", "vocabulary", title=f"langc {VERSION}: agreement", title_justify="left")
    for heading in ("policies", "masks", "texts", "languages", "seconds", "unexplained"):
        made.add_column(heading, justify="right")
    made.add_column("masks with known faults of the engine; refused")
    for (kind, engine, name), row in sorted(totals.rows.items()):
        counts = (row.policies, row.prefixes, row.texts, row.languages, round(row.seconds), row.unexplained)
        made.add_row(kind, engine, name, *(f"{n:,}" if n else "-" for n in counts), _remarks(row))
    return made


def _remarks(row: Row) -> str:
    faults = [f"{name} {count:,}" for name, count in sorted(row.faults.items())]
    refused = [f"refused: {count} ({reason})" for reason, count in sorted(row.refused.items())]
    return "; ".join([*faults, *refused])


def _say(console: Console, totals: Totals, short: list[str], seconds: float) -> None:
    for tally in totals.problems[:_MOST_PROBLEMS]:
        case = next(c for c in cases() if c.name == tally.case)
        where = f"{tally.kind}, {tally.engine} over {tally.vocabulary}, {tally.case}"
        console.print(f"{where}: {tally.problem}", markup=False, style="red")
        console.print(case.text, markup=False)
    for line in short:
        console.print(f"short of the bar: {line}", markup=False, style="red")
    languages, texts = (sum(getattr(r, what) for r in totals.rows.values()) for what in ("languages", "texts"))
    console.print(
        f"{totals.masks:,} whole masks, {languages:,} languages and {texts:,} texts of {len(totals.policies)} policies "
        f"compared in {seconds / 60:.1f} minutes; {totals.unexplained:,} unexplained differences",
        highlight=False,
    )


def to_json(totals: Totals, short: list[str], seconds: float) -> dict[str, object]:
    """The figures."""
    return {
        "langc": VERSION,
        "policies": len(totals.policies),
        "comparisons": totals.masks,
        "unexplained": totals.unexplained,
        "short": short,
        "seconds": round(seconds),
        "rows": [
            {
                "comparison": kind,
                "engine": engine,
                "vocabulary": name,
                "policies": row.policies,
                "masks": row.prefixes,
                "texts": row.texts,
                "languages": row.languages,
                "seconds": round(row.seconds, 1),
                "unexplained": row.unexplained,
                "faults": dict(sorted(row.faults.items())),
                "refused": dict(sorted(row.refused.items())),
                "may refuse": (engine, name) in REFUSES,
            }
            for (kind, engine, name), row in sorted(totals.rows.items())
        ],
        "problems": [[t.kind, t.engine, t.vocabulary, t.case, t.problem] for t in totals.problems],
    }


if __name__ == "__main__":
    sys.exit(main())
