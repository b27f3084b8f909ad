"""Names that can only be there once two are made one: all texts of a small surface, spelled out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product

from hypothesis import example, given, settings
from hypothesis import strategies as st

from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.syntax import read_surfaces
from tests.examples import examples

SURFACE = """
surface s (word = pattern /[a-z]+/, start = text) {
    sort Table; sort Column of Table;
    env names;
    scope S;
    text := in S(merge = may) {
        column column? column? ":" source(merge = no) apart? (join apart? join?)? => settle(S)
    };
    apart := "!" => separate(S);
    column := ref(Column, in S, unique, defer) ".";
    source := t=ref(Table, feeds S) => bind(t, Table, in = S, members = t);
    join := "," source(merge = no)
        | "&" source(merge = all) => merge(all, in = S)
        | "+" source(merge = may) ("(" shared+ ")")? [merged(in = S)];
    shared := c=ref(Column, in S, shared) "." => merge(c, in = S);
}
"""
"""No table can be bound twice, so there are finitely many texts, and three joins are as many as there can be."""
Tables = Mapping[str, tuple[str, ...]]
TABLES: st.SearchStrategy[Tables] = st.dictionaries(
    st.sampled_from("tuv"), st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True).map(tuple), max_size=3
)


@dataclass(frozen=True)
class Row:
    """What stands behind the colon."""

    text: str
    used: frozenset[str]
    seen: tuple[str, ...]
    """The columns that can be seen, each as often as it is not merged."""
    apart: bool = False
    """Whether `!` was written."""
    before: tuple[Row, ...] = ()
    """The places behind `!`, itself left out."""

    @property
    def separated(self) -> Row:
        """With `!` behind it."""
        return replace(self, text=f"{self.text}!", apart=True, before=self._with_itself)

    @property
    def _with_itself(self) -> tuple[Row, ...]:
        return (*self.before, self) if self.apart else self.before

    def joined(self, tables: Tables) -> Iterator[Row]:
        """With one table more, in every way."""
        for table in tables.keys() - self.used:
            own = tables[table]
            common = sorted(set(own) & set(self.seen))
            once = [column for column in common if self.seen.count(column) == 1]
            ways = [(",", ()), ("+", ()), ("&", tuple(common))]
            ways += [("+", some) for size in range(1, len(once) + 1) for some in permutations(once, size)]
            for sign, merged in ways:
                using = f"({''.join(f'{column}.' for column in merged)})" if sign == "+" and merged else ""
                seen = (*self.seen, *(column for column in own if column not in merged))
                text = f"{self.text}{sign}{table}{using}"
                yield Row(text, self.used | {table}, seen, self.apart, self._with_itself)

    def ends(self, tables: Tables, names: tuple[str, ...]) -> bool:
        """Whether it shows each name once, and could have done so without a merge behind each `!`."""
        places = self._with_itself
        return self.shows(names) and all(place.could_show(tables, names) for place in places)

    def shows(self, names: tuple[str, ...]) -> bool:
        """Whether each name is there once."""
        return all(self.seen.count(name) == 1 for name in names)

    def could_show(self, tables: Tables, names: tuple[str, ...]) -> bool:
        """Whether it does with some tables more, none of them merged."""
        left = sorted(tables.keys() - self.used)
        more = (some for size in range(len(left) + 1) for some in combinations(left, size))
        return any(
            replace(self, seen=(*self.seen, *(c for t in some for c in tables[t]))).shows(names) for some in more
        )


def rows(tables: Tables) -> Iterator[Row]:
    """All that may stand behind the colon, whatever stands before it."""
    for table, own in tables.items():
        alone = Row(table, frozenset({table}), own)
        for first in (alone, alone.separated):
            yield first
            for second in first.joined(tables):
                for row in (second, second.separated):
                    yield from (row, *row.joined(tables))


def texts(tables: Tables) -> set[str]:
    """All of them."""
    columns = sorted({column for own in tables.values() for column in own})
    found = set()
    for row in rows(tables):
        shown = [column for column in columns if row.shows((column,))]
        for names in (some for size in (1, 2, 3) for some in product(shown, repeat=size)):
            if row.ends(tables, names):
                found.add("".join(f"{name}." for name in names) + f":{row.text}")
    return found


def engine_of(tables: Tables) -> Engine:
    """The surface over tables."""
    entries = [Entry(name, "Table", members={"Column": Group.of_names("Column", own)}) for name, own in tables.items()]
    surface = read_surfaces(Source.of("s.policy", SURFACE))["s"]
    return Engine(surface, Environment("names", {"Table": Group.of(entries)}))


def beginnings(config: Config, text: str = "") -> dict[str, bool]:
    """All that can be read, and whether it may end there."""
    found = {text: config.accepting}
    for letter in "abctuv.:,&+()!":
        behind = config.step(ord(letter))
        if behind is not None:
            found |= beginnings(behind, text + letter)
    return found


@settings(max_examples=examples(4), deadline=None)
@given(TABLES)
@example({"t": ("a", "b"), "u": ("a", "c"), "v": ("b",)})
def test_what_is_begun_can_be_ended(tables: Tables) -> None:
    """The texts are those that were spelled out, and nothing is a beginning that is not one of theirs."""
    expected = texts(tables)
    read = beginnings(engine_of(tables).start)
    assert {text for text, accepted in read.items() if accepted} == expected
    assert set(read) - {""} == {text[:end] for text in expected for end in range(1, len(text) + 1)}
