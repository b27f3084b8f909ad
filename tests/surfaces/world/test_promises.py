"""What a scope promises, and what its slots offer, against a referee that tries all ways."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.limits import MAX_OPEN_NAMES, MAX_SCOPE_SOURCES
from langc.compiler.surfaces import model
from langc.compiler.surfaces.environment.names import NameSet, Words
from langc.compiler.surfaces.world.promises import Problem, possible, solution
from langc.compiler.surfaces.world.values import Value
from langc.compiler.surfaces.world.world import World
from tests.examples import examples
from tests.surfaces.world.referee import MOST, Situation
from tests.surfaces.world.tables import (
    ALIAS,
    BIND,
    MEMBER,
    OWN_COLUMN,
    OWN_SOURCE,
    SELECT,
    SETTLE,
    SURFACE,
    TABLE,
    environment,
    names,
)

SEEDS = st.integers(0, 1 << 32).map(Random)
COLUMNS = ("a", "b", "c", "d")
SCHEMAS = st.lists(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4, unique=True), min_size=1, max_size=4).map(
    lambda tables: {f"t{number}": columns for number, columns in enumerate(tables)}
)


def begun(schema: dict[str, list[str]]) -> World:
    """A SELECT of which nothing is written."""
    world = World.root(SURFACE, environment(schema)).open(SELECT, (), ())
    assert world is not None
    return world


def taken(world: World, slot: object, lexeme: str, **held: Value) -> tuple[World, Value]:
    """A name that must be there to be taken."""
    found = world.take(slot, lexeme.encode(), tuple(sorted(held.items())), ())  # type: ignore[arg-type]
    assert found is not None
    return found


def offered_words(offer: NameSet | Words | None, words: list[str]) -> set[str]:
    """Which of some words are offered."""
    if isinstance(offer, Words):
        return {word for word in words if offer.allows(word.encode())}
    return names(offer) & set(words)


def compare(world: World, now: Situation) -> None:
    """All slots of a place against the referee."""
    early = not now.sources and len(now.bare) + len(now.aliases) < MOST  # the referee counts no further
    unbound = sorted(now.aliases - {name for name, _ in now.sources})
    if early:
        assert names(world.names(OWN_COLUMN, (), ())) == {c for c in COLUMNS if now.with_bare(c).possible}
        words = [*unbound, "new"]
        expected = {word for word in words if now.with_qualified(word, None).possible}
        assert offered_words(world.names(OWN_SOURCE, (), ()), words) == expected
    tables = {}
    for table in now.schema:
        tables[table] = {alias for alias in (*unbound, "new") if now.with_source(alias, table).possible}
    assert names(world.names(TABLE, (), ())) == {table for table, aliases in tables.items() if aliases}
    for table, aliases in tables.items():
        found = world.take(TABLE, table.encode(), (), ())
        assert (found is not None) == bool(aliases)
        if found is not None:
            offer = found[0].names(ALIAS, (("t", found[1]),), ())
            assert offered_words(offer, [*unbound, "new"]) == aliases
    assert (world.act(SETTLE, (), ()) is not None) == now.complete


@settings(max_examples=examples(120), deadline=None)
@given(SCHEMAS, SEEDS)
def test_slots_offer_what_can_be_kept(schema: dict[str, list[str]], random: Random) -> None:
    """No more, and no less."""
    world, now = begun(schema), Situation(schema)
    compare(world, now)
    while len(now.bare) + len(now.aliases) < MOST and random.random() < 0.8:
        column = random.choice(COLUMNS)
        if random.random() < 0.5:
            if now.with_bare(column).possible:
                world, now = taken(world, OWN_COLUMN, column)[0], now.with_bare(column)
        elif now.with_qualified(alias := random.choice(("p", "q")), None).possible:
            world, value = taken(world, OWN_SOURCE, alias)
            now = now.with_qualified(alias, None)
            members = {c for c in COLUMNS if now.with_qualified(alias, c).possible}
            assert names(world.names(MEMBER, (("q", value),), ())) == members
            if members:
                column = random.choice(sorted(members))
                world, now = taken(world, MEMBER, column, q=value)[0], now.with_qualified(alias, column)
    compare(world, now)
    for _ in range(MOST):
        unbound = sorted(now.aliases - {name for name, _ in now.sources})
        ways = [
            (table, alias)
            for table in schema
            for alias in (*unbound, f"f{len(now.sources)}")
            if now.with_source(alias, table).possible
        ]
        if not ways:
            return
        table, alias = random.choice(ways)
        world, value = taken(world, TABLE, table)
        world, name = taken(world, ALIAS, alias, t=value)
        after = world.act(BIND, (("a", name), ("t", value)), ())
        assert after is not None
        world, now = after, now.with_source(alias, table)
        compare(world, now)


@settings(max_examples=200, deadline=None)
@given(SCHEMAS, SEEDS)
def test_whatever_is_promised_can_be_bound(schema: dict[str, list[str]], random: Random) -> None:
    """From every early or joining place some row of bindings settles; here every offered name leads to one."""
    world = begun(schema)
    for _ in range(random.randrange(8)):
        if random.random() < 0.5:
            offer = world.names(OWN_COLUMN, (), ())
            if isinstance(offer, NameSet):
                world = taken(world, OWN_COLUMN, random.choice(offer.spellings).decode())[0]
        elif world.names(OWN_SOURCE, (), ()) is not None:
            alias = random.choice("pqrs")
            if offered_words(world.names(OWN_SOURCE, (), ()), [alias]):
                world, value = taken(world, OWN_SOURCE, alias)
                offer = world.names(MEMBER, (("q", value),), ())
                if isinstance(offer, NameSet):
                    world = taken(world, MEMBER, random.choice(offer.spellings).decode(), q=value)[0]
    for _ in range(random.randrange(3)):
        world = random.choice(following(world) or [world])
    assert can_settle(world)


def following(world: World) -> list[World]:
    """The worlds after one more source, under each promised alias and under a new one."""
    found = []
    offer = world.names(TABLE, (), ())
    for table in sorted(names(offer)):
        after, value = taken(world, TABLE, table)
        for alias in [pledge.name for pledge in world.frames[-1].pledges] + [
            f"f{len(world.frames[-1].bound)}".encode()
        ]:
            named = after.take(ALIAS, alias, (("t", value),), ())
            if named is not None:
                bound = named[0].act(BIND, (("a", named[1]), ("t", value)), ())
                assert bound is not None, "what was offered as an alias can be bound"
                found.append(bound)
    return found


def can_settle(world: World) -> bool:
    """Whether bindings that keep something each lead to a settled scope."""
    if world.act(SETTLE, (), ()) is not None:
        return True
    left = sum(len(part) for part in (world.frames[-1].open, world.frames[-1].pledges))
    nearer = (after for after in following(world) if len(after.frames[-1].open) + len(after.frames[-1].pledges) < left)
    return any(map(can_settle, nearer))


# --- the search for owners --------------------------------------------------------------------------


def brute(problem: Problem, size: int) -> bool:
    """All sets of suppliers for the open members, and all choices for the promised names."""
    suppliers = [1 << number for number in range(size) if problem.allowed >> number & 1]

    def named(rest: tuple[int, ...], chosen: list[int]) -> bool:
        if not rest:
            return more(0, chosen)
        free = (one for one in suppliers if not (one & problem.single and one in chosen))
        return any(named(rest[1:], [*chosen, one]) for one in free if one & rest[0])

    def more(start: int, chosen: list[int]) -> bool:
        counts = [sum(bool(one & owner) for one in chosen) for owner in problem.open]
        if any(count > 1 for count in counts):
            return False
        if all(counts):
            return True
        free = (
            n for n in range(start, len(suppliers)) if not (suppliers[n] & problem.single and suppliers[n] in chosen)
        )
        return any(more(number + 1, [*chosen, suppliers[number]]) for number in free)

    return named(problem.named, [])


SIZE = 6
BITS = st.integers(0, (1 << SIZE) - 1)
PROBLEMS = st.tuples(BITS, st.frozensets(BITS, max_size=5), st.lists(BITS, max_size=3)).map(
    lambda parts: Problem(
        parts[0], frozenset(bits & parts[0] for bits in parts[1]), tuple(bits & parts[0] for bits in parts[2])
    )
)


@settings(max_examples=examples(600), deadline=None)
@given(PROBLEMS)
def test_the_search_is_exact(problem: Problem) -> None:
    """Within its limits."""
    assert possible(problem) == brute(problem, SIZE)


@settings(max_examples=examples(300), deadline=None)
@given(PROBLEMS, BITS)
def test_what_can_be_bound_once_is_bound_once(problem: Problem, single: int) -> None:
    """Whichever promises it could keep."""
    problem = replace(problem, single=single)
    assert possible(problem) == brute(problem, SIZE)


@settings(max_examples=300, deadline=None)
@given(PROBLEMS)
def test_a_solution_solves(problem: Problem) -> None:
    """What is said to keep all promises does."""
    found = solution(problem)
    if found is None:
        return
    assert all(one.bit_count() == 1 and one & problem.allowed for one in found)
    assert all(sum(bool(one & owner) for one in found) == 1 for owner in problem.open)
    assert matches(problem.named, list(found))


def matches(named: tuple[int, ...], found: list[int]) -> bool:
    """Whether every promised name gets a supplier of its own."""
    if not named:
        return True
    return any(
        one & named[0] and matches(named[1:], found[:number] + found[number + 1 :]) for number, one in enumerate(found)
    )


# --- limits -----------------------------------------------------------------------------------------


def test_past_the_limit_only_names_of_tables_that_are_needed() -> None:
    """Each of many columns has an owner alone and one with the next column; then there are tables that stand alone."""
    count = MAX_OPEN_NAMES + 3
    schema = {f"s{n}": [f"c{n}"] for n in range(count)} | {f"p{n}": [f"c{n}", f"c{n + 1}"] for n in range(count)}
    schema |= {"sole": ["x", "y"], "other": ["z"]}
    world = begun(schema)
    for number in range(MAX_OPEN_NAMES):
        world = taken(world, OWN_COLUMN, f"c{number}")[0]
    over = names(world.names(OWN_COLUMN, (), ()))
    assert f"c{MAX_OPEN_NAMES}" not in over
    assert {"x", "y", "z"} <= over, "their owners are needed whatever else is"
    for name in ("x", "y", "z"):
        world = taken(world, OWN_COLUMN, name)[0]
    assert can_settle(world)


def test_past_the_limit_of_sources_only_what_was_promised() -> None:
    """Nothing is bound under a new name then, and the scope can still be settled."""
    world = begun({"t": ["a"], "u": ["b"]})
    for number in range(MAX_SCOPE_SOURCES):
        world = taken(world, OWN_SOURCE, f"p{number}")[0]
    assert names(world.names(OWN_SOURCE, (), ())) == {f"p{number}" for number in range(MAX_SCOPE_SOURCES)}
    for number in range(MAX_SCOPE_SOURCES):
        after, value = taken(world, TABLE, "t")
        offer = after.names(ALIAS, (("t", value),), ())
        assert isinstance(offer, NameSet)
        assert len(names(offer)) == MAX_SCOPE_SOURCES - number
        named, alias = taken(after, ALIAS, f"p{number}", t=value)
        bound = named.act(BIND, (("a", alias), ("t", value)), ())
        assert bound is not None
        world = bound
    assert world.names(TABLE, (), ()) is None
    assert world.act(SETTLE, (), ()) is not None


@pytest.mark.parametrize("count", [MAX_OPEN_NAMES, 3 * MAX_OPEN_NAMES])
def test_names_of_one_table_are_as_one(count: int) -> None:
    """Names with the same owners do not count twice."""
    world = begun({"t": [f"c{n}" for n in range(count)], "u": ["x"]})
    for number in range(count):
        world = taken(world, OWN_COLUMN, f"c{number}")[0]
    assert names(world.names(TABLE, (), ())) == {"t", "u"}


# --- sources without aliases ------------------------------------------------------------------------

BARE_SURFACE = replace(
    SURFACE, rules={"start": model.Rule("start", model.Sequence((OWN_COLUMN, OWN_SOURCE, MEMBER, TABLE, BIND)))}
)


def settles_bare(world: World) -> bool:
    """Whether tables under their own names keep what is promised."""
    if world.act(SETTLE, (), ()) is not None:
        return True
    for table in sorted(names(world.names(TABLE, (), ()))):
        after, value = taken(world, TABLE, table)
        bound = after.act(BIND, (("t", value),), ())
        assert bound is not None, "what is offered can be bound"
        if settles_bare(bound):
            return True
    return False


@settings(max_examples=examples(150), deadline=None)
@given(SCHEMAS, SEEDS)
def test_where_no_alias_can_be_written(schema: dict[str, list[str]], random: Random) -> None:
    """A table is bound once and under its own name; a name is offered exactly if that is enough."""
    world = World.root(BARE_SURFACE, environment(schema)).open(SELECT, (), ())
    assert world is not None
    for _ in range(4):
        for name in COLUMNS:
            found = world.take(OWN_COLUMN, name.encode(), (), ())
            assert (found is not None) == (name in names(world.names(OWN_COLUMN, (), ())))
            assert found is None or settles_bare(found[0])
        offer = world.names(OWN_SOURCE, (), ())
        assert names(offer) <= set(schema)
        if random.random() < 0.5 and offer is not None:
            world, value = taken(world, OWN_SOURCE, random.choice(sorted(names(offer))))
            members = world.names(MEMBER, (("q", value),), ())
            if isinstance(members, NameSet):
                world = taken(world, MEMBER, random.choice(sorted(names(members))), q=value)[0]
        elif (columns := world.names(OWN_COLUMN, (), ())) is not None:
            world = taken(world, OWN_COLUMN, random.choice(sorted(names(columns))))[0]
        assert settles_bare(world)
