"""SQL in the blocks of an answer, under the tokens of a real model: every token spelled out, and walks to an end."""

from __future__ import annotations

import random
import sqlite3
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import langc
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.policed.joint import BYTES
from langc.compiler.surfaces.regions.spot import Spot
from langc.compiler.surfaces.regions.tables import RegionTables
from langc.compiler.surfaces.regions.texts import stretches
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.assets import qwen151k

pytestmark = [pytest.mark.engines, pytest.mark.slow]

POLICY = """
policy answer {
    use ko with {
        region query = fence "sql" { surface sql; }
        region code = fence { any }
    }
}
"""
SCHEMA = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL, placed TEXT);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, "first name" TEXT);
"""
TEXT = (
    "주문은 이렇게 셉니다:\n\n```sql\nSELECT o.id, count(*) AS n\nFROM orders AS o -- all\n"
    "WHERE o.placed LIKE '`x\n``%'\nGROUP BY o.id\n```\n\n```py\nprint('漢')\n```\n~~~ SQL 漢\n"
    'select "first name" from customers;\n~~~\n끝. 😀'
)
SAMPLED = 1_500
"""Tokens of each place that are spelled out, beside all that hold a line end or what blocks are closed with."""


@cache
def vocabulary() -> Vocabulary:
    """Of Qwen, with an end."""
    found = langc.load_vocabulary(qwen151k())
    return Vocabulary(found.name, (*found.tokens, b""), {}, frozenset((found.size,)))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedSurface:
    """The policy over two tables."""
    folder = tmp_path_factory.mktemp("names")
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    (folder / "answer.policy").write_text(POLICY, encoding="utf-8")
    return langc.load_surface(folder / "answer.policy", folder / "schema.sql")


@cache
def _looked_at() -> list[int]:
    tokens = enumerate(vocabulary().tokens)
    return [token for token, spelled in tokens if any(byte in spelled for byte in b"\n`~\r")]


def _allowed(tables: RegionTables, spot: Spot, tokens: list[int]) -> list[int]:
    behind = ((token, spot.run(vocabulary().tokens[token])) for token in tokens if vocabulary().tokens[token])
    return [token for token, after in behind if after is not None and tables.homes.lives(after)]


def test_masks_along_a_text(loaded: LoadedSurface) -> None:
    """Against the same text byte by byte, for all tokens that may be borders and many others."""
    tables = loaded.tables(BYTES)
    assert isinstance(tables, RegionTables)
    chance, data, matcher = random.Random(1), TEXT.encode(), loaded.matcher(vocabulary())
    spot: Spot | None = tables.here(tables.start)
    while data:
        assert spot is not None
        tokens = sorted({*_looked_at(), *chance.sample(range(vocabulary().size - 1), SAMPLED)})
        mask = matcher.mask()
        assert [token for token in tokens if mask[token]] == _allowed(tables, spot, tokens), data
        assert mask[vocabulary().size - 1] == spot.accepting
        sizes = [size for size in range(1, 24) if vocabulary().ids_for_bytes(data[:size]) and len(data) >= size]
        token = vocabulary().ids_for_bytes(data[: sizes[-1]])[0]
        assert matcher.advance(token)
        spot = spot.run(data[: sizes[-1]])
        data = data[sizes[-1] :]
    assert matcher.accepting
    assert loaded.accepts(TEXT)


def _step(matcher: SurfaceMatcher, chance: np.random.Generator) -> int:
    """Some allowed token: one of those that the places of queries have few of, or any."""
    allowed = np.flatnonzero(matcher.mask())
    assert allowed.size
    short = [token for token in allowed.tolist() if len(vocabulary().tokens[token]) > 2][:400]
    return int(chance.choice(short if short and chance.random() < 0.7 else allowed))


@pytest.mark.parametrize("seed", range(3))
def test_walks_come_to_an_end(loaded: LoadedSurface, seed: int) -> None:
    """From within a block, whatever is chosen: in time, and SQLite can prepare what stands in each block."""
    chance = np.random.default_rng(seed)
    matcher = loaded.matcher(vocabulary(), max_tokens=90)
    for opening in (b"```", b"sql", b"\n"):
        assert matcher.advance(vocabulary().ids_for_bytes(opening)[0])
    while not matcher.ended and matcher.remaining:
        assert matcher.advance(_step(matcher, chance))
    text = b"".join(vocabulary().tokens[token] for token in matcher.ids).decode()
    assert matcher.accepting or matcher.ended
    assert loaded.accepts(text), text
    contents = loaded.rules.contents if loaded.rules else None
    assert contents is not None
    blocks = stretches(contents, text)
    assert blocks
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA)
    for begin, end in blocks:
        assert "no such" not in _error(database, text[begin:end]), text


def _error(database: sqlite3.Connection, query: str) -> str:
    """What SQLite says against a statement; nothing if it can prepare it."""
    try:
        database.execute(f"EXPLAIN {query}")
    except sqlite3.Error as error:
        return str(error)
    return ""


def test_the_folder_of_a_policy_is_known(tmp_path: Path) -> None:
    """A ready surface is found from any file."""
    (tmp_path / "a.policy").write_text(POLICY, encoding="utf-8")
    assert langc.load_policy(tmp_path / "a.policy").lowered.surfaces == ("sql",)
