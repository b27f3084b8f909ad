"""Columns that USING and NATURAL make one of two: what is read is what SQLite prepares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.masks.tables import SurfaceTables
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.examples import examples
from tests.surfaces.sql import walks
from tests.surfaces.sql.judge import Judge

Schema = Mapping[str, Sequence[str]]
SCHEMAS: Sequence[Schema] = (
    {"a": ("id", "x"), "b": ("id", "y"), "c": ("id", "y", "z")},
    {"a": ("x", "y"), "b": ("y", "z"), "c": ("z", "x")},
    {"a": ("id",), "b": ("id", "x"), "c": ("id", "x", "y")},
)
INNER = (", {}", " JOIN {}", " LEFT JOIN {}", " NATURAL JOIN {}", " JOIN {} USING ({})", " JOIN {} USING ({})")
OUTER = (
    *INNER,
    " FULL JOIN {}",
    " RIGHT JOIN {} USING ({})",
    " FULL JOIN {} USING ({})",
    " FULL JOIN {} ON 1",
    " JOIN {} ON 1",
)
SEEDS = st.integers(0, 1 << 32).map(Random)


def created(schema: Schema) -> str:
    """A schema in SQL."""
    return "".join(f"CREATE TABLE {table} ({', '.join(columns)});" for table, columns in schema.items())


engine = lru_cache(walks.engine)
judge = lru_cache(Judge)


def written(schema: Schema, joins: Sequence[str], random: Random) -> str:
    """SELECT over a few tables, or what stands for them, joined in any way, be that right or wrong.

    USING of a column that two tables before it have, and have not merged, is left out: SQLite takes the first one.
    """
    columns = sorted({column for own in schema.values() for column in own})
    some = random.sample(columns, random.randint(1, len(columns)))
    source, own = _source(schema, "s", random)
    text, owners = f"SELECT {', '.join(some)} FROM {source}", Counter(own)
    for place in range(random.randrange(4)):
        source, own = _source(schema, f"s{place}", random)
        likely = sorted(own & set(owners)) if random.random() < 0.7 else columns
        shared = [c for c in random.sample(likely, random.randint(0, min(2, len(likely)))) if owners[c] < 2]
        join = random.choice(joins)
        if "USING" not in join or shared:
            text += join.format(source, ", ".join(shared))
            merged = shared if "USING" in join else set(owners) if "NATURAL" in join else ()
            owners.update(own - set(merged))
    for clause in ("WHERE", "GROUP BY", "ORDER BY"):
        if random.random() < 0.3:
            text += f" {clause} {random.choice(columns)}"
    return text


def _source(schema: Schema, name: str, random: Random) -> tuple[str, set[str]]:
    table = random.choice(list(schema))
    if random.random() < 0.8:
        return f"{table} {name}", set(schema[table])
    columns = random.sample(schema[table], random.randint(1, len(schema[table])))
    return f"(SELECT {', '.join(columns)} FROM {table}) {name}", set(columns)


def both(schema: Schema, text: str) -> tuple[bool, bool]:
    """Whether it is read, and whether SQLite prepares it."""
    return walks.refused_at(engine(created(schema)), text) is None, judge(created(schema)).fault(text) is None


@settings(max_examples=examples(120), deadline=None)
@given(st.sampled_from(SCHEMAS), SEEDS)
def test_what_is_read_is_what_sqlite_prepares(schema: Schema, random: Random) -> None:
    """Without RIGHT, FULL and ON neither takes more than the other."""
    text = written(schema, INNER, random)
    read, prepared = both(schema, text)
    assert read == prepared, text


@settings(max_examples=examples(120), deadline=None)
@given(st.sampled_from(SCHEMAS), SEEDS)
def test_what_is_read_is_prepared(schema: Schema, random: Random) -> None:
    """With them SQLite prepares what is read, which may be less (docs/sql.md)."""
    text = written(schema, OUTER, random)
    read, prepared = both(schema, text)
    assert prepared or not read, text


@pytest.mark.parametrize("joins", [INNER, OUTER])
def test_some_of_it_is_right(joins: Sequence[str]) -> None:
    """Of what is written for the tests above, enough is read that merges columns of several tables."""
    random = Random(5)
    texts = ((schema, written(schema, joins, random)) for _ in range(100) for schema in SCHEMAS)
    merging = ((schema, text) for schema, text in texts if "USING" in text or "NATURAL" in text)
    assert sum(both(schema, text)[0] for schema, text in merging) > 15


# --- one by one ---

RIGHT = (
    "SELECT id, x, y FROM a JOIN b USING (id)",
    "SELECT id, x, y FROM a NATURAL JOIN b",
    "SELECT id, x, y, z FROM c NATURAL JOIN b NATURAL JOIN a",
    "SELECT id, x, y, z FROM a JOIN c USING (id) LEFT JOIN b USING (y, id)",
    "SELECT a.id, id, b.id, x, y FROM a JOIN b USING (id)",
    "SELECT id FROM a NATURAL JOIN b WHERE id > 1 GROUP BY id HAVING id > 2 ORDER BY id",
    "SELECT count(id) FROM a JOIN b USING (id) WHERE id > 1 ORDER BY id",
    "SELECT max(id + x + y) OVER (PARTITION BY id ORDER BY y) FROM a JOIN b USING (id)",
    "SELECT id, x, y FROM a FULL JOIN b USING (id)",
    "SELECT id, x, y FROM a JOIN (SELECT id, max(y) AS y FROM b GROUP BY id) USING (id)",
    "SELECT id, x FROM a JOIN (SELECT id, x FROM a JOIN b USING (id)) USING (x, id)",
    "WITH s AS (SELECT id, count(*) AS n FROM b GROUP BY id) SELECT id, x, n FROM a JOIN s USING (id)",
    "SELECT (SELECT id + x + y FROM a JOIN b USING (id)) FROM c",
    "SELECT z FROM c WHERE EXISTS (SELECT id, x, y FROM a JOIN b USING (id) WHERE id = c.id AND z)",
    "SELECT id, x, y FROM a JOIN b USING (id) UNION SELECT id, x, z FROM a JOIN c USING (id)",
    "INSERT INTO c SELECT id, x, y FROM a JOIN b USING (id)",
    "UPDATE a SET x = (SELECT id + x + y FROM a AS d JOIN b USING (id))",
)
WRONG = (
    "SELECT id, x, y FROM a JOIN b ON|",
    "SELECT id, x, y FROM a JOIN b|",
    "SELECT id, x, y FROM a, |b",
    "SELECT id, x, y FROM a LEFT JOIN b LEFT|",
    "SELECT id, x, z FROM a JOIN b USING (id)|",
    "SELECT id, x, z FROM a JOIN c USING (id|, x",
    "SELECT id, x, title |FROM a JOIN b USING (id)",
    "SELECT id, x, y FROM a CROSS JOIN b WHERE|",
)


@pytest.mark.parametrize("text", RIGHT)
def test_right_ones(text: str) -> None:
    """Written by people."""
    assert both(SCHEMAS[0], text) == (True, True)


@pytest.mark.parametrize("text", WRONG)
def test_wrong_ones(text: str) -> None:
    """Refused where they leave no way to an end."""
    before, after = text.split("|")
    refused = walks.refused_at(engine(created(SCHEMAS[0])), before + after)
    assert refused == len(before)


# --- ways to an end ---

ALIKE: Schema = {f"t{n}": ("id", "owner", f"k{n}", f"k{n + 1}") for n in range(40)}
BYTES = Vocabulary("bytes", (*(bytes((byte,)) for byte in range(256)), b""), {256: "<end>"}, frozenset({256}))
BEGUN = (
    (SCHEMAS[0], "SELECT id, x, y"),
    (SCHEMAS[0], "SELECT id, x, y FROM a JOIN b"),
    (SCHEMAS[0], "SELECT id, x, y, z FROM a FULL JOIN"),
    (SCHEMAS[0], "SELECT x, (SELECT id + x + y"),
    (ALIKE, "SELECT id, k0, k10, k20"),
    (ALIKE, "SELECT id, owner, k0, k5, k10, k15, k20, k25, k30, k35 FROM t7"),
)


@pytest.mark.parametrize(("schema", "text"), BEGUN)
def test_ways_home_merge_what_was_promised(schema: Schema, text: str) -> None:
    """They are found, and SQLite prepares where they lead."""
    start = engine(created(schema)).start
    here = start.run(text.encode())
    assert here is not None
    way = SurfaceTables(start, BYTES).homes.way(here).decode()
    assert both(schema, text + way) == (True, True), text + way
