"""Which promises can be kept, by trying all ways: a referee that shares no code with the solver.

A situation is told in plain words: which tables there are, what is bound, which columns and aliases were used before.
All rows of up to `MOST` further sources are written out, each under an alias used before or under a new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

MOST = 3
Schema = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Situation:
    """What has been written of one SELECT."""

    schema: Schema
    bare: frozenset[str] = frozenset()
    """Columns used without a table: each needs exactly one owner."""
    qualified: frozenset[tuple[str, str]] = frozenset()
    """Pairs of an alias and a column of it."""
    aliases: frozenset[str] = frozenset()
    """Aliases used, those without a column too."""
    sources: tuple[tuple[str, frozenset[str]], ...] = ()
    """What stands in FROM so far: names, and their columns."""

    def with_source(self, name: str, table: str) -> Situation:
        """With one source more."""
        sources = (*self.sources, (name, frozenset(self.schema[table])))
        return Situation(self.schema, self.bare, self.qualified, self.aliases, sources)

    def with_bare(self, column: str) -> Situation:
        """With one column more."""
        return Situation(self.schema, self.bare | {column}, self.qualified, self.aliases, self.sources)

    def with_qualified(self, alias: str, column: str | None) -> Situation:
        """With one qualified column more."""
        pairs = self.qualified | ({(alias, column)} if column else frozenset())
        return Situation(self.schema, self.bare, pairs, self.aliases | {alias}, self.sources)

    @property
    def possible(self) -> bool:
        """Whether some sources make all of it right."""
        return any(map(self._right, self._rows()))

    @property
    def complete(self) -> bool:
        """Whether nothing more is needed."""
        return self._right(self.sources)

    def _rows(self) -> Iterator[tuple[tuple[str, frozenset[str]], ...]]:
        choices = [(name, frozenset(columns)) for columns in self.schema.values() for name in (*self.aliases, None)]
        for count in range(MOST + 1):
            for more in product(choices, repeat=count):
                yield (*self.sources, *((name or f"#{place}", columns) for place, (name, columns) in enumerate(more)))

    def _right(self, row: tuple[tuple[str, frozenset[str]], ...]) -> bool:
        names = [name for name, _ in row]
        if len(set(names)) < len(names) or not self.aliases <= set(names):
            return False
        if any(sum(column in columns for _, columns in row) != 1 for column in self.bare):
            return False
        by_name = dict(row)
        return all(column in by_name[alias] for alias, column in self.qualified)
