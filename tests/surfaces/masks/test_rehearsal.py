"""Places that are met before a text begins."""

from __future__ import annotations

from random import Random

from hypothesis import assume, given, settings

from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.engine.network import Read
from langc.compiler.surfaces.masks.home import behind
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.masks.tables import SurfaceTables
from langc.compiler.surfaces.model import Choice, Element, Literal, Repeat, Sequence, TokenUse
from langc.compiler.tokens.vocabulary import Vocabulary
from tests.surfaces.masks.toys import NAMED, engine_of, engines, referee, vocabularies, vocabulary_of

_CHOICE = Choice((Sequence((Literal("if"), NAMED)), TokenUse("NUMBER")))
RULES: dict[str, Element] = {"text": Repeat(Sequence((_CHOICE, Literal(","))), 0, None)}


def _met(engine: Engine, vocabulary: Vocabulary) -> set[int]:
    """The states of the network that the places stand at, a lexeme behind them."""
    points = (behind(state.config) for state in SurfaceTables(engine.start, vocabulary).plain_states())
    return {thread.state for point in points if point for thread in point.kernel}


def test_each_lexeme_of_the_rules_is_met() -> None:
    """Where the world hinders nothing, all that the rules read is read once."""
    engine = engine_of(RULES)
    reads = {edge.target for edges in engine.parser.network.edges for edge in edges if isinstance(edge, Read)}
    assert reads <= _met(engine, vocabulary_of(Random(0), 0))


@settings(max_examples=30)
@given(engine=engines, vocabulary=vocabularies)
def test_a_prepared_matcher_allows_the_same(engine: Engine, vocabulary: Vocabulary) -> None:
    """Masks do not depend on what was met before; the places are ones of texts, each once."""
    assume(engine.start.point.live)
    tables = SurfaceTables(engine.start, vocabulary)
    SurfaceMatcher(engine, vocabulary, tables=tables).prepare()
    places = list(tables.plain_states())
    assert len(set(places)) == len(places) <= 2 * len(engine.parser.network.edges) + 2
    for state in places[:20]:
        assert (tables.mask(state) == referee(state.config, vocabulary)).all()
