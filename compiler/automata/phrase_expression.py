"""Denied phrases as an expression: the complement of the texts with an occurrence.

Invariant: the language is that of `PhraseFree`, made in another way than its automaton (`phrases.py`), from the same
characters that fold alike; a test compares the two. For formats that have a complement, where it is as large as the
phrases are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from langc.compiler.automata.eliminate import eliminate
from langc.compiler.automata.graph import Edge, Graph
from langc.compiler.automata.phrases import alike
from langc.compiler.ir.language import ANY_TEXT, EMPTY, Language, alternation, class_, complement, concat
from langc.compiler.ir.phrases import Phrase
from langc.compiler.unicode.folding import SPACE, Atoms, Folding, Space
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union


def without_phrases(phrases: Iterable[Phrase]) -> Language:
    """The texts in which none of the phrases occurs."""
    by_bars: dict[tuple[IntervalSet, IntervalSet], list[Language]] = {}
    known: dict[tuple[Folding, frozenset[int]], Mapping[Atoms, IntervalSet]] = {}
    for phrase in phrases:
        letters = frozenset(phrase.atoms)
        key = (phrase.folding, letters)
        if key not in known:
            known[key] = alike(*key)
        by_bars.setdefault((phrase.left_bars, phrase.right_bars), []).append(_spelling(phrase, known[key]))
    found = [concat(_behind(left), alternation(*texts), _before(right)) for (left, right), texts in by_bars.items()]
    return complement(alternation(*found))


def _behind(bars: IntervalSet) -> Language:
    """What may stand before an occurrence: any text that ends in no character of `bars`."""
    return alternation(EMPTY, concat(ANY_TEXT, class_(SCALARS - bars))) if bars else ANY_TEXT


def _before(bars: IntervalSet) -> Language:
    return alternation(EMPTY, concat(class_(SCALARS - bars), ANY_TEXT)) if bars else ANY_TEXT


def _spelling(phrase: Phrase, by_atoms: Mapping[Atoms, IntervalSet]) -> Language:
    """Every text with the atoms of the phrase: state n of the automaton has read n of them."""
    rows = [_edges(phrase, at, by_atoms) for at in range(len(phrase.atoms) + 1)]
    return eliminate(Graph(tuple(rows), frozenset({len(phrase.atoms)})))


def _edges(phrase: Phrase, at: int, by_atoms: Mapping[Atoms, IntervalSet]) -> tuple[Edge, ...]:
    by_target: dict[int, list[IntervalSet]] = {}
    for atoms, members in by_atoms.items():
        target = _after(phrase, at, atoms)
        if target is not None:
            by_target.setdefault(target, []).append(members)
    return tuple((union(sets), target) for target, sets in sorted(by_target.items()))


def _after(phrase: Phrase, at: int, atoms: Atoms) -> int | None:
    """How many atoms are read behind a character, None if it does not fit there."""
    runs = phrase.folding.space is Space.RUN
    for atom in atoms:
        if runs and atom == SPACE and at and phrase.atoms[at - 1] == SPACE:
            continue
        if phrase.atoms[at : at + 1] != (atom,):
            return None
        at += 1
    return at
