"""Texts with a surface in their regions, against a reader: which are permitted, and that every beginning leads on."""

from __future__ import annotations

import random
from itertools import product

import pytest

from langc.compiler.surfaces.policed.joint import BYTES
from langc.compiler.surfaces.regions.tables import RegionTables
from langc.compiler.surfaces.regions.texts import stretches
from tests.surfaces.regions.referee import WORLDS


def _texts(pieces: tuple[str, ...], most: int, limit: int = 800) -> list[str]:
    """All short rows of pieces, and some longer ones."""
    rows = [row for size in range(most + 1) for row in product(pieces, repeat=size) if len(pieces) ** size <= limit]
    chance = random.Random(7)
    rows += [tuple(chance.choices(pieces, k=most + chance.randrange(3))) for _ in range(limit)]
    return sorted({"".join(row) for row in rows})


@pytest.mark.parametrize("name", WORLDS)
def test_what_is_permitted(name: str) -> None:
    """Every short text over an alphabet that hits the regions; and no beginning of a permitted one is refused."""
    world, pieces, most = WORLDS[name]
    counts = [0, 0]
    for text in _texts(pieces, most):
        expected = world.accepts(text)
        assert world.loaded.accepts(text) == expected, ascii(text)
        assert (world.loaded.refused_at(text) is None) == expected, ascii(text)
        counts[expected] += 1
    assert min(counts) >= 30, counts


@pytest.mark.parametrize("name", WORLDS)
def test_every_beginning_leads_on(name: str) -> None:
    """Before the character that a text is refused at there is a way on, to a permitted text."""
    world, pieces, most = WORLDS[name]
    tables = world.loaded.tables(BYTES)
    assert isinstance(tables, RegionTables)
    homes = tables.homes
    permitted = [text for text in _texts(pieces, most, 800) if world.accepts(text)]
    chance = random.Random(3)
    for text in _texts(pieces, most, 150):
        at = world.loaded.refused_at(text)
        beginning = text if at is None else text[:at]
        here = tables.here(tables.start).run(beginning.encode())
        assert here is not None
        whole = beginning + homes.way(here).decode()
        assert world.accepts(whole), ascii(whole)
    for text in chance.sample(permitted, min(60, len(permitted))):
        at = chance.randrange(len(text) + 1)
        assert world.loaded.refused_at(text[:at]) in (None, at), ascii(text[:at])


@pytest.mark.parametrize("name", WORLDS)
def test_what_stands_in_the_regions(name: str) -> None:
    """Where `check` looks for names."""
    world, pieces, most = WORLDS[name]
    contents = world.loaded.rules.contents if world.loaded.rules else None
    assert contents is not None
    for text in _texts(pieces, most, 300):
        if world.free.accepts(text):
            found = [text[begin:end] for begin, end in stretches(contents, text)]
            assert found == world.contents(text), ascii(text)
