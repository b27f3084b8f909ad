"""Promises that count on merges to come, against a referee that follows all ways to an end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces.world.world import World
from tests.examples import examples
from tests.surfaces.world.tables import (
    ALIAS,
    BIND,
    MEMBER,
    MERGE,
    MERGED,
    MERGING_SELECT,
    OWN_COLUMN,
    OWN_SOURCE,
    SEPARATE,
    SETTLE,
    SHARED,
    SURFACE,
    TABLE,
    environment,
    names,
)
from tests.surfaces.world.test_promises import COLUMNS, SCHEMAS, offered_words, taken

SEEDS = st.integers(0, 1 << 32).map(Random)
Columns = frozenset[str]
NONE: Columns = frozenset()


@dataclass(frozen=True)
class Place:
    """What has been written of one SELECT: how often each column is seen, and what is still asked for."""

    schema: Mapping[str, Columns]
    seen: tuple[str, ...] = ()
    """The columns of what is bound, each as often as it is not merged."""
    bare: Columns = NONE
    """Columns that have to be seen once."""
    aliases: tuple[tuple[str, Columns], ...] = ()
    """Names that have to be bound, with columns of theirs."""
    used: Columns = NONE
    """Names that are bound."""
    merging: bool = True

    def bound(self, alias: str, table: str, merged: Columns) -> Place | None:
        """With one table more; None if it may not be."""
        own, asked = self.schema[table], dict(self.aliases)
        if alias in self.used or not asked.get(alias, NONE) <= own:
            return None
        if any(self.seen.count(column) != 1 for column in merged):
            return None
        seen = (*self.seen, *sorted(own - merged))
        if any(seen.count(column) > 1 for column in self.bare):
            return None
        left = tuple(pair for pair in self.aliases if pair[0] != alias)
        return replace(self, seen=seen, aliases=left, used=self.used | {alias})

    def asking(self, alias: str, column: str | None) -> Place:
        """With a column of a name asked for."""
        before = dict(self.aliases).get(alias, NONE)
        after = before | {column} if column else before
        others = tuple(pair for pair in self.aliases if pair[0] != alias)
        return replace(self, aliases=tuple(sorted((*others, (alias, after)))))

    @property
    def complete(self) -> bool:
        """Whether nothing is asked for any more."""
        return not self.aliases and all(self.seen.count(column) == 1 for column in self.bare)

    @property
    def possible(self) -> bool:
        """Whether some row of tables ends it. What is like a place that was seen need not be looked at."""
        met, waiting = {self._alike}, [self]
        for place in waiting:
            if place.complete:
                return True
            for after in place._onward():
                if after._alike not in met:
                    met.add(after._alike)
                    waiting.append(after)
        return False

    @property
    def _alike(self) -> tuple[tuple[int, ...], tuple[str, ...]]:
        counts = tuple(self.seen.count(column) for column in sorted(self.bare))
        return counts, tuple(alias for alias, _ in self.aliases)

    def _onward(self) -> Iterator[Place]:
        for alias in (*dict(self.aliases), f"new{len(self.used)}"):
            for table, own in self.schema.items():
                for merged in subsets(own & self.bare & set(self.seen)) if self.merging else [NONE]:
                    after = self.bound(alias, table, merged)
                    if after is not None:
                        yield after

    def joined(self, alias: str, table: str) -> list[tuple[Columns, Place]]:
        """All that may be merged with this table if it is joined next, and what is then."""
        ways = ((merged, self.bound(alias, table, merged)) for merged in subsets(self.schema[table] & set(self.seen)))
        return [(merged, after) for merged, after in ways if after is not None and after.possible]


def subsets(names: Columns) -> list[Columns]:
    """All of them."""
    return [frozenset(some) for size in range(len(names) + 1) for some in combinations(sorted(names), size)]


def compare(world: World, now: Place) -> None:
    """All slots of a place against the referee."""
    once = {column for column in COLUMNS if not now.used or now.seen.count(column) == 1}
    bare = {column for column in once if replace(now, bare=now.bare | {column}).possible}
    assert names(world.names(OWN_COLUMN, (), ())) == bare
    if not now.used:
        words = {*dict(now.aliases), "new"}
        expected = {word for word in words if now.asking(word, None).possible}
        assert offered_words(world.names(OWN_SOURCE, (), ()), sorted(words)) == expected
    for merge in ("no", "may"):
        tables = {table: aliases_of(now, table, merge) for table in now.schema}
        offer = world.names(TABLE, (), (("merge", merge),))
        assert names(offer) == {table for table, aliases in tables.items() if aliases}, merge
        for table, aliases in tables.items():
            found = world.take(TABLE, table.encode(), (), (("merge", merge),))
            assert (found is not None) == bool(aliases)
            if found is not None:
                alias = found[0].names(ALIAS, (("t", found[1]),), (("merge", merge),))
                assert offered_words(alias, sorted({*dict(now.aliases), "new"})) == aliases
    assert (world.act(SEPARATE, (), ()) is not None) == replace(now, merging=False).possible
    assert (world.act(SETTLE, (), ()) is not None) == now.complete


def aliases_of(now: Place, table: str, merge: str) -> set[str]:
    """The names under which a table can be bound next."""
    ways = {alias: now.joined(alias, table) for alias in (*dict(now.aliases), "new")}
    return {alias for alias, found in ways.items() if any(merge != "no" or not merged for merged, _ in found)}


def step(world: World, now: Place, random: Random) -> tuple[World, Place] | None:
    """One table more, somehow; None if there is none."""
    aliases = (*dict(now.aliases), f"f{len(now.used)}")
    ways = [(t, a, m, after) for t in now.schema for a in aliases for m, after in now.joined(a, t)]
    if not ways:
        return None
    table, alias, merged, after = random.choice(ways)
    parameters = (("merge", "may" if merged or random.random() < 0.3 else "no"),)
    found = world.take(TABLE, table.encode(), (), parameters)
    assert found is not None
    named = found[0].take(ALIAS, alias.encode(), (("t", found[1]),), parameters)
    assert named is not None
    bound = named[0].act(BIND, (("a", named[1]), ("t", found[1])), parameters)
    assert bound is not None
    for column in sorted(merged, key=lambda _: random.random()):
        assert column in names(bound.names(SHARED, (), ()))
        next_, value = taken(bound, SHARED, column)
        bound = next_.act(MERGE, (("c", value),), ())
        assert bound is not None
    assert bound.holds(MERGED, (), ())
    return bound, after


@settings(max_examples=examples(100), deadline=None)
@given(SCHEMAS, SEEDS)
def test_slots_offer_what_can_be_kept_with_merges(schema: dict[str, list[str]], random: Random) -> None:
    """No more, and no less, before FROM, in it, and once nothing merges any more."""
    begun = World.root(SURFACE, environment(schema)).open(MERGING_SELECT, (), ())
    assert begun is not None
    world, now = begun, Place({table: frozenset(columns) for table, columns in schema.items()})
    compare(world, now)
    while len(now.bare) + len(now.aliases) < 4 and random.random() < 0.8:
        world, now = asked(world, now, random)
    compare(world, now)
    for _ in range(4):
        if random.random() < 0.2 and (after := world.act(SEPARATE, (), ())) is not None:
            world, now = after, replace(now, merging=False)
            compare(world, now)
        following = step(world, now, random)
        if following is None:
            break
        world, now = following
        compare(world, now)
        if random.random() < 0.3:
            free = [c for c in COLUMNS if now.seen.count(c) == 1 and replace(now, bare=now.bare | {c}).possible]
            for column in free[:1]:
                world, now = taken(world, OWN_COLUMN, column)[0], replace(now, bare=now.bare | {column})
                compare(world, now)


def asked(world: World, now: Place, random: Random) -> tuple[World, Place]:
    """A column more that is asked for, if it can be had."""
    column = random.choice(COLUMNS)
    if random.random() < 0.6:
        after = replace(now, bare=now.bare | {column})
        return (taken(world, OWN_COLUMN, column)[0], after) if after.possible else (world, now)
    alias = random.choice(("p", "q"))
    if not now.asking(alias, column).possible:
        return world, now
    world, value = taken(world, OWN_SOURCE, alias)
    return taken(world, MEMBER, column, q=value)[0], now.asking(alias, column)


@pytest.mark.parametrize("merged", [True, False])
def test_what_counts_on_a_merge(merged: bool) -> None:
    """One column of each table, and one of both: the second table has to be joined."""
    world = World.root(SURFACE, environment({"t": ["id", "x"], "u": ["id", "y"]})).open(MERGING_SELECT, (), ())
    assert world is not None
    for column in ("id", "x", "y") if merged else ("x", "y"):
        world = taken(world, OWN_COLUMN, column)[0]
    assert (world.act(SEPARATE, (), ()) is None) == merged
    found, value = taken(world, TABLE, "t")
    bound = found.act(BIND, (("t", value),), ())
    assert bound is not None
    assert names(bound.names(TABLE, (), (("merge", "no"),))) == (set() if merged else {"u"})
