"""Names that nothing knows: what may follow behind one of them may follow behind any other.

A world compares names and asks nothing else of them. So a name that is neither one of Γ nor written anywhere before may
change places with another such name throughout (alpha conversion): what may be read behind the one, if it spells no
name itself, may be read behind the other. Only one of them is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from langc.compiler.surfaces.engine.lexemes import Shape
from langc.compiler.surfaces.engine.parse import Parser, Point
from langc.compiler.surfaces.masks.cuts import Cut, Way
from langc.compiler.surfaces.masks.heads import Heads, Nodes
from langc.compiler.tokens.rows import Remembered

_REMEMBERED = 2_048


class _Alike(NamedTuple):
    """Ways that differ in unknown names, as long as none of them has been written."""

    names: frozenset[bytes]
    as_one: Way
    each: tuple[Way, ...]


class _Sorted(NamedTuple):
    """The ways out of a lexeme."""

    others: tuple[Way, ...]
    alike: tuple[_Alike, ...]


class Strangers:
    """Of one surface, its environment and a trie."""

    def __init__(self, parser: Parser, nodes: Nodes) -> None:
        self._parser, self._nodes = parser, nodes
        self._sorted: Remembered[tuple[Cut, bytes], _Sorted] = Remembered(self._sort, _REMEMBERED)

    def ways(self, cut: Cut, point: Point, text: bytes) -> Iterator[Way]:
        """The ways out of a lexeme at a point, those that lead on alike as one. `text` was read of it before."""
        ways = self._sorted((cut, text))
        yield from ways.others
        for alike in ways.alike:
            if point.knows_none(alike.names):
                yield alike.as_one
            else:
                yield from alike.each

    def _sort(self, key: tuple[Cut, bytes]) -> _Sorted:
        cut, text = key
        others: list[Way] = []
        alike: dict[frozenset[Shape], list[tuple[bytes, Way]]] = {}
        for way in cut.ways:
            name = self._unknown(text + way.read, way)
            nameless, left = (None, way.rest) if name is None else self._split(way.rest)
            if name is not None and nameless is not None:
                alike.setdefault(way.shaped, []).append((name, way._replace(rest=nameless)))
            if left is not None:
                others.append(way._replace(rest=left))
        return _Sorted(tuple(others), tuple(map(self._as_one, alike.values())))

    def _as_one(self, several: list[tuple[bytes, Way]]) -> _Alike:
        names, ways = zip(*several, strict=True)
        as_one = ways[0]._replace(rest=self._nodes.together([way.rest for way in ways]))
        return _Alike(frozenset(names), as_one, ways)

    def _unknown(self, text: bytes, way: Way) -> bytes | None:
        """The name that a way writes, if it is not one of Γ."""
        name = None if way.spelled else self._parser.lexicon.spelling.name_of(text)
        return None if name is None or name in self._parser.base.all_names else name

    def _split(self, rest: Heads) -> tuple[Heads | None, Heads | None]:
        """The heads below which nothing spells a name, and the others."""
        return self._nodes.split(rest, self._parser.lexicon.first_of_written)
