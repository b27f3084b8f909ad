"""Places at which a policy can do a surface no harm: from each of them an end of both is reached."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.surfaces.loaded import LoadedSurface
from langc.compiler.surfaces.masks.next_bytes import next_bytes
from langc.compiler.surfaces.model import Surface
from langc.compiler.surfaces.policed import home
from langc.compiler.surfaces.policed.joint import BYTES
from langc.compiler.surfaces.policed.rules import PolicyRules
from langc.compiler.surfaces.policed.tables import JointTables
from tests.examples import examples
from tests.surfaces.masks.toys import NAMES
from tests.surfaces.policed.referee import Denied
from tests.surfaces.policed.test_joint import judge_of, lets, loaded, policies, seeds, surfaces
from tests.surfaces.sql.walks import engine

MADE_UP = (
    'policy p { deny phrase "ab"; }',
    'policy p { deny phrase "= x"; }',
    'policy p { deny phrase " x "; }',
    'policy p { deny phrase "in zz", "in (zz"; }',
    "policy p { deny [\\n]; }",
    'policy p { stop on phrase "in 1"; }',
    'policy p { deny phrase "1 1" { boundary both; } deny phrase "+ (" ; }',
)


def tables_of(one: LoadedSurface) -> JointTables:
    """Those over single bytes."""
    tables = one.tables(BYTES)
    assert isinstance(tables, JointTables)
    return tables


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(surface=surfaces, names=st.sets(st.sampled_from(NAMES)), policy=policies, seed=seeds)
def test_behind_harmless_places_is_an_end(surface: Surface, names: set[str], policy: Denied, seed: int) -> None:
    """Along random walks, against all that can be written."""
    one = loaded(surface, tuple(sorted(names)), policy.source)
    assume(one.engine.start.point.live)
    judge, draw = judge_of(one.engine, policy), random.Random(seed)
    assume(judge.start in judge.living)
    tables = tables_of(one)
    harmless, here, node = tables.homes._harmless, tables.here(tables.start), judge.start
    for _ in range(12):
        if harmless.goes_on(here):
            assert node in judge.living
        steps = [(byte, after) for byte in next_bytes(here.config) if (after := here.step(byte)) is not None]
        if not steps:
            return
        byte, here = draw.choice(steps)
        following = judge.step(node, byte)
        assert following is not None
        node = following


@settings(max_examples=examples(60))
@given(rule=st.sampled_from(MADE_UP), seed=seeds)
def test_names_that_a_text_made_up_can_be_written_too(rule: str, seed: int) -> None:
    """What is harmless is found to have a way by the search as well, and the way is one of both."""
    tables, draw = tables_of(lets(rule)), random.Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(home, "MAX_JOINT_STEPS", 10**5)
        here = tables.here(tables.start)
        for _ in range(30):
            if tables.homes._harmless.goes_on(here):
                end = here.run(tables.homes.way(here))
                assert end is not None
                assert end.accepting
            steps = [after for byte in next_bytes(here.config) if (after := here.step(byte)) is not None]
            if not steps:
                return
            here = draw.choice(steps)


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("policy p { deny [\\n]; }", "let x = ", True),
        ('policy p { deny phrase "ab"; }', "let x = ", True),
        ('policy p { deny phrase "zz"; }', "let x = ", True),  # a name of Γ that no text has
        ('policy p { deny phrase "= zz"; }', "let x = ", True),  # one that may stand in quotes
        ('policy p { deny phrase "= zz", "= \\"zz"; }', "let x = ", False),
        ('policy p { deny phrase "let"; }', "in (", False),  # which needs no `let`; that is left to the search
        ('policy p { deny phrase "= y"; }', "let x = 1 ; in", True),
        ('policy p { deny phrase "= y", "= \\"y"; }', "let x = 1 ; in", True),
        ('policy p { deny phrase "= y", "= \\"y"; }', "let y = 1 ; in", False),  # a name that was made up
        ("policy p { deny [0]; }", "let y = ", True),  # another number will do
        ('policy p { deny phrase "1 +"; deny phrase "\' +"; deny phrase "z +"; }', "in (", False),
    ],
)
def test_what_is_harmless(rule: str, text: str, expected: bool) -> None:
    """It fires where it should, so that the others of this file try something."""
    tables = tables_of(lets(rule))
    here = tables.here(tables.start).run(text.encode())
    assert here is not None
    assert tables.homes._harmless.goes_on(here) == expected


@pytest.mark.parametrize(
    "text", ["SELECT ", "SELECT name AS [a-b], ", "SELECT u.id FROM users AS u WHERE ", "DELETE FROM users "]
)
def test_sql_is_not_harmed_by_a_rule_about_lines(text: str) -> None:
    """Over a surface of all kinds of slots, with tokens that are kept and names that stand in no quotes."""
    ready = engine("CREATE TABLE users (id, name);")
    one = LoadedSurface(
        ready.surface, ready.environment, {}, PolicyRules(langc.parse_policy("policy p { deny [\\n]; }"))
    )
    tables = tables_of(one)
    here = tables.here(tables.start).run(text.encode())
    assert here is not None
    assert tables.homes._harmless.goes_on(here)


def test_searches_are_spared() -> None:
    """With a policy that denies line ends, a surface's masks need no search."""
    tables = tables_of(lets("policy p { deny [\\n]; }"))
    state = tables.start
    for byte in b"let x = (1 + 2); in x":
        tables.mask(state)
        following = tables.target(state, byte)
        assert following is not None
        state = following
    assert tables.homes.searches == 0
