"""A surface with the names of SQL and nothing else, and a writer that makes statements of operations on its world.

The writer draws every choice from what the world offers, and writes down what it has done as SQL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from langc.compiler.surfaces import model
from langc.compiler.surfaces.environment.names import Entry, Environment, Group, NameSet, Words
from langc.compiler.surfaces.model import Action, Fresh, Reference, Within
from langc.compiler.surfaces.world.values import Value
from langc.compiler.surfaces.world.world import World

COLUMN = Reference("Column", "c", scope="Select", outward=True, unique=True, defer=True)
OWN_COLUMN = Reference("Column", "c", scope="Select", unique=True, defer=True)
SOURCE = Reference("Source", "q", scope="Select", outward=True, defer=True)
OWN_SOURCE = Reference("Source", "q", scope="Select", defer=True)
MEMBER = Reference("Column", "c", of="q")
TABLE = Reference("Table", "t", feeds="Select")
SHARED = Reference("Column", "c", scope="Select", shared=True)
RESULT = Reference("Result", "r", scope="Select", results=True, unique=True, where=("explicit",))
OF_ALL = Reference("Result", "r", scope="Query", results=True)
ORDINAL = Reference("Ordinal", "r", scope="Select", results=True)
ALIAS = Fresh("Source", "a", feeds="Select", as_="t")
DERIVED_ALIAS = Fresh("Source", "a", feeds="Select")
RESULT_ALIAS = Fresh("Result", "r")
CTE_NAME = Fresh("Table", "n", other_than=("Table",))

BIND = Action("bind", (("name", "a ?? t"), ("sort", "Source"), ("in", "Select"), ("members", "t")))
BIND_DERIVED = Action("bind", (("name", "a"), ("sort", "Source"), ("in", "Select"), ("members", "last")))
BIND_CTE = Action("bind", (("name", "n"), ("sort", "Table"), ("in", "With"), ("members", "last")))
EXPORT = Action("export", (("name", "c"), ("alias", "r")))
EXPORT_NOTHING = Action("export")
EXPORT_ALL = Action("export", (("name", "all"),))
EXPORT_ALL_OF = Action("export", (("name", "all"), ("of", "q")))
SETTLE = Action("settle", (("scope", "Select"),))
ADOPT = Action("adopt")
MERGE = Action("merge", (("name", "c"),))
MERGE_ALL = Action("merge", (("name", "all"),))
SEPARATE = Action("separate", (("scope", "Select"),))
MERGED = model.Guard("merged", (("in", "Select"),))
ROOM = model.Guard("room")
ENOUGH = model.Guard("enough")

NOTHING = model.Literal("")
SELECT = Within("Select", NOTHING)
MERGING_SELECT = Within("Select", NOTHING, (("merge", "may"),))
SELECT_ONE = Within("Select", NOTHING, (("want", "1"),))
SELECT_LAST = Within("Select", NOTHING, (("want", "last"),))
SELECT_FROM = Within("Select", NOTHING, (("feeds", "Select"),))
QUERY = Within("Query", NOTHING)
WITH = Within("With", NOTHING)
BARRIER = Within("Barrier", NOTHING)

_PARTS = (
    *(COLUMN, OWN_COLUMN, SOURCE, OWN_SOURCE, MEMBER, TABLE, SHARED, RESULT, OF_ALL, ORDINAL),
    *(ALIAS, DERIVED_ALIAS, RESULT_ALIAS, CTE_NAME),
    *(BIND, BIND_DERIVED, BIND_CTE, EXPORT),
    *(SELECT, SELECT_ONE, SELECT_FROM),
)
SURFACE = model.Surface(
    "tables",
    "start",
    {"start": model.Rule("start", model.Sequence(_PARTS))},
    {},
    {
        name: model.Sort(name, "Table" if name == "Column" else None)
        for name in ("Table", "Column", "Source", "Result", "Ordinal")
    },
    {"Barrier": model.Scope("Barrier", True)} | {name: model.Scope(name) for name in ("Select", "Query", "With")},
    keywords=frozenset({"SELECT", "AS", "FROM", "ON", "USING", "JOIN", "WHERE", "NATURAL", "BY", "ORDER", "GROUP"}),
    fold_case=True,
    quotes=(('"', '"'),),
)


def environment(schema: Mapping[str, Sequence[str]]) -> Environment:
    """Γ of tables and their columns."""
    tables = (
        Entry(name, "Table", members={"Column": Group.of_names("Column", columns)}) for name, columns in schema.items()
    )
    return Environment("tables", {"Table": Group.of(tables)})


def names(offer: NameSet | Words | None) -> set[str]:
    """The folded names of an offer."""
    assert not isinstance(offer, Words)
    return set() if offer is None else {entry.name.lower() for entry in offer.entries}


class Stuck(AssertionError):
    """Something was offered, and then there was no way on."""


def open_names(world: World) -> int:
    """How much is still promised in the innermost scope."""
    frame = world.frames[-1]
    return len(frame.open) + len(frame.pledges)


@dataclass
class Writer:
    """Writes one statement; `world` is what Γ has become."""

    world: World
    random: Random
    text: list[str] = field(default_factory=list)
    depth: int = 0
    fresh: int = 0

    # --- steps --------------------------------------------------------------------------------------

    def write(self, *words: str) -> None:
        self.text += words

    def act(self, action: Action, merge: str = "no", **held: Value) -> None:
        """Does what must be possible."""
        after = self.world.act(action, tuple(sorted(held.items())), (("merge", merge),))
        if after is None:
            raise Stuck(f"{action} in {' '.join(self.text)}")
        self.world = after

    @property
    def merging(self) -> bool:
        """Whether promises of the innermost scope count on merges."""
        return self.world.frames[-1].merging

    def can(self, action: Action, **held: Value) -> bool:
        return self.world.act(action, tuple(sorted(held.items())), ()) is not None

    def offered(self, slot: model.Slot, merge: str = "no", **held: Value) -> NameSet | Words | None:
        return self.world.names(slot, tuple(sorted(held.items())), (("merge", merge),))

    def lexeme(self, offer: NameSet | Words) -> str:
        """One of the offered spellings; of open slots a word from a small store."""
        if isinstance(offer, NameSet):
            return self.random.choice(offer.spellings).decode()
        store = [*"abcdxyz", "t", "u", "id", "k"]
        allowed = [word for word in store if offer.allows(word.encode())]
        self.fresh += 1
        return self.random.choice(allowed) if allowed and self.random.random() < 0.8 else f"fresh{self.fresh}"

    def take(self, slot: model.Slot, merge: str = "no", **held: Value) -> Value | None:
        """Writes one of the names that a slot offers."""
        offer = self.offered(slot, merge, **held)
        if offer is None:
            return None
        lexeme = self.lexeme(offer)
        parameters = (("merge", merge),)
        taken = self.world.take(slot, lexeme.encode(), tuple(sorted(held.items())), parameters)
        if taken is None:
            raise Stuck(f"{lexeme} in {' '.join(self.text)}")
        self.world, value = taken
        self.write(lexeme)
        return value

    def open(self, within: Within, merge: str = "no") -> bool:
        after = self.world.open(within, (), (("merge", merge),))
        if after is None:
            return False
        self.world = after
        return True

    def close(self, within: Within) -> None:
        after = self.world.close(within)
        if after is None:
            raise Stuck(f"cannot close {within.scope}: {' '.join(self.text)}")
        self.world = after

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # --- SQL ----------------------------------------------------------------------------------------

    def statement(self) -> str:
        """A whole statement."""
        if self.chance(0.3):
            self.open(WITH)
            self.write("WITH")
            for number in range(self.random.randint(1, 2)):
                self.write(*[","] * bool(number))
                self.cte()
        self.query()
        return " ".join(self.text)

    def cte(self) -> None:
        name = self.take(CTE_NAME)
        assert name is not None
        self.write("AS", "(")
        self.open(BARRIER)
        self.query()
        self.act(ADOPT)
        self.close(BARRIER)
        self.write(")")
        self.act(BIND_CTE, n=name)

    def query(self, within: Within = SELECT, merge: str = "no") -> bool:
        """A SELECT, or two of them joined. False if it could not be begun."""
        self.open(QUERY)
        union = self.chance(0.2)
        if not self.select(within, order=not union and self.chance(0.3), merge=merge):
            after = self.world.close(QUERY)
            assert after is not None
            self.world = after
            return False
        self.act(ADOPT)
        if union:
            self.write("UNION")
            self.select(SELECT_LAST, order=False)
            if self.chance(0.5) and self.offered(OF_ALL) is not None:
                self.write("ORDER BY")
                self.take(OF_ALL)
        self.close(QUERY)
        return True

    def select(self, within: Within, order: bool, merge: str = "no") -> bool:
        if self.chance(0.5):
            within = replace(within, options=(*within.options, ("merge", "may")))
        if not self.open(within, merge):
            return False
        self.write("SELECT")
        self.items()
        if self.needs_source() or self.chance(0.8):
            self.sources()
        self.act(SETTLE)
        self.rest(order)
        self.close(within)
        return True

    def needs_source(self) -> bool:
        return self.world.act(SETTLE, (), ()) is None

    def items(self) -> None:
        count = 0
        while True:
            self.write(*[","] * bool(count))
            self.item()
            count += 1
            room = self.world.holds(ROOM, (), ())
            if not room or (self.world.holds(ENOUGH, (), ()) and self.chance(0.5)):
                return

    def item(self) -> None:
        kind = self.random.randrange(6)
        if kind == 0 and self.can(EXPORT_ALL):
            self.act(EXPORT_ALL)
            self.write("*")
        elif kind == 1 and self.depth < 3 and self.qualified_star():
            return
        elif kind <= 4:
            self.expression(named=True)
        else:
            self.write("1")
            self.act(EXPORT_NOTHING)

    def qualified_star(self) -> bool:
        before, length = self.world, len(self.text)
        source = self.take(OWN_SOURCE)
        if source is not None and self.can(EXPORT_ALL_OF, q=source):
            self.act(EXPORT_ALL_OF, q=source)
            self.write(".", "*")
            return True
        self.world = before
        del self.text[length:]
        return False

    def expression(self, named: bool = False) -> None:
        """Some value; as a result if `named`."""
        column = None
        if self.depth < 2 and self.chance(0.15):
            self.subquery()
        else:
            column = self.column()
            if column is None:
                self.write("1")
        if not named:
            return
        alias = self.chance(0.3) or (column is not None and not self.can(EXPORT, c=column))
        if alias:
            self.write("AS")
            value = self.take(RESULT_ALIAS)
            assert value is not None
            self.act(EXPORT, r=value)
        elif column is not None:
            self.act(EXPORT, c=column)
        else:
            self.act(EXPORT_NOTHING)

    def column(self, local: bool = False) -> Value | None:
        slot = OWN_COLUMN if local else COLUMN
        if self.chance(0.6) and self.offered(slot) is not None:
            return self.take(slot)
        before, length = self.world, len(self.text)
        source = self.take(OWN_SOURCE if local else SOURCE)
        if source is not None:
            self.write(".")
            column = self.take(MEMBER, q=source)
            if column is not None:
                return column
        self.world = before
        del self.text[length:]
        return None

    def subquery(self) -> None:
        self.depth += 1
        self.write("(")
        assert self.query(SELECT_ONE)
        self.write(")")
        self.depth -= 1

    def sources(self) -> None:
        self.write("FROM")
        count = 0
        while True:
            if self.chance(0.1) and (after := self.world.act(SEPARATE, (), ())) is not None:
                self.world = after
            if count in (1, 2):
                self.join()
            elif not (self.further() if count else self.source("no")):
                raise Stuck(f"no source in {' '.join(self.text)}")
            count += 1
            if not self.needs_source() and (count > 2 or self.chance(0.6)):
                return

    def further(self) -> bool:
        """One more source that keeps some promise, merged if that is counted on."""
        if not self.needs_source():
            return True
        merge = "yes" if self.merging else "no"
        self.write("JOIN" if self.merging else ",")
        if not self.useful_source(merge):
            return False
        if not self.world.holds(MERGED, (), ()):
            self.condition()
        return True

    def source(self, merge: str) -> bool:
        """One source. False if there is none."""
        if merge != "all" and self.depth < 2 and self.chance(0.25) and self.derived(merge):
            return True
        table = self.take(TABLE, merge)
        if table is None:
            return False
        held: dict[str, Value] = {"t": table}
        itself = self.world.act(BIND, (("t", table),), (("merge", merge),))
        alias = self.offered(ALIAS, merge, t=table)
        if itself is None and alias is None:
            raise Stuck(f"no name for a source in {' '.join(self.text)}")
        if itself is None or (alias is not None and self.chance(0.4)):
            self.write("AS")
            value = self.take(ALIAS, merge, t=table)
            assert value is not None
            held["a"] = value
        self.act(BIND, merge, **held)
        return True

    def useful_source(self, merge: str) -> bool:
        offer = self.offered(TABLE, merge)
        for table in offer.spellings if isinstance(offer, NameSet) else ():
            for alias in (
                b"",
                f"other{len(self.world.frames[-1].bound)}".encode(),
                *(pledge.name for pledge in self.world.frames[-1].pledges),
            ):
                after = self.bound_as(table, alias, merge)
                if after is not None and open_names(after) < open_names(self.world):
                    self.world = after
                    self.write(table.decode(), *(["AS", alias.decode()] if alias else []))
                    return True
        return False

    def bound_as(self, table: bytes, alias: bytes, merge: str) -> World | None:
        parameters = (("merge", merge),)
        taken = self.world.take(TABLE, table, (), parameters)
        if taken is None:
            raise Stuck(f"{table!r} in {' '.join(self.text)}")
        world, value = taken
        held: dict[str, Value] = {"t": value}
        if alias:
            named = world.take(ALIAS, alias, (("t", value),), parameters)
            if named is None:
                return None
            world, held["a"] = named
        return world.act(BIND, tuple(sorted(held.items())), parameters)

    def derived(self, merge: str) -> bool:
        before, length = self.world, len(self.text)
        self.depth += 1
        self.write("(")
        self.open(BARRIER)
        begun = self.query(SELECT_FROM, merge)
        self.depth -= 1
        if not begun:
            self.world = before
            del self.text[length:]
            return False
        self.act(ADOPT)
        self.close(BARRIER)
        self.write(")", "AS")
        alias = self.take(DERIVED_ALIAS, merge)
        if alias is None:
            raise Stuck(f"no alias in {' '.join(self.text)}")
        self.act(BIND_DERIVED, merge, a=alias)
        return True

    def join(self) -> None:
        before, length = self.world, len(self.text)
        kind = self.random.randrange(4)
        self.write((",", "JOIN", "LEFT JOIN", "NATURAL JOIN")[kind])
        if not self.source(("no", "yes", "yes", "all")[kind]):
            if kind == 0 and self.needs_source() and not self.merging:
                raise Stuck(f"no further source in {' '.join(self.text)}")
            self.world = before
            del self.text[length:]
            return
        if kind == 3:
            self.act(MERGE_ALL)
        elif kind:
            self.condition()

    def condition(self) -> None:
        pending = not self.world.holds(MERGED, (), ())
        if not pending and (self.chance(0.6) or self.offered(SHARED) is None):
            if self.chance(0.7):
                self.write("ON")
                self.expression()
            return
        self.write("USING", "(")
        first = True
        while first or not self.world.holds(MERGED, (), ()):
            self.write(*[","] * (not first))
            column = self.take(SHARED)
            if column is None:
                raise Stuck(f"nothing to merge in {' '.join(self.text)}")
            self.act(MERGE, c=column)
            first = False
        self.write(")")

    def rest(self, order: bool) -> None:
        if self.chance(0.5):
            self.write("WHERE")
            self.expression()
            if self.chance(0.5):
                self.write("=")
                self.expression()
        if self.chance(0.2):
            self.write("GROUP BY")
            self.term(RESULT)
        if order:
            self.write("ORDER BY")
            self.term(self.random.choice((RESULT, ORDINAL)))

    def term(self, slot: Reference) -> None:
        """A term of GROUP BY or ORDER BY: SQLite sees no outer columns there."""
        if (self.offered(slot) is None or self.take(slot) is None) and self.column(local=True) is None:
            self.write("'x'")
