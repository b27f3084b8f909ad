"""The step of a surface: SQL over databases of several sizes, on real vocabularies.

    python -m bench.surfaces [--vocabularies qwen-151k] [--tables 10 100] [--json FILE]

Statements are drawn with a fixed seed over made-up schemas. Half of them warm up what does not depend on the text; the
figures of `unseen` are of the other half, read for the first time, and those of `warm` of the same half read again.
What is measured is the thread's own time, so that a busy machine does not count; each step counts once. Garbage is not
collected meanwhile: a full collection by Python takes some 0.4 s beside a vocabulary, and comes once in some texts.

An event is a step that changes what is known of names: the byte behind the lexeme that does (a name that is taken or
declared, a scope that is opened). All that the step needs counts, the beginning of the next lexeme too, in statements
that were not read before, and no mask.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench.greedy import Greedy
from bench.subjects import VOCABULARIES, vocabulary
from bench.timing import without_collection
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.engine.parse import Point
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.environment.spelling import Spelling
from langc.compiler.surfaces.loaded import load_surface
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.model import Surface
from langc.compiler.tokens.vocabulary import Vocabulary

COLUMNS = 8
STATEMENTS = 24
WORDS = sorted(
    {"user", "order", "item", "price", "name", "date", "total", "city", "country", "type", "status", "value", "code"}
    | {"address", "phone", "email", "first", "last", "product", "category", "stock", "region", "amount", "quantity"}
    | {"score", "year", "month", "state", "level", "owner", "title", "author", "branch", "account"}
)
Row = dict[str, float | int | str]


def main() -> None:
    """Print a row for each vocabulary and each size, and write them with `--json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabularies", nargs="+", choices=list(VOCABULARIES), default=["qwen-151k"])
    parser.add_argument("--tables", nargs="+", type=int, default=[10, 100])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    surface = load_surface("sql", env=_schema_file()).surface
    rows = [names_row(surface, count) for count in (10_000, 100_000)]
    for name in options.vocabularies:
        for count in options.tables:
            tokens = vocabulary(name)
            with without_collection():
                rows.append(masks_row(surface, name, tokens, count))
    for row in rows:
        for key, value in row.items():
            print(f"{key:26} {value:>12,.1f}" if isinstance(value, float) else f"{key:26} {value:>12}")
        print()
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def names_row(surface: Surface, count: int) -> Row:
    """How long it takes until names can be offered, in milliseconds."""
    names = [f"{WORDS[n % len(WORDS)]}_{n}" for n in range(count)]
    start = time.thread_time_ns()
    group = Group.of(Entry(name, "Table") for name in names)
    group.names(Spelling.of(surface))
    return {"names": count, "load ms": _since(start) / 1_000}


def masks_row(surface: Surface, name: str, tokens: Vocabulary, tables: int) -> Row:
    """The steps over one database."""
    draw = random.Random(tables)
    environment = database(draw, tables)
    texts = [statement(draw, environment) for _ in range(STATEMENTS)]
    start = time.thread_time_ns()
    known = Engine(surface, environment)
    matcher = SurfaceMatcher(known, tokens)
    row: Row = {"vocabulary": name, "tables": tables, "build ms": _since(start) / 1_000}
    encode = Greedy(tokens).encode
    walks = [encode(text) for text in texts]
    half = len(walks) // 2
    first = read(matcher, walks[:1])
    row["first statement ms"] = float(sum(map(sum, first)) / 1_000)
    read(matcher, walks[1:half])
    for label, chosen in (("unseen", walks[half:]), ("warm", walks[half:])):
        for what, times in zip(("mask", "advance"), read(matcher, chosen), strict=True):
            row |= {f"{label} {what} {key}": value for key, value in percentiles(times).items()}
    engine = Engine(surface, environment)
    for text in texts[:half]:
        engine.start.run(text.encode())
    row |= {f"event {key}": value for key, value in percentiles(events(engine, known, texts[half:])).items()}
    return row


def read(matcher: SurfaceMatcher, walks: Sequence[Sequence[int]]) -> tuple[list[float], list[float]]:
    """The times of all masks and all advances, in microseconds."""
    masks, advances = [], []
    for walk in walks:
        matcher.reset()
        for token in walk:
            start = time.thread_time_ns()
            matcher.mask()
            masks.append(_since(start))
            start = time.thread_time_ns()
            assert matcher.advance(token)
            advances.append(_since(start))
    return masks, advances


def events(engine: Engine, other: Engine, texts: Sequence[str]) -> list[float]:
    """The times of the steps behind lexemes that change what is known, in microseconds; another engine tells which."""
    found = []
    for text in texts:
        config, beside = engine.start, other.start
        for byte in text.encode():
            is_event = _is_event(beside, byte)
            start = time.thread_time_ns()
            following = config.step(byte)
            took = _since(start)
            if is_event:
                found.append(took)
            known = beside.step(byte)
            assert following is not None
            assert known is not None
            config, beside = following, known
    return found


def _is_event(config: Config, byte: int) -> bool:
    if not config.lexeme.begun or config.lexeme.step(byte) is not None:
        return False
    return config.behind is not None and _worlds(config.behind) != _worlds(config.point)


def _worlds(point: Point) -> set[object]:
    return {thread.world for thread in point.kernel}


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """p50, p90, p99 and the worst."""
    p50, p90, p99 = np.percentile(times, (50, 90, 99)).tolist()
    return {"p50": p50, "p90": p90, "p99": p99, "max": max(times)}


def _since(start: int) -> float:
    return (time.thread_time_ns() - start) / 1_000


# --- what is read ---


def database(draw: random.Random, tables: int) -> Environment:
    """Tables of some columns each, some of which have names in common, and the functions of SQLite's core."""
    columns = {"_".join(draw.sample(WORDS, draw.choice((1, 2)))) for _ in range(tables * COLUMNS)}
    ordered = sorted(columns)
    made = []
    for number in range(tables):
        own = Group.of_names("Column", [f"id_{number}", *sorted(draw.sample(ordered, COLUMNS))])
        made.append(Entry(f"{draw.choice(WORDS)}_{number}", "Table", members={"Column": own}))
    count = Entry("count", "Function", frozenset({"aggregate"}), {"least": 0, "most": 1})
    largest = Entry("max", "Function", frozenset({"aggregate"}), {"least": 1, "most": 1})
    return Environment("made", {"Table": Group.of(made), "Function": Group.of((count, largest))})


def statement(draw: random.Random, environment: Environment) -> str:
    """A statement over one or two tables."""
    one, two = draw.sample(list(environment.group("Table")), 2)
    form: Callable[[], str] = draw.choice((lambda: _plain(draw, one), lambda: _joined(draw, one, two)))
    return form()


def _plain(draw: random.Random, table: Entry) -> str:
    a, b, c = draw.sample([column.name for column in table.members["Column"]], 3)
    return (
        f"SELECT {a}, count(*) FROM {table.name} WHERE {b} = 'it''s {draw.choice(WORDS)}' "
        f"AND {c} > {draw.randrange(99)} GROUP BY {a} ORDER BY {a} DESC LIMIT {draw.randrange(1, 9)}"
    )


def _joined(draw: random.Random, one: Entry, two: Entry) -> str:
    a, b = (draw.choice([column.name for column in table.members["Column"]]) for table in (one, two))
    key, other = one.members["Column"].entries[0].name, two.members["Column"].entries[0].name
    return (
        f"SELECT x.{a}, max(y.{b}) AS most FROM {one.name} AS x JOIN {two.name} AS y ON x.{key} = y.{other} "
        f"WHERE x.{a} IS NOT NULL GROUP BY x.{a}"
    )


def _schema_file() -> Path:
    path = Path(__file__).parent.parent / "build" / "bench.sql"
    path.parent.mkdir(exist_ok=True)
    path.write_text("CREATE TABLE t (a INTEGER);\n")
    return path


if __name__ == "__main__":
    main()
