"""Masks against reading every token byte by byte."""

from __future__ import annotations

import itertools
import random
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.demo import TOKENIZER
from langc.compiler.errors import LimitError, PolicyError
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.masks import cuts
from langc.compiler.surfaces.masks.tables import SurfaceTables
from langc.compiler.surfaces.model import Choice, Literal, Sequence, TokenUse
from langc.compiler.tokens.vocabulary import Vocabulary
from tests import assets
from tests.examples import examples
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


def check_walk(start: Config, vocabulary: Vocabulary, draw: random.Random, steps: int) -> int:
    """Walks at random, and compares the mask of each place. How many places there were."""
    tables, choose = SurfaceTables(start, vocabulary), pick(draw, vocabulary)
    state = tables.start
    for step in range(steps):
        found, expected = tables.mask(state), referee(state.config, vocabulary)
        different = np.flatnonzero(found != expected).tolist()
        assert [vocabulary.tokens[token] for token in different] == []
        ids = np.flatnonzero(expected).tolist()
        if not ids:
            return step + 1
        following = tables.target(state, choose(ids))
        assert following is not None
        state = following
    return steps


@settings(max_examples=examples(80))
@given(engine=engines, vocabulary=vocabularies, seed=st.integers(0, 9_999))
def test_masks_are_what_can_be_read(engine: Engine, vocabulary: Vocabulary, seed: int) -> None:
    """A token is in the mask iff its bytes can be read one after another."""
    assume(engine.start.point.live)
    with suppress(LimitError):  # a surface that can be read in very many ways
        check_walk(engine.start, vocabulary, random.Random(seed), 12)


@settings(max_examples=examples(40))
@given(engine=engines, vocabulary=vocabularies, seed=st.integers(0, 9_999), few=st.sampled_from([0, 10**9]))
def test_both_ways_of_cutting(engine: Engine, vocabulary: Vocabulary, seed: int, few: int) -> None:
    """Whether nodes are followed one by one or all at once makes no difference."""
    assume(engine.start.point.live)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "FEW_NODES", few)
        with suppress(LimitError):
            check_walk(engine.start, vocabulary, random.Random(seed), 6)


@settings(max_examples=examples(40))
@given(vocabulary=vocabularies, seed=st.integers(0, 9_999))
def test_many_names(vocabulary: Vocabulary, seed: int) -> None:
    """A set of names that is walked as a whole, with names that begin one another, in both cases."""
    draw = random.Random(seed)
    names = {"".join(draw.choices(("a", "ab", "na", "me", "x1", "i", "_"), k=draw.randrange(1, 6))) for _ in range(300)}
    engine = Engine(sql_like(), environment_of((*NAMES, *sorted(names))))
    check_walk(engine.start, vocabulary, draw, 12)


def test_every_place_of_the_demo_vocabulary() -> None:
    """A real byte pair encoding, over the places that many walks come to."""
    vocabulary, draw = langc.load_vocabulary(TOKENIZER), random.Random(7)
    engine = Engine(sql_like(), environment_of(NAMES))

    assert sum(check_walk(engine.start, vocabulary, draw, 30) for _ in range(30)) >= 300


def test_one_token_declares_and_uses() -> None:
    """What a token has declared exists for the rest of it, and nothing else does."""
    tokens = (b"fresh,fresh", b"fresh,frosh", b"fresh ,\nfresh", b"fresh,fres", b"fresh,fresh,", b"a,a", b"if,if")
    vocabulary = Vocabulary("toy", (*(bytes((byte,)) for byte in range(256)), *tokens))
    engine = engine_of({"start": Sequence((FRESH, Literal(","), ALIAS))})
    mask = SurfaceTables(engine.start, vocabulary).mask

    allowed = {
        vocabulary.tokens[token] for token in np.flatnonzero(mask(SurfaceTables(engine.start, vocabulary).start))
    }
    assert allowed >= {b"fresh,fresh", b"fresh ,\nfresh", b"fresh,fres"}
    assert allowed.isdisjoint({b"fresh,frosh", b"fresh,fresh,", b"a,a", b"if,if"})


def allowed_at_start(engine: Engine, *tokens: bytes) -> set[bytes]:
    """Those of some tokens that may come first, behind all single bytes and enough others not to go one by one."""
    many = tuple(bytes(pair) for some in (b"abcdef", b"<= .(") for pair in itertools.product(some, repeat=2))
    vocabulary = Vocabulary("toy", (*(bytes((byte,)) for byte in range(256)), *many, *tokens))
    tables = SurfaceTables(engine.start, vocabulary)
    return {vocabulary.tokens[token] for token in np.flatnonzero(tables.mask(tables.start))} & set(tokens)


def test_a_sign_is_as_long_as_it_can_be() -> None:
    """`<=` is one lexeme even where `<` and `=` could follow one another."""
    one, two = (Sequence(tuple(map(Literal, row))) for row in (("<", "=", "a"), ("<=", "if")))
    allowed = allowed_at_start(engine_of({"start": Choice((one, two))}), b"<=a", b"<=if", b"< =a", b"< =if", b"<=i")

    assert allowed == {b"<=if", b"< =a", b"<=i"}


def test_a_word_that_is_also_a_token() -> None:
    """Behind a word that is two things, what may follow either may follow; behind any other, only one of them."""
    one, two = Sequence((Literal("if"), Literal("."))), Sequence((TokenUse("LETTERS"), Literal("(")))
    allowed = allowed_at_start(
        engine_of({"start": Choice((one, two))}), b"if.", b"if(", b"in.", b"in(", b"iff(", b"iff."
    )

    assert allowed == {b"if.", b"if(", b"in(", b"iff("}


def test_rows_are_kept_though_the_engine_forgets() -> None:
    """A place that an engine has forgotten and made anew has the number that it had."""
    vocabulary = vocabulary_of(random.Random(1), 100)
    engine = Engine(sql_like(), environment_of(NAMES))
    tables = SurfaceTables(engine.start, vocabulary)
    first = tables.target(tables.start, ord("("))
    engine._forget()
    engine.parser._points.clear()

    assert tables.target(tables.start, ord("(")) == first
    assert first is not None
    assert tables.mask(first).tolist() == referee(first.config, vocabulary).tolist()


def test_a_byte_without_a_token_of_its_own() -> None:
    """LC0406: a byte that can only be written together with others could lead into dead ends."""
    tokens = (*(bytes((byte,)) for byte in range(256) if byte != ord("e")), b"name")

    with pytest.raises(PolicyError) as caught:
        SurfaceTables(engine_of({"start": Literal("if")}).start, Vocabulary("toy", tokens))
    assert caught.value.diagnostics[0].code == "LC0406"
    assert "65" in caught.value.diagnostics[0].message


@pytest.mark.parametrize(("names", "word"), [(("an\u00e9",), "an\u00e9"), ((), "if"), ((), "LETTERS")])
def test_what_no_token_writes(names: tuple[str, ...], word: str) -> None:
    """LC0406: a name, a literal or a token of the surface that needs a byte which is in no token."""
    missing = {"an\u00e9": b"\xa9", "if": b"f", "LETTERS": bytes(range(0x61, 0x7B))}[word]
    tokens = tuple(bytes((byte,)) for byte in range(256) if byte not in missing)

    with pytest.raises(PolicyError) as caught:
        SurfaceTables(engine_of({"start": Choice((Literal("if"), NAMED))}, names).start, Vocabulary("toy", tokens))
    assert caught.value.diagnostics[0].code == "LC0406"


@pytest.mark.engines
@pytest.mark.slow
@pytest.mark.parametrize("name", ["qwen151k", "tekken", "smollm2_gguf", "gemma_gguf"])
def test_real_vocabularies(name: str) -> None:
    """Random places under vocabularies of 49,000 to 262,000 tokens."""
    vocabulary = langc.load_vocabulary(getattr(assets, name)())
    engine = Engine(sql_like(), environment_of(NAMES))

    assert check_walk(engine.start, vocabulary, random.Random(3), 25) >= 5


SCHEMA = """
CREATE TABLE singer (singer_id INTEGER, name TEXT, country TEXT, "song name" TEXT, age INTEGER);
CREATE TABLE concert (concert_id INTEGER, singer_id INTEGER, theme TEXT, year INTEGER);
"""
STATEMENT = (
    "SELECT s.name, count(*) AS n FROM singer AS s JOIN concert ON s.singer_id = concert.singer_id "
    "WHERE theme = 'it''s' AND (year > 2014 OR \"song name\" IS NULL) GROUP BY s.name ORDER BY n DESC LIMIT 3"
)


@pytest.mark.engines
@pytest.mark.slow
@pytest.mark.parametrize("name", ["qwen151k", "gemma_gguf"])
def test_sql_over_real_vocabularies(name: str, tmp_path: Path) -> None:
    """Along a statement of SQL, every so many places."""
    schema = tmp_path / "schema.sql"
    schema.write_text(SCHEMA)
    vocabulary = langc.load_vocabulary(getattr(assets, name)())
    tables = SurfaceTables(langc.load_surface("sql", env=schema).engine.start, vocabulary)
    state, text = tables.start, STATEMENT.encode()
    for place in range(len(text)):
        if place % 17 == 0:
            assert (tables.mask(state) == referee(state.config, vocabulary)).all(), text[:place]
        following = state.config.step(text[place])
        assert following is not None, text[: place + 1]
        state = tables.state_of(following)
    assert state.config.accepting
