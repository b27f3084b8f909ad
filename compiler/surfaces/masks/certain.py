"""Tokens that may be written whatever the world says.

A literal or a token that nothing hinders (`Reaches.free_at`) leads from one spot to another, and so on. Which
tokens are read like that depends on no name, so it is found once for all texts, and what is left is looked at in each.

Invariant: what is found is a part of what may be written wherever the spot is reached, if the rules that are returned
to from there lead on. For a lexeme ends here only where none of the surface, expected or not, would go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from langc.compiler.surfaces.engine.lexemes import Expected, Lexeme
from langc.compiler.surfaces.engine.reach import Key, Reaches, Sure
from langc.compiler.surfaces.masks.cuts import Cuts, Way
from langc.compiler.surfaces.masks.heads import Heads, Nodes
from langc.compiler.surfaces.masks.ids import Ids, joined
from langc.compiler.tokens.rows import KeptRows, Remembered

CERTAIN_BYTES = 32 << 20
_LEXEMES_KEPT = 4_096


@dataclass(frozen=True, eq=False)
class Settled:
    """What is certain of the tokens below some heads."""

    parts: tuple[Ids, ...]
    """Those that may be written."""
    left: Heads | None
    """The heads below which there are others; None if all are certain."""

    @property
    def nbytes(self) -> int:
        """The memory that it holds, about."""
        return 256 + sum(part.nbytes for part in self.parts)


class Certain:
    """Of one surface and one trie."""

    def __init__(self, reaches: Reaches, nodes: Nodes, cuts: Cuts) -> None:
        self._reaches, self._nodes, self._cuts = reaches, nodes, cuts
        self._lexeme: Remembered[frozenset[Key], Lexeme] = Remembered(self._lexeme_of, _LEXEMES_KEPT)
        self._found: KeptRows[tuple[Heads, Sure], Settled] = KeptRows(self._find, CERTAIN_BYTES)
        self._settled: KeptRows[tuple[Heads, frozenset[Sure]], Settled] = KeptRows(self._settle, CERTAIN_BYTES)

    def settled(self, heads: Heads, spots: frozenset[Sure]) -> Settled:
        """What may be written where all of these spots are reached."""
        return self._settled[heads, spots] if spots else Settled((), heads)

    def _settle(self, key: tuple[Heads, frozenset[Sure]]) -> Settled:
        heads, spots = key
        parts = joined(part for spot in spots for part in self._found[heads, spot].parts)
        return Settled(parts, self._nodes.without(heads, [part.ids for part in parts]))

    def _find(self, key: tuple[Heads, Sure]) -> Settled:
        heads, sure = key
        cut = self._cuts.cut(heads, self._lexeme(self._reaches.free_at(sure)))
        found = list(cut.inside)
        left: dict[Sure, list[Heads]] = {}
        for way in cut.ways:
            for behind in set(self._behind(sure, way)):
                left.setdefault(behind, []).append(way.rest)
        for behind, rest in left.items():
            found += self._found[self._nodes.together(rest), behind].parts
        return Settled(joined(found), heads)

    def _behind(self, sure: Sure, way: Way) -> Iterator[Sure]:
        """The spots behind a lexeme."""
        lexicon = self._reaches.lexicon
        spot, returns = sure
        if way.shaped & lexicon.skipped:
            yield sure
        keys: set[Key] = {name for shape in way.shaped for name in lexicon.named.get(shape, ())}
        if way.spelled:
            keys.add(lexicon.folded(way.read))
        for key in keys & self._reaches.free_at(sure):
            for step in self._reaches.of_spot(spot).fixed[key]:
                if self._reaches.runs(step) or (returns and self._reaches.is_free(step)):
                    yield self._reaches.behind(step), returns

    def _lexeme_of(self, free: frozenset[Key]) -> Lexeme:
        lexicon = self._reaches.lexicon
        literals = frozenset(key for key in free if isinstance(key, bytes))
        shapes = {lexicon.tokens[key].pattern for key in free if isinstance(key, str)}
        listed = (lexicon.listed(literals),) if literals else ()
        fold_case = lexicon.surface.fold_case
        return Expected(listed, lexicon.skipped | shapes, lexicon.everything, frozenset(), fold_case).start
