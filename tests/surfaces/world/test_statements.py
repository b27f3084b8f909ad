"""Statements that are written by what the world offers: SQLite finds every name in them, and each exactly once."""

from __future__ import annotations

import sqlite3
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.world.world import World
from tests.examples import examples
from tests.surfaces.world.tables import SURFACE, Writer, environment

NAMES = ("a", "b", "c", "d", "e", "id", "k")
TABLES = ("t", "u", "v", "w", "x")


def schema_of(random: Random) -> dict[str, list[str]]:
    """Tables that share columns."""
    names = random.sample(NAMES, random.randint(3, len(NAMES)))
    chosen = TABLES[: random.randint(1, len(TABLES))]
    return {table: random.sample(names, random.randint(1, min(4, len(names)))) for table in chosen}


def fault(schema: dict[str, list[str]], statement: str) -> str | None:
    """What SQLite says of a statement."""
    with sqlite3.connect(":memory:") as database:
        for table, columns in schema.items():
            database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        try:
            database.execute(f"EXPLAIN {statement}")
        except sqlite3.Error as error:
            return str(error)
    return None


def written(seed: int) -> tuple[dict[str, list[str]], str]:
    """A schema and a statement over it."""
    random = Random(seed)
    schema = schema_of(random)
    writer = Writer(World.root(SURFACE, environment(schema)), random)
    return schema, writer.statement()


@settings(max_examples=examples(150), deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.integers(0, 1 << 32))
def test_sqlite_prepares_what_is_written(seed: int) -> None:
    """The writer raises where something was offered and there is no way on."""
    schema, statement = written(seed)
    assert fault(schema, statement) is None, (statement, schema)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(14_000, 18_000, 1_000))
def test_sqlite_prepares_very_many(start: int) -> None:
    """The same, with seeds that are always these."""
    for seed in range(start, start + 1_000):
        schema, statement = written(seed)
        assert fault(schema, statement) is None, (seed, statement, schema)


def test_the_statements_are_of_many_kinds() -> None:
    """So that the others test something."""
    text = " ".join(written(seed)[1] for seed in range(400))
    kinds = ("WITH", "UNION", "NATURAL JOIN", "USING", "LEFT JOIN", "ON", "GROUP BY", "ORDER BY", ". *", "( SELECT")
    assert all(text.count(kind) > 20 for kind in kinds)


@pytest.mark.parametrize("seed", [14_489, 15_651])
def test_an_outer_column_is_no_result_to_order_by(seed: int) -> None:
    """`… (SELECT x UNION SELECT … ORDER BY x)` with an x of the outer query: SQLite finds no result of that name."""
    schema, statement = written(seed)
    assert fault(schema, statement) is None, (statement, schema)


def test_the_judge_judges() -> None:
    """SQLite refuses what is wrong with names."""
    schema = {"t": ["a", "b"], "u": ["b", "c"]}
    assert fault(schema, "SELECT a, c FROM t, u") is None
    assert "ambiguous" in (fault(schema, "SELECT b FROM t, u") or "")
    assert "no such column" in (fault(schema, "SELECT z FROM t, u") or "")
