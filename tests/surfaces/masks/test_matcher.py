"""The matcher of surfaces: what a `Matcher` promises, what is forced, and budgets of tokens."""

from __future__ import annotations

import random
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from langc.compiler.errors import PolicyError
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.masks.next_bytes import next_bytes
from langc.compiler.surfaces.masks.tables import SurfaceTables
from langc.compiler.surfaces.model import Call, Choice, Literal, Repeat, Sequence
from langc.compiler.tokens.budget import BudgetError
from langc.compiler.tokens.logits.bitmask import allocate_token_bitmask, unpack
from langc.compiler.tokens.vocabulary import Vocabulary
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

seeds = st.integers(0, 9_999)


def sql_like_engine() -> Engine:
    """The surface of declarations and expressions."""
    return Engine(sql_like(), environment_of(NAMES))


def write(matcher: SurfaceMatcher, draw: random.Random, steps: int) -> None:
    """Up to so many random tokens that the mask allows."""
    assert matcher.vocabulary is not None
    choose = pick(draw, matcher.vocabulary)
    for _ in range(steps):
        ids = np.flatnonzero(matcher.mask()).tolist()
        if not ids or matcher.ended:
            return
        assert matcher.advance(choose(ids))


@settings(max_examples=examples(40))
@given(vocabulary=vocabularies, seed=seeds, steps=st.integers(0, 12))
def test_mask_allows_and_advance_agree(vocabulary: Vocabulary, seed: int, steps: int) -> None:
    """For every id, special ones and end-of-sequence included; a refused token changes nothing."""
    matcher = SurfaceMatcher(sql_like_engine(), vocabulary, vocabulary.size + 3)
    write(matcher, random.Random(seed), steps)
    if matcher.ended:
        return
    before, mask = matcher.ids, matcher.mask()

    assert [matcher.allows(token) for token in range(matcher.rows)] == mask.tolist()
    for token in range(matcher.rows):
        trial = matcher.fork()
        assert trial.advance(token) == mask[token]
        assert trial.ids == ((*before, token) if mask[token] else before)
    assert matcher.ids == before
    assert not mask[vocabulary.size - 2 : vocabulary.size - 1].any()  # <pad>
    assert mask[vocabulary.size - 1] == matcher.accepting  # <end>
    assert not mask[vocabulary.size :].any()


@settings(max_examples=examples(20))
@given(seed=seeds, steps=st.integers(1, 15), data=st.data())
def test_rollback_fork_reset_and_sync(seed: int, steps: int, data: st.DataObject) -> None:
    """Everything is a function of the tokens so far."""
    vocabulary, draw = vocabulary_of(random.Random(seed), 200), random.Random(seed)
    matcher = SurfaceMatcher(sql_like_engine(), vocabulary)
    write(matcher, draw, steps)
    history = matcher.ids
    count = data.draw(st.integers(0, len(history)))
    masks = []
    fresh = SurfaceMatcher(sql_like_engine(), vocabulary)
    for token in history:
        masks.append(fresh.mask().tolist())
        fresh.advance(token)
    masks.append(fresh.mask().tolist())

    assert matcher.mask().tolist() == masks[-1]
    fork = matcher.fork()
    matcher.rollback(count)
    assert matcher.mask().tolist() == masks[len(history) - count]
    write(matcher, draw, 3)
    assert fork.ids == history
    assert fork.mask().tolist() == masks[-1]
    assert matcher.sync(history)
    assert matcher.mask().tolist() == masks[-1]
    matcher.reset()
    assert matcher.mask().tolist() == masks[0]


def test_logits_and_bitmasks() -> None:
    """`apply` and `fill_token_bitmask` say what the mask says."""
    vocabulary = vocabulary_of(random.Random(5), 300)
    matcher = SurfaceMatcher(sql_like_engine(), vocabulary)
    write(matcher, random.Random(4), 3)
    mask = matcher.mask()
    logits, bitmask = np.zeros(vocabulary.size, dtype=np.float32), allocate_token_bitmask(1, vocabulary.size)
    matcher.apply(logits)
    matcher.fill_token_bitmask(bitmask)

    assert (logits == 0).tolist() == mask.tolist()
    assert unpack(bitmask[0], vocabulary.size).tolist() == mask.tolist()


@settings(max_examples=examples(60))
@given(engine=engines, vocabulary=vocabularies, seed=seeds)
def test_next_bytes(engine: Engine, vocabulary: Vocabulary, seed: int) -> None:
    """They are the bytes for which there is a step, each once."""
    draw, config = random.Random(seed), engine.start
    for _ in range(8):
        found = list(next_bytes(config))
        assert sorted(found) == [byte for byte in range(256) if config.step(byte) is not None]
        if not found:
            return
        following = config.step(draw.choice(found))
        assert following is not None
        config = following


def forced_of(config: Config) -> bytes:
    """The bytes that everything goes on with, by trying all."""
    found = bytearray()
    while not config.accepting and len(found) < 60:
        open_ = [byte for byte in range(256) if config.step(byte) is not None]
        if len(open_) != 1:
            break
        found += bytes(open_)
        following = config.step(open_[0])
        assert following is not None
        config = following
    return bytes(found)


def unspaced(**rules: Sequence | Choice | Repeat) -> Engine:
    """A surface without white space, so that something is forced."""
    engine = engine_of(dict(rules))
    surface = engine.surface
    kept = {name: token for name, token in surface.tokens.items() if not token.skipped}
    return Engine(type(surface)(**{**vars(surface), "tokens": kept, "quotes": ()}), engine.environment)


def test_a_surface_without_any_text() -> None:
    """LC0402: a reference that nothing can fill stands in every text."""
    with pytest.raises(PolicyError) as caught:
        SurfaceMatcher(engine_of({"start": NAMED}, ()), vocabulary_of(random.Random(1), 0))
    assert caught.value.diagnostics[0].code == "LC0402"


def test_forced_bytes_and_tokens() -> None:
    """What every text begins with, spelled in the longest tokens; nothing where there is a choice or an end."""
    engine = unspaced(start=Sequence((Literal("iff"), Literal("("), NAMED, Literal("<<="), Literal("end"))))
    tokens = (*(bytes((byte,)) for byte in range(256)), b"if", b"iff(", b"ff", b"<<", b"<<=e", b"nd")
    matcher = SurfaceMatcher(engine, Vocabulary("toy", tokens))

    assert matcher.forced().data == b"iff("
    assert [tokens[token] for token in matcher.forced().tokens] == [b"iff("]
    for token in matcher.forced().tokens:
        assert matcher.advance(token)
    assert matcher.forced().data == b""
    for byte in b"named":
        assert matcher.advance(byte)
    assert matcher.forced().data == b"<<=end"
    assert [tokens[token] for token in matcher.forced().tokens] == [b"<<=e", b"nd"]
    for token in matcher.forced().tokens:
        assert matcher.advance(token)
    assert matcher.accepting
    assert matcher.forced().data == b""


@settings(max_examples=examples(40))
@given(seed=seeds, names=st.lists(st.sampled_from(NAMES[1:6]), unique=True, min_size=1))
def test_forced_bytes_are_those_without_a_choice(seed: int, names: list[str]) -> None:
    """Against trying all bytes."""
    row = Sequence(
        (Literal("<="), NAMED, Literal("("), NAMED, Literal(")"), Repeat(Sequence((Literal("<"), NAMED)), 0, 1))
    )
    engine = unspaced(start=row)
    engine = Engine(engine.surface, environment_of(tuple(names)))
    vocabulary = vocabulary_of(random.Random(seed), 100)
    matcher = SurfaceMatcher(engine, vocabulary)
    draw = random.Random(seed)
    for _ in range(10):
        if matcher.ended:
            return
        data, tokens = matcher.forced()
        config = matcher._states[-1].config  # type: ignore[attr-defined]
        assert data == forced_of(config)
        assert data.startswith(b"".join(vocabulary.tokens[token] for token in tokens))
        matcher.advance(draw.choice(np.flatnonzero(matcher.mask()).tolist()))


# --- budgets ---


def finished(matcher: SurfaceMatcher, draw: random.Random) -> int:
    """Writes random allowed tokens, never an end where something else may come, until the text ends. How many."""
    vocabulary = matcher.vocabulary
    assert vocabulary is not None
    choose = pick(draw, vocabulary)
    for _ in range(500):
        mask = matcher.mask()
        ids = np.flatnonzero(mask).tolist()
        assert ids, "a dead end"
        going_on = [token for token in ids if token not in vocabulary.eos_ids]
        token = choose(going_on or ids)
        for other in draw.choices(range(matcher.rows), k=5):
            assert matcher.fork().advance(other) == mask[other]
        assert matcher.advance(token)
        if matcher.ended:
            assert matcher.accepting
            return len(matcher.ids) - 1
    raise AssertionError("no end")


def least(engine: Engine, vocabulary: Vocabulary) -> int:
    """The smallest budget that is taken."""
    for budget in range(60):
        with suppress(BudgetError):
            SurfaceMatcher(engine, vocabulary, max_tokens=budget)
            return budget
    raise AssertionError("no budget is enough")


def test_a_budget_that_is_too_small() -> None:
    """LC0405 at the start, with the number that is needed."""
    with pytest.raises(BudgetError) as caught:
        SurfaceMatcher(sql_like_engine(), vocabulary_of(random.Random(1), 0), max_tokens=0)
    assert caught.value.diagnostics[0].code == "LC0405"


@pytest.mark.slow
@settings(max_examples=30)
@given(seed=seeds, more=st.integers(0, 60))
def test_a_budget_is_kept_and_every_text_is_whole(seed: int, more: int) -> None:
    """Whatever is sampled, and however small the budget, as long as it is not refused at the start."""
    vocabulary = vocabulary_of(random.Random(seed), 200)
    engine = sql_like_engine()
    budget = least(engine, vocabulary) + more
    matcher = SurfaceMatcher(engine, vocabulary, max_tokens=budget)

    assert finished(matcher, random.Random(seed)) <= budget
    text = b"".join(vocabulary.tokens[token] for token in matcher.ids)
    config = engine.start.run(text)
    assert config is not None
    assert config.accepting


@pytest.mark.slow
@settings(max_examples=50)
@given(engine=engines, seed=seeds, more=st.integers(0, 6))
def test_budgets_of_any_surface(engine: Engine, seed: int, more: int) -> None:
    """As far as the surface has a text at all, and a way to its end from wherever one can be."""
    vocabulary = vocabulary_of(random.Random(seed), 60)
    assume(has_no_dead_end(engine))
    budget = least(engine, vocabulary) + more

    assert finished(SurfaceMatcher(engine, vocabulary, max_tokens=budget), random.Random(seed)) <= budget


def has_no_dead_end(engine: Engine) -> bool:
    """Whether from each of the first places within reach of any byte an end can be reached; false if it is not seen."""
    before: dict[Config, set[Config]] = {engine.start: set()}
    waiting = [engine.start]
    for config in waiting:
        if len(waiting) > 1_500:
            return False
        for byte in next_bytes(config):
            following = config.step(byte)
            assert following is not None
            if following not in before:
                before[following] = set()
                waiting.append(following)
            before[following].add(config)
    ends = [config for config in waiting if config.accepting]
    reached = set(ends)
    for config in ends:
        for earlier in before[config] - reached:
            reached.add(earlier)
            ends.append(earlier)
    return len(reached) == len(waiting)


def test_the_least_number_of_tokens_is_that_of_the_shortest_text() -> None:
    """For texts with one way to an end each, against the length that is plain to see."""
    engine = engine_of({"start": Sequence((Literal("if"), Literal("("), FRESH, Literal(","), ALIAS, Literal(")")))})
    tokens = (*(bytes((byte,)) for byte in range(256)), b"if(", b"if(b,b)", b"a)")

    assert least(engine, Vocabulary("toy", tokens[:256])) == 7
    assert least(engine, Vocabulary("toy", tokens[:257])) == 5


def test_nothing_is_opened_that_cannot_be_closed() -> None:
    """Near the end of a budget brackets are only closed."""
    atom = Choice((Literal("a"), Sequence((Literal("("), Call("start"), Literal(")")))))
    engine = engine_of({"start": atom})
    vocabulary = Vocabulary("toy", (*(bytes((byte,)) for byte in range(256)), b""), {256: "<end>"}, frozenset({256}))
    matcher = SurfaceMatcher(engine, vocabulary, max_tokens=6)
    for byte in b"((":
        assert matcher.advance(byte)

    assert not matcher.allows(ord("("))
    assert matcher.allows(ord(" "))  # five of six tokens are then needed
    assert matcher.advance(ord(" "))
    assert not matcher.allows(ord(" "))
    for byte in b"a))":
        assert matcher.advance(byte)
    assert matcher.mask().tolist() == [token == 256 for token in range(257)]


@pytest.mark.parametrize(("budget", "error"), [(-1, ValueError), (True, TypeError), (1.5, TypeError)])
def test_what_is_no_budget(budget: int, error: type[Exception]) -> None:
    """As `Matcher` refuses it."""
    with pytest.raises(error):
        SurfaceMatcher(sql_like_engine(), vocabulary_of(random.Random(1), 0), max_tokens=budget)


def test_masks_are_shared_between_matchers() -> None:
    """Through their tables; what is in a mask does not depend on who asked before."""
    engine, vocabulary = sql_like_engine(), vocabulary_of(random.Random(2), 100)
    tables = SurfaceTables(engine.start, vocabulary)
    first, second = (SurfaceMatcher(engine, vocabulary, tables=tables) for _ in range(2))
    for matcher in (first, second):
        write(matcher, random.Random(9), 5)

    assert first.ids == second.ids
    assert second.mask().tolist() == first.mask().tolist()
    state = tables.state_of(tables.here(first._states[-1]))
    assert tables.mask(state).tolist() == referee(state.config, vocabulary).tolist()


@given(engines, engines, vocabularies, seeds)
def test_names_change_while_a_text_is_written(engine: Engine, other: Engine, vocabulary: Vocabulary, seed: int) -> None:
    """A matcher over other names takes a text over if it is a beginning with these, and goes on from there."""
    assume(engine.start.point.live)
    loaded = LoadedSurface(engine.surface, engine.environment, {}).with_environment(other.environment)
    assume(loaded.engine.start.point.live)
    matcher, later = SurfaceMatcher(engine, vocabulary), loaded.matcher(vocabulary)
    write(matcher, random.Random(seed), 6)
    assume(not matcher.ended)
    place = loaded.engine.start.run(b"".join(vocabulary.tokens[token] for token in matcher.ids))

    event(f"text goes on: {place is not None}")
    assert later.sync(matcher.ids) == (place is not None)
    if place is not None:
        expected = referee(place, vocabulary)
        expected[sorted(vocabulary.eos_ids)] = place.accepting
        assert [*np.flatnonzero(later.mask() != expected)] == []
