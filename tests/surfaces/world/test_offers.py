"""A slot offers exactly the names that it takes, wherever a statement has come to; equal questions have one answer."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from langc.compiler.surfaces import model
from langc.compiler.surfaces.environment.names import Entry, NameSet, Words
from langc.compiler.surfaces.model import Fresh, Reference
from langc.compiler.surfaces.world.frame import Frame
from langc.compiler.surfaces.world.values import Bound, Promised, Value
from langc.compiler.surfaces.world.world import World
from tests.examples import examples
from tests.surfaces.world.tables import (
    ALIAS,
    BIND,
    COLUMN,
    CTE_NAME,
    DERIVED_ALIAS,
    MEMBER,
    OF_ALL,
    ORDINAL,
    OWN_COLUMN,
    OWN_SOURCE,
    RESULT,
    RESULT_ALIAS,
    SELECT,
    SETTLE,
    SHARED,
    SOURCE,
    SURFACE,
    TABLE,
    Writer,
    environment,
    names,
)
from tests.surfaces.world.test_statements import schema_of

FREE = (COLUMN, OWN_COLUMN, SOURCE, OWN_SOURCE, TABLE, SHARED, RESULT, OF_ALL, ORDINAL, CTE_NAME, RESULT_ALIAS)
SEEDS = st.integers(0, 1 << 32)


def words_of(world: World) -> set[bytes]:
    """Names that could mean something, and one that cannot."""
    found = {b"nothing", b"1", b"2", b"select"}
    for table in world.base.environment.group("Table"):
        found.add(table.name.encode())
        found |= {column.name.encode() for column in table.members["Column"]}
    for frame in world.frames:
        found |= names_in(frame)
    return found - {b""}


def names_in(frame: Frame) -> set[bytes]:
    """What a scope knows by name."""
    found = {bound.name for bound in frame.bound} | {pledge.name for pledge in frame.pledges}
    found |= {result.name for result in frame.results} | frame.open | frame.pins
    for bound in frame.bound:
        found |= getattr(bound.members, "names", frozenset())
    return found


def offers(offer: NameSet | Words | None, word: bytes) -> bool:
    """Whether an offer has a bare word."""
    if isinstance(offer, Words):
        return word not in (b"1", b"2") and offer.allows(word)
    return offer is not None and offer.find(word) is not None


def agree(world: World, slot: model.Slot, merge: str, **held: Value) -> None:
    """A slot against its taking."""
    locals_, parameters = tuple(sorted(held.items())), (("merge", merge),)
    offer = world.names(slot, locals_, parameters)
    assert offer is None or isinstance(offer, Words) or len(offer) > 0
    for word in words_of(world):
        if isinstance(offer, Words) and word in (b"1", b"2"):
            continue  # not of the shape that the words of an open slot have
        taken = world.take(slot, word, locals_, parameters)
        assert offers(offer, word) == (taken is not None), (slot, word, offer)
        if isinstance(offer, Words):
            quoted = world.take(slot, b'"' + word + b'"', locals_, parameters)
            assert (word not in offer.refused) == (quoted is not None), (slot, word, offer)


@dataclass
class Checking(Writer):
    """A writer that compares all slots of some of the places it comes to."""

    def take(self, slot: model.Slot, merge: str = "no", **held: Value) -> Value | None:
        if self.chance(0.15):
            self.check(merge)
        agree(self.world, slot, merge, **held)
        return super().take(slot, merge, **held)

    def check(self, merge: str) -> None:
        for slot in FREE:
            agree(self.world, slot, merge)
        agree(self.world, DERIVED_ALIAS, merge)
        for frame in self.world.frames:
            for bound in frame.bound:
                if bound.sort == "Source":
                    agree(self.world, MEMBER, merge, q=bound.plain)
            for pledge in frame.pledges:
                agree(self.world, MEMBER, merge, q=Promised(pledge.sort, pledge.name))
        for table in self.world.base.environment.group("Table"):
            agree(self.world, ALIAS, merge, t=table)


@settings(max_examples=examples(50), deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(SEEDS)
def test_offered_is_what_is_taken(seed: int) -> None:
    """In every kind of place that a statement comes to."""
    random = Random(seed)
    world = World.root(SURFACE, environment(schema_of(random)))
    Checking(world, random).statement()


# --- identity ---------------------------------------------------------------------------------------

SCHEMA = {"t": ["id", "a"], "u": ["id", "b"], "v": ["id", "c"]}


def begun() -> World:
    """A SELECT of which nothing is written."""
    world = World.root(SURFACE, environment(SCHEMA)).open(SELECT, (), ())
    assert world is not None
    return world


def after(world: World, slot: Reference | Fresh, lexeme: str, **held: Value) -> tuple[World, Value]:
    """A name that must be there to be taken."""
    found = world.take(slot, lexeme.encode(), tuple(sorted(held.items())), ())
    assert found is not None
    return found


def with_source(world: World, table: str) -> World:
    """With one table more in FROM."""
    world, value = after(world, TABLE, table)
    bound = world.act(BIND, (("t", value),), ())
    assert bound is not None
    return bound


def settled(world: World) -> World:
    """Behind FROM."""
    found = world.act(SETTLE, (), ())
    assert found is not None
    return found


def test_the_same_name_twice_is_the_same_world() -> None:
    """And in upper case, and between quotes."""
    once = after(begun(), COLUMN, "id")[0]
    assert all(after(once, COLUMN, way)[0] is once for way in ("id", "ID", '"id"', '"Id"'))


def test_the_order_of_promises_makes_no_difference() -> None:
    """Nor does whether they were made at all, once all is bound."""
    world = begun()
    one = after(after(world, COLUMN, "a")[0], COLUMN, "b")[0]
    assert one is after(after(world, COLUMN, "b")[0], COLUMN, "a")[0]
    plain = settled(with_source(with_source(world, "t"), "u"))
    assert settled(with_source(with_source(one, "u"), "t")) is plain


def test_equal_questions_have_one_answer() -> None:
    """The object that lists the names is the same, so that what is worked out of it can be kept."""
    world = begun()
    assert after(world, COLUMN, "a")[0].names(COLUMN, (), ()) is world.names(COLUMN, (), ())
    ready = settled(with_source(world, "t"))
    inside = ready.open(SELECT, (), ())
    assert inside is not None
    assert settled(with_source(inside, "t")).names(COLUMN, (), ()) is ready.names(COLUMN, (), ())
    assert isinstance(ready.names(TABLE, (), ()), NameSet)


def test_an_answer_is_not_changed_by_what_was_asked_before() -> None:
    """Two roots, asked in different orders."""
    first, second = begun(), begun()
    for name in ("a", "b", "c"):
        after(first, COLUMN, name)[0].names(COLUMN, (), ())
    assert names(first.names(COLUMN, (), ())) == names(second.names(COLUMN, (), ())) == {"id", "a", "b", "c"}
    assert after(first, COLUMN, "a")[0] != after(second, COLUMN, "a")[0], "worlds of different roots"


def test_values_are_compared_by_content() -> None:
    """A source that was taken is what it brings, wherever it is bound and whatever it has merged."""
    table = Entry("t", "Table")
    assert Bound("Source", b"t", table, frozenset({b"id"})).plain == Bound("Source", b"t", table)
