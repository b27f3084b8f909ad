"""langc's masks between two of another engine: what may follow up to the next event of Γ, and that or anything behind.

The grammars are made from the threads of the parser, rebuilt as the text grows; lexing, parsing and the masks are the
engine's own. A token that the smaller mask has and langc refuses, or that langc has and the larger one refuses, is a
fault of one of the two.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.model import Element, Token
from langc.compiler.surfaces.snapshot.build import snapshot
from langc.compiler.tokens.loaders import load_vocabulary
from langc.compiler.tokens.vocabulary import Vocabulary
from langc.targets.runtime.executors.llguidance import LlGuidance
from langc.targets.runtime.executors.own import Own
from langc.targets.runtime.executors.rebuilt import Rebuilt
from langc.targets.runtime.executors.xgrammar import XGrammar
from tests import assets
from tests.surfaces.executors.samples import GOLD, SCHEMA
from tests.surfaces.masks.toys import engine_of, engines, environment_of, referee, sql_like, vocabulary_of
from tests.surfaces.snapshot.toys import let
from tests.surfaces.sql.samples import SCHEMAS, statements
from tests.surfaces.sql.walks import engine as sql_engine

if TYPE_CHECKING:
    from langc.targets.runtime.executors.protocol import Executor

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("surface-executors")]
ENGINES = (LlGuidance, XGrammar)
COMPARED = 0.3
"""Of the places of a statement; each takes a second."""
LONGEST = 160
"""Characters of the statements that are taken at random."""
REPLAYED = (1, 3, 8, 9)
"""Of the statements: a join with groups, a table made on the way, signs and comments, an old join."""
CROSSING = (("'LETTERS'",), ("'.'",), ("'<<='",), ("'<'", "'='", "'<='"))
"""What another token's munch takes: a lexeme of langc's then goes on, whichever of them it was begun as. A grammar
knows only what each of them takes by itself, and so takes `a1`, `1.` and `<<` for two lexemes."""
NUMBER = Token("NUMBER", r"[0-9]+(\.[0-9]+)?", r"[0-9][0-9A-Za-z_.]*")
"""Goes on as words do. That digits border on small letters and not on large ones (`1END`) is nothing that a grammar of
a snapshot has: it knows words, and what is none."""


class Bounds:
    """An executor of langc's and two of another engine, side by side."""

    def __init__(self, engine: Engine, vocabulary: Vocabulary, kind: type[Rebuilt]) -> None:
        self.vocabulary = vocabulary
        self.own = Own(engine, vocabulary)
        self.below = kind(engine, vocabulary)  # type: ignore[call-arg, arg-type]
        self.above: Rebuilt = kind(engine, vocabulary, beyond=True)  # type: ignore[call-arg, arg-type]
        self.places = 0
        self.text = b""

    @property
    def all(self) -> Sequence[Executor]:
        """The three."""
        return self.own, self.below, self.above

    def reset(self) -> None:
        """To the beginning of a text."""
        self.text = b""
        for one in self.all:
            one.reset()

    def compare(self) -> None:
        """The masks at this place."""
        own = self.own.mask()[: self.vocabulary.size]
        over = np.flatnonzero(self.below.mask() & ~own)
        missing = np.flatnonzero(own & ~self.above.mask())
        under = missing[[not self._passes(token) for token in missing.tolist()]] if missing.size else missing
        self.places += 1
        assert ([*self._spelled(over)], [*self._spelled(under)]) == ([], []), self.text

    def advance(self, token: int) -> None:
        """Writes a token."""
        assert [one.advance(token) for one in self.all] == [True] * 3, (self.text, self.vocabulary.tokens[token])
        self.text += self.vocabulary.tokens[token]

    def _passes(self, token: int) -> bool:
        """Whether the engine takes a token that its mask lacks: xgrammar 0.2.9 does so where a grammar is ambiguous."""
        return isinstance(self.above, XGrammar) and self.above._running.fork().advance(token)

    def _spelled(self, ids: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Iterator[bytes]:
        yield from (self.vocabulary.tokens[token] or b"<end>" for token in ids[:5])


def wander(bounds: Bounds, draw: random.Random, texts: int, length: int) -> None:
    """Texts of random tokens, short ones rather than long ones."""
    for _ in range(texts):
        bounds.reset()
        for _ in range(length):
            bounds.compare()
            ids = np.flatnonzero(bounds.own.mask()[: bounds.vocabulary.size]).tolist()
            token = min(draw.choices(ids, k=2), key=lambda one: len(bounds.vocabulary.tokens[one]))
            if token in bounds.vocabulary.eos_ids:
                break
            bounds.advance(token)


def replay(bounds: Bounds, draw: random.Random, text: str, compared: float = COMPARED) -> None:
    """A text in tokens of random lengths, with the masks at each place."""
    bounds.reset()
    data = text.encode()
    ids: dict[bytes, int] = {spelled: token for token, spelled in enumerate(bounds.vocabulary.tokens) if spelled}
    while data:
        lengths = [n for n in range(1, 17) if data[:n] in ids]
        if draw.random() < compared:
            bounds.compare()
        length = draw.choice(lengths)
        bounds.advance(ids[data[:length]])
        data = data[length:]
    bounds.compare()


@pytest.mark.parametrize("kind", ENGINES)
@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # each try takes a second: there is no time to shrink
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(engines, st.integers(0, 9_999))
def test_random_surfaces(kind: type[Rebuilt], engine: Engine, seed: int) -> None:
    """Declarations and names, tokens that are kept, both kinds of case and quotes, in small vocabularies."""
    draw = random.Random(seed)
    tokens = {**engine.surface.tokens, "NUMBER": NUMBER}
    engine = Engine(replace(engine.surface, tokens=tokens), engine.environment)
    rules = repr(engine.surface.rules)
    crossing = any(all(text in rules for text in texts) for texts in CROSSING)
    has_texts = engine.start.point.live and not snapshot(engine.surface, engine.environment).is_empty
    if has_texts and not crossing:
        wander(Bounds(engine, vocabulary_of(draw, 120), kind), draw, 2, 8)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("seed", range(4))
def test_declarations(kind: type[Rebuilt], seed: int) -> None:
    """Blocks, shadowing, functions; and rows of declarations before expressions."""
    draw = random.Random(seed)
    for engine in (let("sin", "sinh", "let me"), Engine(sql_like(), environment_of(("a", "ab", "end of it", "iff")))):
        bounds = Bounds(engine, vocabulary_of(draw, 300), kind)
        wander(bounds, draw, 6, 14)
        assert bounds.places > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_sql_in_a_real_vocabulary(seed: int) -> None:
    """49,152 tokens, at random places of SQL, in llguidance."""
    bounds = Bounds(sql_engine(SCHEMA), load_vocabulary(assets.smollm2_gguf()), LlGuidance)
    wander(bounds, random.Random(seed), 8, 14)

    assert bounds.places > 40


@pytest.mark.slow
@pytest.mark.parametrize("number", REPLAYED)
def test_sql_that_people_write(number: int) -> None:
    """Statements with joins, sub-selects and tables made on the way, cut into tokens in several ways."""
    text = GOLD[number]
    bounds = Bounds(sql_engine(SCHEMA), load_vocabulary(assets.smollm2_gguf()), LlGuidance)
    replay(bounds, random.Random(len(text)), text)

    assert bounds.own.advance(min(bounds.vocabulary.eos_ids))


GOLDS = [pair for pair in statements("gold") if pair[0] in ("concert", "shop", "world") and len(pair[1]) < LONGEST]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_sql_of_questions(part: int) -> None:
    """Statements that answer questions over a schema, at some places of each."""
    draw = random.Random(part)
    vocabulary = load_vocabulary(assets.smollm2_gguf())
    for schema, text in draw.sample(GOLDS, 3):
        bounds = Bounds(sql_engine(SCHEMAS[schema]), vocabulary, LlGuidance)
        replay(bounds, draw, text, compared=4 / len(text))

        assert bounds.places


@pytest.mark.slow
def test_masks_of_sql_by_brute_force() -> None:
    """Each of the 49,152 tokens by itself, byte by byte, at random places of statements."""
    draw = random.Random(7)
    vocabulary = load_vocabulary(assets.smollm2_gguf())
    for schema, text in draw.sample(GOLDS, 8):
        engine = sql_engine(SCHEMAS[schema])
        for place in draw.sample(range(len(text)), 3):
            matcher = SurfaceMatcher(engine, vocabulary)
            assert all(matcher.advance(vocabulary.tokens.index(bytes((byte,)))) for byte in text[:place].encode())
            config = engine.start.run(text[:place].encode())
            assert config is not None
            own = matcher.mask()[: vocabulary.size]
            expected = referee(config, vocabulary)
            expected[sorted(vocabulary.eos_ids)] = config.accepting
            assert [*np.flatnonzero(own != expected)] == [], (text, place)


def test_a_name_that_is_not_there_is_seen() -> None:
    """The comparison can fail: an engine with another Γ offers other names."""
    vocabulary = vocabulary_of(random.Random(1), 50)
    bounds = Bounds(let("sin"), vocabulary, LlGuidance)
    bounds.below = LlGuidance(let("cos"), vocabulary)
    ids = {spelled: token for token, spelled in enumerate(vocabulary.tokens)}
    for byte in b"print ":
        bounds.advance(ids[bytes((byte,))])
    with pytest.raises(AssertionError):
        bounds.compare()


def test_random_masks_are_those_of_single_tokens() -> None:
    """`advance` takes what the engine behind it offers, and more only where an event lies inside of a token."""
    engine = engine_of({"start": sql_like().rules["start"].body, **_others()})
    vocabulary = vocabulary_of(random.Random(3), 200)
    bounds = Bounds(engine, vocabulary, LlGuidance)
    for token in np.flatnonzero(bounds.below.mask()).tolist():
        bounds.reset()
        assert bounds.below.advance(token), vocabulary.tokens[token]


def _others() -> dict[str, Element]:
    return {name: rule.body for name, rule in sql_like().rules.items() if name != "start"}
