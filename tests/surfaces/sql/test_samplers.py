"""What adversarial samplers write in real vocabularies, judged by SQLite. `make ghosts` writes thousands."""

from __future__ import annotations

import pytest

from tests.surfaces.arms import SAMPLES, VOCABULARIES, Judged, Record, check_closed, check_open, vocabulary
from tests.surfaces.samplers import Sampler
from tests.surfaces.sql.judge import Judge
from tests.surfaces.sql.samples import SCHEMAS
from tests.surfaces.sql.walks import engine

pytestmark = [pytest.mark.engines, pytest.mark.slow]
CHOSEN = ("shop", "log", "odd", "app")
NAMES = ("Table", "Column", "Function", "Source", "Result", "Collation", "Window")
"""The sorts that are open in the other arm; places of results and strings are no names."""
GHOSTS = (b"title", b"usr", b"nmae", b"prodct", b"T9", b"count_all", b"customer", b"lenght", b"total_price", b"names")
VALUES = (b"1", b"0", b"2", b"7.5", b"'x'", b"'%a'", b"''", b'"Oslo"', b"t1", b"n", b"total", b"x y")


def _sampler(vocabulary_name: str, schema: str, opened: tuple[str, ...] = ()) -> Sampler:
    return Sampler(engine(SCHEMAS[schema], opened), vocabulary(vocabulary_name), GHOSTS, VALUES, seed=SAMPLES)


def _fault(judge: Judge) -> Judged:
    def fault(text: str) -> str | None:
        found = judge.fault(text)
        return None if found is None else f"{found.kind}: {found.message}"

    return fault


def _ghost(judge: Judge) -> Judged:
    def ghost(text: str) -> str | None:
        found = judge.fault(text)
        return None if found is None or found.kind != "ghost" else found.message

    return ghost


@pytest.mark.parametrize("schema", CHOSEN)
@pytest.mark.parametrize("name", VOCABULARIES)
def test_no_sampler_writes_what_sqlite_refuses(name: str, schema: str, record_property: Record) -> None:
    """No name that is not there, no dead end, and nothing else that SQLite refuses before it runs a statement."""
    fault, count = _fault(Judge(SCHEMAS[schema])), max(SAMPLES // 3, 25)
    check_closed(f"sql over {schema}, {name}", _sampler(name, schema), count, fault, record_property)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_with_open_names_most_texts_have_ghosts(name: str, record_property: Record) -> None:
    """The same samplers and the same judge, over the same grammar: it is Γ that keeps the names right."""
    ghost = _ghost(Judge(SCHEMAS["shop"]))
    check_open(f"sql with open names, {name}", _sampler(name, "shop", NAMES), ghost, record_property)
