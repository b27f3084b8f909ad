"""Surfaces with a policy beside them: what is allowed against everything that can be written."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.errors import PolicyError
from langc.compiler.surfaces.config import Engine
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
from langc.compiler.surfaces.model import (
    Choice,
    Element,
    Literal,
    Repeat,
    Sequence,
    Surface,
    TokenUse,
)
from langc.compiler.surfaces.policed import home, tables
from langc.compiler.surfaces.policed.rules import PolicyRules
from tests.surfaces.masks.toys import (
    NAMED,
    NAMES,
    SIGNS,
    WORDS,
    environment_of,
    surface_of,
    vocabulary_of,
)
from tests.surfaces.policed.referee import Denied, Judge, TooMany

seeds = st.integers(0, 9_999)
words = st.sampled_from(
    [*WORDS, *NAMES[:6], *SIGNS, "nam", "ab", "f", "e", "i", "1", ",a", ")(", " ", "n d", "A", "IF"]
)
policies = st.builds(
    lambda characters, denied: Denied(bytes(sorted(characters)), tuple(word.encode() for word in sorted(denied))),
    st.frozensets(st.sampled_from(b"aAeinf ().,<=1'\n\"#"), max_size=3),
    st.frozensets(words, max_size=3),
).filter(lambda policy: bool(policy.characters or policy.words))

leaves: st.SearchStrategy[Element] = st.one_of(
    st.sampled_from([Literal(text) for text in WORDS + SIGNS]),
    st.sampled_from([TokenUse("NUMBER"), TokenUse("STRING"), TokenUse("LETTERS"), NAMED]),
)


def _larger(children: st.SearchStrategy[Element]) -> st.SearchStrategy[Element]:
    few = st.lists(children, min_size=1, max_size=4).map(tuple)
    times = st.sampled_from([(0, 1), (0, None), (1, None)])
    return st.one_of(
        st.builds(Sequence, few),
        st.builds(Choice, few),
        st.builds(lambda part, bounds: Repeat(part, *bounds), children, times),
    )


bodies = st.recursive(leaves, _larger, max_leaves=8)
surfaces = st.builds(
    lambda body, fold, quotes: surface_of({"start": body}, fold_case=fold, quotes=quotes),
    bodies,
    st.booleans(),
    st.booleans(),
)


def loaded(surface: Surface, names: tuple[str, ...], policy: str) -> LoadedSurface:
    """A surface over some names, with a policy."""
    return LoadedSurface(surface, environment_of(names), {}, PolicyRules(langc.parse_policy(policy)))


def judge_of(engine: Engine, policy: Denied) -> Judge:
    """The judge; a case with too many places is none."""
    try:
        return Judge(engine, policy)
    except TooMany:
        assume(False)
        raise


@settings(
    phases=(Phase.generate,), max_examples=50, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
@given(surface=surfaces, names=st.sets(st.sampled_from(NAMES)), policy=policies, seed=seeds)
def test_a_token_is_allowed_if_an_end_can_be_reached_behind_it(
    surface: Surface, names: set[str], policy: Denied, seed: int
) -> None:
    """At each place of random walks, for each token; and there is no text where there is none."""
    one = loaded(surface, tuple(sorted(names)), policy.source)
    assume(one.engine.start.point.live)
    judge = judge_of(one.engine, policy)
    draw = random.Random(seed)
    vocabulary = vocabulary_of(draw, 120)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "MAX_JOINT_TOKENS", 10**6)
        patch.setattr(home, "MAX_JOINT_STEPS", 10**5)
        if judge.start not in judge.living:
            with pytest.raises(PolicyError, match="LC0402"):
                one.matcher(vocabulary)
            return
        check_walk(one.matcher(vocabulary), judge, draw)


def check_walk(matcher: SurfaceMatcher, judge: Judge, draw: random.Random) -> None:
    """Compares masks along a walk."""
    vocabulary = matcher.vocabulary
    assert vocabulary is not None
    node = judge.start
    for _ in range(10):
        mask = matcher.mask()
        expected = judge.allowed(node, vocabulary)
        found = [token for token in np.flatnonzero(mask).tolist() if token not in vocabulary.eos_ids]
        different = sorted(set(found) ^ set(expected))
        assert [vocabulary.tokens[token] for token in different] == []
        assert matcher.accepting == judge.may_end(node)
        assert all(mask[end] == judge.may_end(node) for end in vocabulary.eos_ids)
        if not found:
            return
        token = draw.choice(found)
        assert matcher.advance(token)
        following = judge.run(node, vocabulary.tokens[token])
        assert following is not None
        node = following
