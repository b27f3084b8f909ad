"""What is certain, whatever the world says, is allowed; and names that nothing knows are taken for one another."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.masks import strangers
from langc.compiler.surfaces.masks.tables import SurfaceTables
from langc.compiler.surfaces.model import Choice, Literal, Repeat, Sequence, TokenUse
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.surfaces.masks.toys import (
    ALIAS,
    FRESH,
    NAMED,
    NAMES,
    engine_of,
    engines,
    environment_of,
    pick,
    referee,
    sql_like,
    vocabularies,
    vocabulary_of,
)


def check_certain(start: Config, vocabulary: Vocabulary, draw: random.Random, steps: int) -> int:
    """Between the lexemes of a walk: what is certain can be read. How many tokens that were."""
    tables, choose, total = SurfaceTables(start, vocabulary), pick(draw, vocabulary), 0
    state = tables.start
    for _ in range(steps):
        point = state.config.behind or state.config.point
        between = start.engine.config(point, point.expected.start)
        allowed = referee(between, vocabulary)
        for part in tables._certain.settled(tables.nodes.root, point.certain).parts:
            refused = part.ids[~allowed[part.ids]].tolist()
            assert [vocabulary.tokens[token] for token in refused] == []
            total += part.ids.size
        ids = np.flatnonzero(referee(state.config, vocabulary)).tolist()
        following = tables.target(state, choose(ids)) if ids else None
        if following is None:
            break
        state = following
    return total


@settings(max_examples=60)
@given(engine=engines, vocabulary=vocabularies, seed=st.integers(0, 9_999))
def test_what_is_certain_is_allowed(engine: Engine, vocabulary: Vocabulary, seed: int) -> None:
    """At places of any surface."""
    assume(engine.start.point.live)
    check_certain(engine.start, vocabulary, random.Random(seed), 8)


def test_much_is_certain() -> None:
    """Signs, numbers and strings of expressions."""
    draw = random.Random(3)
    vocabulary = vocabulary_of(draw, 400)

    assert check_certain(Engine(sql_like(), environment_of(NAMES)).start, vocabulary, draw, 40) >= 200


TOKENS = tuple(b"name; x; y; z; x;x y;y x;y x;.x y;.y x;.y y;.x name;.name ab;.ab q;. r;. q. a.".split())
LETTERS = tuple(bytes((byte,)) for byte in range(256))


def test_nothing_else_is_certain() -> None:
    """A sign that is longer where a name may follow, and a word behind which no name is there."""
    longer = Choice((Sequence((Literal("<"), Literal("="), TokenUse("NUMBER"))), Sequence((Literal("<="), NAMED))))
    engine = engine_of({"start": Choice((longer, Sequence((Literal("if"), ALIAS)), Literal("in")))})
    vocabulary = Vocabulary("toy", (*LETTERS, b"<=1", b"< =1", b"<=a", b"if", b"in"))

    assert check_certain(engine.start, vocabulary, random.Random(0), 1) >= 3


def test_strangers_are_told_from_names() -> None:
    """What was declared, what is in Γ, what is neither; tokens behind them that spell names or do not."""
    declared = Sequence((FRESH, Literal(";")))
    engine = engine_of(
        {"start": Sequence((Repeat(declared, 1, None), Repeat(Sequence((Literal("."), ALIAS)), 0, None)))}
    )
    vocabulary = Vocabulary("toy", (*LETTERS, *TOKENS))
    tables = SurfaceTables(engine.start, vocabulary)
    for text in (b"", b"x;", b"x;y;", b"x;y;z;", b"q;r;zz", b"z;x", b"x;."):
        config = engine.start.run(text)
        assert config is not None
        different = np.flatnonzero(tables.mask(tables.state_of(config)) != referee(config, vocabulary)).tolist()
        assert [vocabulary.tokens[token] for token in different] == [], text


def test_strangers_are_one() -> None:
    """Ways that differ in unknown names are looked at once."""
    tokens = tuple(b"%c%c;" % pair for pair in ((a, b) for a in b"xyzw" for b in b"xyzw"))
    engine = engine_of({"start": Sequence((FRESH, Literal(";"), ALIAS))})
    tables = SurfaceTables(engine.start, Vocabulary("toy", (*LETTERS, *tokens)))
    cut = tables._cuts.cut(tables.nodes.root, engine.start.lexeme)
    ways = list(strangers.Strangers(engine.parser, tables.nodes).ways(cut, engine.start.point, b""))

    assert len(cut.ways) >= 16
    assert sum(not way.spelled and way.rest.first == 1 << ord(";") for way in ways) == 1
