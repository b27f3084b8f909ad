"""The surface `sql`, judged by SQLite: what people write can be written, and what can be written is accepted."""

from __future__ import annotations

import random
import re
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.syntax import read_surfaces
from tests.examples import examples
from tests.surfaces.sql import samples, walks
from tests.surfaces.sql.judge import Fault, Judge, kind_of

TASTES = ("any", "ghosts", "long", "short", "bytes")
GOLD = samples.statements("gold")
GHOSTS = samples.statements("ghosts")
UNDER = samples.statements("under")
EVERY = 9
"""Of the samples, one in so many is read by the fast tests."""

engine = lru_cache(walks.engine)
judge = lru_cache(Judge)


@lru_cache
def _keywords() -> tuple[str, ...]:
    literals = set(re.findall(r'"([A-Z_]+)"', walks.POLICY.read_text(encoding="utf-8")))
    return tuple(sorted(literals - {"ADD", "ALTER", "CREATE", "DROP", "PRIMARY", "UNIQUE"}))


def _walk(ready: Engine, seed: int, taste: str, length: int) -> str | None:
    words = walks.words(ready.environment, _keywords())
    walker = walks.Walker(ready, words, random.Random(seed))
    return walker.by_bytes(length * 3) if taste == "bytes" else walker.by_words(length, taste)


# --- what people write ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("schema", "text"), [*GOLD, *UNDER])
def test_samples_are_what_sqlite_accepts(schema: str, text: str) -> None:
    """What people write, and what is documented as missing, is SQL."""
    assert judge(samples.SCHEMAS[schema]).fault(text) is None


@pytest.mark.parametrize(("schema", "text"), GHOSTS)
def test_ghosts_are_what_sqlite_refuses(schema: str, text: str) -> None:
    """A statement with a ghost is none."""
    assert judge(samples.SCHEMAS[schema]).fault(text.translate(_NO_MARKS)) is not None


def _read(schema: str, text: str) -> None:
    refused = walks.refused_at(engine(samples.SCHEMAS[schema]), text)
    assert refused is None, f"{text.encode()[:refused].decode(errors='replace')}¦"


def _refused(schema: str, text: str) -> None:
    before, rest = text.split("‹")
    ghost, after = rest.split("›")
    refused = walks.refused_at(engine(samples.SCHEMAS[schema]), before + ghost + after)
    assert refused is not None
    assert len(before.encode()) <= refused <= len((before + ghost).encode())


@pytest.mark.parametrize(("schema", "text"), GOLD[::EVERY])
def test_people_can_write_some_statements(schema: str, text: str) -> None:
    """Every ninth sample can be written."""
    _read(schema, text)


@pytest.mark.parametrize(("schema", "text"), GHOSTS[::EVERY])
def test_some_ghosts_are_refused_where_they_stand(schema: str, text: str) -> None:
    """Every ninth ghost cannot be written."""
    _refused(schema, text)


@pytest.mark.slow
@pytest.mark.parametrize(("schema", "text"), GOLD)
def test_people_can_write_statements(schema: str, text: str) -> None:
    """All samples can be written."""
    _read(schema, text)


@pytest.mark.slow
@pytest.mark.parametrize(("schema", "text"), GHOSTS)
def test_ghosts_are_refused_where_they_stand(schema: str, text: str) -> None:
    """No ghost can be written."""
    _refused(schema, text)


@pytest.mark.parametrize(("schema", "text"), UNDER)
def test_what_is_documented_as_missing_is_missing(schema: str, text: str) -> None:
    """The list of what is not offered is no longer than it has to be."""
    assert walks.refused_at(engine(samples.SCHEMAS[schema]), text) is not None


def test_a_comment_may_end_a_line() -> None:
    """Comments to the end of a line go to its end."""
    ready = engine(samples.SCHEMAS["log"])
    text = "SELECT repo -- the name\nFROM sessions -- all\n;\n-- done\n"
    assert walks.refused_at(ready, text) is None
    assert judge(samples.SCHEMAS["log"]).fault(text) is None


def test_a_statement_ends_only_when_every_column_has_its_table() -> None:
    """Columns before FROM are promises that FROM has to keep."""
    ready = engine(samples.SCHEMAS["log"])
    assert walks.refused_at(ready, "SELECT title FROM sessions") == len("SELECT title ")
    joined = "SELECT session_id FROM sessions"
    assert walks.refused_at(ready, joined) == len(joined)
    assert walks.refused_at(ready, f"{joined}, turns") is None
    assert walks.refused_at(ready, "SELECT session_id FROM turns") is None


@pytest.mark.parametrize("begun", ["INSERT", "INSERT OR REPLACE", "REPLACE", "UPDATE", "UPDATE OR ABORT", "DELETE"])
def test_no_statement_is_begun_that_cannot_be_ended(begun: str) -> None:
    """Views alone take no change: the first word is refused, not the last one before the name that is missing."""
    ready = engine("CREATE VIEW v AS SELECT 1 AS a;")
    assert walks.refused_at(ready, f"{begun} ") == 0
    assert walks.refused_at(ready, "SELECT a FROM v") is None


@pytest.mark.parametrize("row", ["1", "1, 2", "*"])
def test_all_columns_of_a_table_that_may_be_any_are_of_no_number(row: str) -> None:
    """With names open nothing is known of them, so what is joined to them may have any number."""
    ready = engine(samples.SCHEMAS["log"], ("Table", "Column", "Source"))
    assert walks.refused_at(ready, f"SELECT * FROM a NATURAL JOIN b UNION ALL SELECT {row} FROM c") is None


@pytest.mark.parametrize("count", range(8))
def test_a_source_without_columns_is_not_named_before_a_dot(count: int) -> None:
    """However many others there are, of which one might speak for all."""
    ready = engine("CREATE TABLE users (id, name);")
    others = "".join(f", users AS u{number}" for number in range(count))
    begun = f"SELECT 1 FROM users AS u, (SELECT 0) AS kk{others} WHERE "
    assert walks.refused_at(ready, f"{begun}kk.id") == len(begun)
    assert walks.refused_at(ready, f"{begun}u.id") is None


# --- what can be written --------------------------------------------------------------------------------------------


def _judged(schema: str, seed: int, taste: str, length: int) -> Fault | None:
    text = _walk(engine(samples.SCHEMAS[schema]), seed, taste, length)
    return None if text is None else judge(samples.SCHEMAS[schema]).fault(text)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32), taste=st.sampled_from(TASTES), length=st.integers(1, 15))
def test_what_can_be_written_is_accepted(seed: int, taste: str, length: int) -> None:
    """SQLite accepts what walks write over a small schema."""
    assert _judged("log", seed, taste, length) is None


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    schema=st.sampled_from(sorted(samples.SCHEMAS)),
    seed=st.integers(0, 1 << 32),
    taste=st.sampled_from(TASTES),
    length=st.integers(1, 40),
)
def test_what_can_be_written_over_any_schema_is_accepted(schema: str, seed: int, taste: str, length: int) -> None:
    """SQLite accepts what long walks write over all schemas."""
    assert _judged(schema, seed, taste, length) is None


FAULTS = {
    "ambiguous": ("ref(Column, in Select.*, unique, defer)", "ref(Column, in Select.*, defer)", "shop"),
    "count": ("selected(want = last, feeds = no, ", "selected(want = no, feeds = no, ", "log"),
    "ghost": ("c=ref(Column, in Select.*, unique, defer)", "c=open(Column)", "log"),
}
"""A guard, what is left without it, and a schema over which that shows."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAULTS)
def test_the_judge_sees_a_fault_of_the_surface(kind: str) -> None:
    """With a guard less, walks write what SQLite refuses: the tests above can fail."""
    text = walks.POLICY.read_text(encoding="utf-8")
    right, wrong, name = FAULTS[kind]
    assert right in text
    surface, schema = read_surfaces(Source.of("faulty", text.replace(right, wrong)))["sql"], samples.SCHEMAS[name]
    ready = Engine(surface, engine(schema).environment)
    texts = (_walk(ready, seed, "any", 12) for seed in range(600))
    found = (judge(schema).fault(text) for text in texts if text is not None)
    assert any(fault is not None and fault.kind == kind for fault in found)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("no such column: x", "ghost"),
        ("no such table: t", "ghost"),
        ("table t has no column named x", "ghost"),
        ("cannot join using column a - column not present in both tables", "ghost"),
        ("ambiguous column name: a", "ambiguous"),
        ("misuse of aggregate: count()", "aggregate"),
        ("wrong number of arguments to function abs()", "arguments"),
        ("1st ORDER BY term out of range - should be between 1 and 1", "term"),
        ("sub-select returns 2 columns - expected 1", "count"),
        ("table t has 3 columns but 2 values were supplied", "count"),
        ('near "x": syntax error', "syntax"),
        ("parser stack overflow", "other"),
    ],
)
def test_kinds_of_messages(message: str, kind: str) -> None:
    """Messages of SQLite by kind."""
    assert kind_of(message) == kind


_NO_MARKS = str.maketrans("", "", "‹›")
