"""Rules of SQLite for names, one at a time: what is offered, and that SQLite refuses what is not."""

from __future__ import annotations

from langc.compiler.surfaces import model
from langc.compiler.surfaces.environment.names import Words
from langc.compiler.surfaces.model import Action, Within
from langc.compiler.surfaces.world.values import Value
from langc.compiler.surfaces.world.world import World
from tests.surfaces.world.tables import (
    ADOPT,
    ALIAS,
    BARRIER,
    BIND,
    BIND_CTE,
    BIND_DERIVED,
    COLUMN,
    CTE_NAME,
    DERIVED_ALIAS,
    EXPORT,
    EXPORT_ALL,
    EXPORT_NOTHING,
    MEMBER,
    MERGE,
    MERGE_ALL,
    OF_ALL,
    QUERY,
    RESULT,
    RESULT_ALIAS,
    SELECT,
    SELECT_FROM,
    SELECT_ONE,
    SETTLE,
    SHARED,
    SOURCE,
    SURFACE,
    TABLE,
    WITH,
    environment,
    names,
)
from tests.surfaces.world.test_statements import fault

SCHEMA = {"t": ["id", "a"], "u": ["id", "b"], "v": ["id", "c"], "w": ["d"]}


class Script:
    """A statement written by hand: each step must be possible."""

    def __init__(self, *scopes: Within) -> None:
        self.world = World.root(SURFACE, environment(SCHEMA))
        self.open(*scopes)

    def open(self, *scopes: Within) -> Script:
        for scope in scopes:
            world = self.world.open(scope, (), ())
            assert world is not None
            self.world = world
        return self

    def close(self, *scopes: Within) -> Script:
        for scope in scopes:
            world = self.world.close(scope)
            assert world is not None
            self.world = world
        return self

    def take(self, slot: model.Slot, lexeme: str, merge: str = "no", **held: Value) -> Value:
        taken = self.world.take(slot, lexeme.encode(), tuple(sorted(held.items())), (("merge", merge),))
        assert taken is not None, lexeme
        self.world, value = taken
        return value

    def act(self, action: Action, merge: str = "no", **held: Value) -> Script:
        world = self.world.act(action, tuple(sorted(held.items())), (("merge", merge),))
        assert world is not None
        self.world = world
        return self

    def column(self, name: str) -> Script:
        return self.act(EXPORT, c=self.take(COLUMN, name))

    def qualified(self, source: str, column: str) -> Script:
        return self.act(EXPORT, c=self.take(MEMBER, column, q=self.take(SOURCE, source)))

    def alias(self, name: str) -> Script:
        return self.act(EXPORT, r=self.take(RESULT_ALIAS, name))

    def source(self, table: str, alias: str | None = None, merge: str = "no") -> Script:
        held = {"t": self.take(TABLE, table, merge)}
        if alias is not None:
            held["a"] = self.take(ALIAS, alias, merge, **held)
        return self.act(BIND, merge, **held)

    def settle(self) -> Script:
        return self.act(SETTLE)

    def names(self, slot: model.Slot, merge: str = "no", **held: Value) -> set[str]:
        return names(self.world.names(slot, tuple(sorted(held.items())), (("merge", merge),)))


def test_an_alias_of_a_result_hides_outer_columns() -> None:
    """SQLite takes the alias, which is no value if it is an aggregate's."""
    script = Script(SELECT, SELECT_ONE).alias("a").source("w").settle()
    assert script.names(COLUMN) == {"d", "b", "c", "id"}
    assert script.world.take(COLUMN, b"a", (), ()) is None
    assert fault(SCHEMA, "SELECT (SELECT count(*) AS a FROM w WHERE a) FROM t") is not None
    assert fault(SCHEMA, "SELECT (SELECT count(*) AS z FROM w WHERE a) FROM t") is None


def test_a_column_of_on_stays_the_only_one() -> None:
    """A later table may not own it."""
    script = Script(SELECT).source("w").source("t")
    assert script.names(COLUMN) == {"d", "id", "a"}
    script.take(COLUMN, "id")
    assert script.names(TABLE) == {"w"}
    assert fault(SCHEMA, "SELECT 1 FROM w JOIN t ON id JOIN u") is not None
    assert fault(SCHEMA, "SELECT 1 FROM w JOIN t ON a JOIN u") is None


def test_a_qualified_column_does_not() -> None:
    """`t.id` may be had beside `u.id`."""
    script = Script(SELECT).source("w").source("t")
    script.take(MEMBER, "id", q=script.take(SOURCE, "t"))
    assert script.names(TABLE) == {"t", "u", "v", "w"}


def test_an_outer_column_is_not_shadowed_later() -> None:
    """What ON takes from an outer query no derived table that follows may give out."""
    script = Script(SELECT).source("t").settle().open(SELECT_ONE).act(EXPORT_NOTHING).source("w")
    assert "a" not in script.names(COLUMN), "a later table could own it"
    assert fault(SCHEMA, "SELECT (SELECT 1 FROM w JOIN w w2 ON a) FROM t") is None

    made = Script(SELECT).open(BARRIER, SELECT_FROM).alias("z").settle()
    made.close(SELECT_FROM).act(ADOPT).close(BARRIER)
    made.act(BIND_DERIVED, a=made.take(DERIVED_ALIAS, "made")).settle()
    made.open(SELECT_ONE).act(EXPORT_NOTHING).source("w")
    assert "z" in made.names(COLUMN)
    made.take(COLUMN, "z")
    made.open(BARRIER, SELECT_FROM)
    offer = made.world.names(RESULT_ALIAS, (), ())
    assert isinstance(offer, Words)
    assert not offer.allows(b"z")
    assert offer.allows(b"y")


def test_inner_tables_hide_outer_columns() -> None:
    """Even if the inner ones are two, and the name is ambiguous for that."""
    script = Script(SELECT).source("t").source("w").settle().open(SELECT_ONE).source("u").source("v").settle()
    assert script.names(COLUMN) == {"a", "d", "b", "c"}
    assert "ambiguous" in str(fault(SCHEMA, "SELECT (SELECT id FROM u, v) FROM t, w"))


def test_derived_tables_see_no_siblings() -> None:
    """Nor anything else of what is around."""
    script = Script(SELECT).source("t").open(BARRIER, SELECT_FROM).act(EXPORT_NOTHING).source("w").settle()
    assert script.names(COLUMN) == {"d"}
    assert fault(SCHEMA, "SELECT 1 FROM t, (SELECT 1 FROM w WHERE a)") is not None


def test_using_makes_one_column_of_two() -> None:
    """Before it the column is nobody's alone; after it a third table can be joined by it."""
    script = Script(SELECT).source("t").source("u", merge="yes")
    assert script.names(COLUMN) == {"a", "b"}
    assert script.names(SHARED) == {"id"}
    script.act(MERGE, c=script.take(SHARED, "id"))
    assert script.names(COLUMN) == {"a", "b", "id"}
    script.source("v", merge="yes")
    assert script.names(SHARED) == {"id"}
    script.act(MERGE_ALL)
    assert script.names(COLUMN) == {"a", "b", "c", "id"}
    assert fault(SCHEMA, "SELECT id FROM t JOIN u USING (id) NATURAL JOIN v") is None


def test_a_promised_column_may_be_merged() -> None:
    """`SELECT id FROM t JOIN u USING (id)`, and not without USING."""
    script = Script(SELECT).column("id").source("t")
    assert script.names(TABLE) == {"w"}
    assert script.names(TABLE, merge="yes") == {"t", "u", "v", "w"}
    script.source("u", merge="yes")
    assert script.world.act(SETTLE, (), ()) is None
    script.act(MERGE, c=script.take(SHARED, "id")).settle()


def test_a_star_that_is_counted() -> None:
    """`x IN (SELECT * FROM …)`: a table of one column."""
    script = Script(SELECT, SELECT_ONE).act(EXPORT_ALL)
    assert script.names(TABLE) == {"w"}
    script.source("w")
    assert script.names(TABLE) == set()
    script.settle().close(SELECT_ONE)
    assert fault(SCHEMA, "SELECT 1 IN (SELECT * FROM t)") is not None
    assert fault(SCHEMA, "SELECT * ") is not None
    assert Script(SELECT).act(EXPORT_ALL).world.act(SETTLE, (), ()) is None


def test_order_by_of_a_union() -> None:
    """Aliases, and columns whose bare name is theirs."""
    script = Script(QUERY, SELECT).qualified("t", "id").qualified("t", "a").qualified("u", "b").alias("z")
    script.source("t").source("u").settle().close(SELECT).act(ADOPT)
    assert script.names(OF_ALL) == {"a", "b", "z"}
    union = "SELECT t.id, t.a, u.b, 1 AS z FROM t, u UNION SELECT 1, 2, 3, 4 ORDER BY "
    assert [fault(SCHEMA, union + name) is None for name in ("id", "a", "b", "z")] == [False, True, True, True]


def test_aliases_of_results() -> None:
    """Usable in GROUP BY, unless it is the name of two columns."""
    script = Script(SELECT).act(EXPORT, r=script_alias("id")).alias("z").source("t").source("u").settle()
    assert script.names(RESULT) == {"z"}
    assert "ambiguous" in str(fault(SCHEMA, "SELECT 1 AS id, 2 AS z FROM t, u GROUP BY id"))
    assert fault(SCHEMA, "SELECT 1 AS id, 2 AS z FROM t, u GROUP BY z") is None


def script_alias(name: str) -> Value:
    """A fresh name for a result."""
    return Script(SELECT).take(RESULT_ALIAS, name)


def test_a_table_of_with_is_a_table() -> None:
    """Its columns can be promised, and its name is no other's."""
    script = Script(WITH)
    name = script.take(CTE_NAME, "made")
    script.open(BARRIER, SELECT).alias("x").column("a").source("t").settle().close(SELECT).act(ADOPT).close(BARRIER)
    script.act(BIND_CTE, n=name).open(SELECT)
    assert {"x", "a", "id"} <= script.names(COLUMN)
    assert script.names(TABLE) == {"t", "u", "v", "w", "made"}
    script.column("x")
    assert script.names(TABLE) >= {"made", "t"}
    script.source("made").settle()
    assert script.names(COLUMN) == {"x", "a"}
    offer = script.world.names(CTE_NAME, (), ())
    assert isinstance(offer, Words)
    assert not offer.allows(b"made")
    assert not offer.allows(b"t")


def test_a_derived_table_keeps_what_was_promised() -> None:
    """What it gives out may not own a promised column twice, but may be the one that owns it."""
    script = Script(SELECT).column("id").source("t").open(BARRIER, SELECT_FROM)
    value = script.take(COLUMN, "id")
    assert script.world.act(EXPORT, (("c", value),), ()) is None
    offer = script.world.names(RESULT_ALIAS, (), ())
    assert isinstance(offer, Words)
    assert not offer.allows(b"id")

    first = Script(SELECT).column("id").open(BARRIER, SELECT_FROM).column("id").source("t").settle()
    first.close(SELECT_FROM).act(ADOPT).close(BARRIER)
    first.act(BIND_DERIVED, a=first.take(DERIVED_ALIAS, "x")).settle()
    assert first.names(COLUMN) == {"id"}


def test_a_promised_alias_in_quotes() -> None:
    """One that is no word can be written where it is due."""
    script = Script(SELECT).qualified('"two words"', "id").source("w")
    offer = script.world.names(ALIAS, (("t", script.take(TABLE, "t")),), ())
    assert isinstance(offer, Words)
    assert offer.quoted
    script.source("t", '"two words"').settle()
