"""The surface `sql` with rules of a house beside it: statements are replayed, written at random, judged by SQLite."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import langc
from langc.compiler.demo import TOKENIZER
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.policed.rules import PolicyRules
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.surfaces.masks.test_masks import SCHEMA
from tests.surfaces.sql.judge import Judge
from tests.surfaces.sql.walks import engine

HOUSES = {
    "words": 'policy words { deny phrase "drop", "delete", "update" { ignore case; boundary both word; } }',
    "comments": 'policy comments { deny phrase "--", "/*"; }',
    "table": 'policy table { deny phrase "concert" { ignore case; } }',
    "lower": "policy lower { deny [A-Z]; }",
    "korean": "policy korean { use ko; }",
}
STATEMENTS = (
    "select s.name, count(*) as n from singer as s where age > 20 and (country like 'k%' or \"song name\" is null)",
    "select name, age from singer where singer_id in (select max(singer_id) from singer) order by age",
    "insert into singer(name, age) values ('x', 1 + 2)",
)
REFUSED = {
    "words": ("DELETE FROM singer", ""),
    "comments": ("select name from singer -- x\n", "select name from singer "),
    "table": ("select theme from concert", "select theme "),
    "lower": ("select Name from singer", "select "),
    "korean": ("select '確' from singer", "select '"),
}


@cache
def vocabulary() -> Vocabulary:
    """A small byte pair encoding."""
    return langc.load_vocabulary(TOKENIZER)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> LoadedSurface:
    """The surface over two tables."""
    schema = tmp_path_factory.mktemp("names") / "schema.sql"
    schema.write_text(SCHEMA, encoding="utf-8")
    return langc.load_surface("sql", schema)


def spelled(text: str) -> list[int]:
    """A text in the longest tokens that fit."""
    data, found, tokens = text.encode(), [], vocabulary()
    while data:
        size = next(size for size in range(len(data), 0, -1) if tokens.ids_for_bytes(data[:size]))
        found.append(tokens.ids_for_bytes(data[:size])[0])
        data = data[size:]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("house", HOUSES)
def test_statements_that_obey_are_written(plain: LoadedSurface, house: str) -> None:
    """Each token of each is allowed where it stands, and so is the end."""
    matcher = plain.with_policy(langc.parse_policy(HOUSES[house])).matcher(vocabulary())
    for statement in STATEMENTS:
        matcher.reset()
        for token in spelled(statement):
            assert matcher.allows(token), (statement, vocabulary().token_bytes(token))
            assert matcher.advance(token)
        assert matcher.accepting


@pytest.mark.parametrize("house", HOUSES)
def test_statements_that_do_not_are_refused(plain: LoadedSurface, house: str) -> None:
    """Where no statement of both goes on: before the word is complete, if there is no other."""
    text, before = REFUSED[house]
    loaded = plain.with_policy(langc.parse_policy(HOUSES[house]))

    assert plain.accepts(text)
    assert loaded.refused_at(text) == len(before)


@pytest.mark.slow
@pytest.mark.parametrize("house", HOUSES)
def test_random_statements_are_of_both(plain: LoadedSurface, house: str) -> None:
    """Every text comes to an end, is permitted by the policy, and SQLite prepares it."""
    policy, tokens = langc.parse_policy(HOUSES[house]), vocabulary()
    judge = Judge(SCHEMA)
    made = plain.with_policy(policy).matcher(tokens).tables
    for seed in range(4):
        draw = random.Random(seed)
        matcher = SurfaceMatcher(plain.engine, tokens, max_tokens=24, tables=made)
        while not matcher.ended:
            ids = np.flatnonzero(matcher.mask()).tolist()
            ids = [token for token in ids if token not in tokens.eos_ids] or ids
            assert matcher.advance(draw.choice(ids))
        statement = b"".join(tokens.token_bytes(token) for token in matcher.ids).decode()
        assert policy.accepts(statement)
        assert judge.fault(statement) is None, statement


@pytest.mark.slow
@pytest.mark.parametrize("others", ["TABLE orders (id)", "TABLE a (id)", "VIEW vv AS SELECT 1 AS x"])
def test_a_budget_that_is_far_off_takes_nothing_away(others: str) -> None:
    """Other tables than the one that owns the column are no way to an end, however short their names are."""
    ready = engine(f"CREATE TABLE customers (id INT, name TEXT); CREATE {others};")
    policy = langc.parse_policy("policy p { deny [\\n]; }")
    one = LoadedSurface(ready.surface, ready.environment, {}, PolicyRules(policy))
    ids = spelled("SELECT name FROM customers")
    matcher = one.matcher(vocabulary(), max_tokens=len(ids) + 50)
    for token in ids:
        assert matcher.allows(token)
        assert matcher.advance(token)
    assert matcher.accepting


def test_the_file_of_the_surface_with_a_policy(plain: LoadedSurface, tmp_path: Path) -> None:
    """It is read again, and refuses what the policy refuses."""
    house = plain.with_policy(langc.parse_policy(HOUSES["table"]))
    (tmp_path / "house.json").write_bytes(langc.compile(house, "processor").content)
    again = langc.load_surface(tmp_path / "house.json")

    assert again.digest == house.digest
    assert again.accepts(STATEMENTS[1])
    assert again.refused_at(REFUSED["table"][0]) == house.refused_at(REFUSED["table"][0])
