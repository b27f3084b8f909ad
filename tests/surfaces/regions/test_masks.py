"""Masks with a surface in the regions of a policy: against every token spelled out, and walks that come to an end."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.policed.joint import BYTES
from langc.compiler.surfaces.policed.rules import PolicyRules
from langc.compiler.surfaces.regions.spot import Spot
from langc.compiler.surfaces.regions.tables import RegionTables
from langc.compiler.tokens.budget import BudgetError
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.surfaces.regions.referee import WORLDS

pytestmark = pytest.mark.slow

names = st.sampled_from(sorted(WORLDS))
seeds = st.integers(0, 99_999)


@cache
def bytewise(name: str) -> RegionTables:
    """The tables of a world over single bytes, which `test_texts.py` judges."""
    tables = WORLDS[name][0].loaded.tables(BYTES)
    assert isinstance(tables, RegionTables)
    return tables


def vocabulary_of(pieces: tuple[str, ...], chance: random.Random) -> Vocabulary:
    """All bytes, and tokens of up to four pieces; some of them cut."""
    found = {bytes((byte,)) for byte in range(256)}
    for _ in range(60):
        text = "".join(chance.choices((*pieces, "\n", "```"), k=chance.randint(1, 4))).encode()
        begin = chance.randrange(2)
        found.add(text[begin:] or text)
    return Vocabulary("toy", (*sorted(found), b""), {}, frozenset((len(found),)))


def _allowed(tables: RegionTables, spot: Spot, vocabulary: Vocabulary) -> list[int]:
    """The tokens that can be read byte by byte to a place that leads on."""
    behind = ((token, spot.run(spelled)) for token, spelled in enumerate(vocabulary.tokens) if spelled)
    return [token for token, after in behind if after is not None and tables.homes.lives(after)]


def _written(matcher: SurfaceMatcher, vocabulary: Vocabulary) -> bytes:
    return b"".join(vocabulary.tokens[token] for token in matcher.ids)


@settings(max_examples=60, deadline=None)
@given(names, seeds)
def test_masks(name: str, seed: int) -> None:
    """Along random texts: the mask, `allows`, and the end."""
    world, pieces, _ = WORLDS[name]
    chance, tables = random.Random(seed), bytewise(name)
    vocabulary = vocabulary_of(pieces, chance)
    matcher = world.loaded.matcher(vocabulary)
    spot: Spot | None = tables.here(tables.start)
    eos = vocabulary.size - 1
    for _ in range(12):
        assert spot is not None
        mask = matcher.mask()
        expected = _allowed(tables, spot, vocabulary)
        assert np.flatnonzero(mask[:eos]).tolist() == expected, _written(matcher, vocabulary)
        assert bool(mask[eos]) == spot.accepting == matcher.accepting
        for token in chance.sample(range(eos), 20):
            assert matcher.allows(token) == mask[token]
        if not expected:
            break
        token = _some(expected, vocabulary, chance)
        assert matcher.advance(token)
        spot = spot.run(vocabulary.tokens[token])


def _some(tokens: list[int], vocabulary: Vocabulary, chance: random.Random) -> int:
    """One of some tokens, more often a long one than a byte that is no letter of these worlds."""
    wanted = [token for token in tokens if len(vocabulary.tokens[token]) > 1 or vocabulary.tokens[token] in _LETTERS]
    return chance.choice(wanted or tokens)


_LETTERS = tuple(bytes((byte,)) for byte in b"`~\n\r abqx,<>='")


@settings(max_examples=60, deadline=None)
@given(names, seeds)
def test_all_ways_to_cut_a_text(name: str, seed: int) -> None:
    """However a text is cut into tokens, it is permitted or not; and a step back and a fork change nothing."""
    world, pieces, most = WORLDS[name]
    chance = random.Random(seed)
    vocabulary = vocabulary_of(pieces, chance)
    first = world.loaded.matcher(vocabulary)
    for _ in range(25):
        text = "".join(chance.choices(pieces, k=most))
        matcher, data = first.fork(), text.encode()
        went_on = True
        while data and went_on:
            sizes = [size for size in range(1, len(data) + 1) if vocabulary.ids_for_bytes(data[:size])]
            size = chance.choice(sizes)
            token = vocabulary.ids_for_bytes(data[:size])[0]
            went_on = matcher.advance(token)
            if went_on and chance.random() < 0.3:
                matcher.rollback(1)
                assert matcher.advance(token)
            data = data[size:]
        assert (went_on and matcher.accepting) == world.accepts(text), ascii(text)


@settings(max_examples=40, deadline=None)
@given(names, seeds, st.booleans())
def test_texts_come_to_an_end(name: str, seed: int, is_eager: bool) -> None:
    """With a budget, whatever is chosen among what is allowed; and what was written is permitted."""
    world, pieces, _ = WORLDS[name]
    chance = random.Random(seed)
    vocabulary = vocabulary_of(pieces, chance)
    matcher = world.loaded.matcher(vocabulary, max_tokens=24)
    eos = vocabulary.size - 1
    for _ in range(25):
        allowed = np.flatnonzero(matcher.mask()).tolist()
        assert allowed, _written(matcher, vocabulary)
        others = [token for token in allowed if token != eos]
        if not others or (eos in allowed and not is_eager and chance.random() < 0.1):
            assert matcher.advance(eos)
            break
        assert matcher.advance(_some(others, vocabulary, chance))
    text = _written(matcher, vocabulary)
    assert matcher.ended, text
    assert world.accepts(text.decode(errors="strict")), text


def test_a_budget_counts_what_closes_a_region() -> None:
    """A token is refused where the rest of the block has no room behind it."""
    matcher = WORLDS["blocks that must close"][0].loaded.matcher(BYTES, max_tokens=12)
    for byte in b"```q\na  ":
        assert matcher.advance(byte)
    assert matcher.remaining == 4  # a line end and three backticks
    assert np.flatnonzero(matcher.mask()).tolist() == [ord("\n")]
    assert not matcher.advance(ord(" "))
    for byte in b"\n```":
        assert matcher.advance(byte)
    assert matcher.accepting


def test_a_prompt_that_has_opened_a_region() -> None:
    """The text of the surface begins with the text, and a budget has to reach to the end of both."""
    world = WORLDS["marks"][0]
    inside = replace(world.loaded, rules=PolicyRules(world.policy.with_(inside="r")))

    texts = {"a>": None, "a,b>": None, "a": 1, "x>": 0, "a>x": 2, ">": 0, "a>b<a>": None, "a><x": 3}
    assert {text: inside.refused_at(text) for text in texts} == texts
    with pytest.raises(BudgetError):
        inside.matcher(BYTES, max_tokens=1)
    matcher = inside.matcher(BYTES, max_tokens=2)
    assert [matcher.advance(byte) for byte in b"ab>"] == [True, False, True]
