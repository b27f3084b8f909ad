"""What a lexeme is written as, and where it borders on words.

Where a word ends, a lexer goes on with every byte that could be part of the word. So a lexeme that *ends wordy* takes
any such byte, and one that *begins wordy* begins with such a byte: between the two there must be white space.

Invariant: a `Lexeme` never has the empty text. It is compared by identity: the makers here are asked once for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from langc.compiler.automata.boolean import difference
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.graph import Graph, dfa_graph, trimmed
from langc.compiler.ir.language import Language, alternation, class_, concat
from langc.compiler.surfaces.engine.lexemes import Shape
from langc.compiler.unicode.intervals import IntervalSet


@dataclass(frozen=True, eq=False)
class Lexeme:
    """The texts of a pattern without some words, or the texts of a list."""

    label: str
    """For people: what it is in the surface."""
    pattern: Language | None = None
    words: tuple[str, ...] = ()
    """Without a pattern the texts, else those that the pattern is not to have."""
    fold_case: bool = False
    """Whether A-Z stand for a-z in `words`, which are then folded."""
    parts: tuple[Language, ...] = ()
    """Where several lexemes in a row count as one (white space and comments): what each of them may be."""

    @cached_property
    def graph(self) -> Graph:
        """Its automaton. Raises LimitError."""
        if self.pattern is None:
            return word_graph(self.words, self.fold_case)
        return dfa_graph(self._dfa)

    @property
    def _dfa(self) -> Dfa:
        assert self.pattern is not None
        whole = build_dfa(self.pattern)
        return difference(whole, build_dfa(words_language(self.words, self.fold_case))) if self.words else whole


def folded_letter(letter: str, fold_case: bool) -> IntervalSet:
    """A letter, with its capital if A-Z stand for a-z."""
    return IntervalSet.of(letter, letter.upper()) if fold_case and "a" <= letter <= "z" else IntervalSet.of(letter)


def words_language(words: Iterable[str], fold_case: bool) -> Language:
    """Some words as an expression."""
    return alternation(*(concat(*(class_(folded_letter(c, fold_case)) for c in word)) for word in words))


def word_graph(words: Sequence[str], fold_case: bool) -> Graph:
    """A tree of some words in which paths that end alike are shared."""
    rows: list[dict[str, int]] = [{}]
    accepting = set()
    for word in words:
        state = 0
        for letter in word:
            following = rows[state].get(letter)
            if following is None:
                following = rows[state][letter] = len(rows)
                rows.append({})
            state = following
        accepting.add(state)
    labels = {letter: folded_letter(letter, fold_case) for row in rows for letter in row}
    edges = [[(labels[letter], target) for letter, target in row.items()] for row in rows]
    return trimmed(edges, frozenset(accepting))


# --- borders ----------------------------------------------------------------------------------------------------------


def continues(shape: Shape) -> frozenset[int]:
    """The bytes that go on behind every whole word of a shape."""
    return _common(shape, shape.accepting)


def continues_behind(shape: Shape, text: bytes) -> frozenset[int]:
    """The bytes that go on behind a text, which may be no whole word."""
    return _common(shape, [shape.run(text)])


def munched_behind(pattern: Shape, munch: Shape) -> frozenset[int]:
    """The bytes that a munch takes behind every whole text of a pattern."""
    seen = {(pattern.start, munch.start)}
    waiting = list(seen)
    ends = set()
    while waiting:
        state, beside = waiting.pop()
        if state in pattern.accepting:
            ends.add(beside)
        for byte, target in enumerate(pattern.table[state]):
            pair = (target, munch.table[beside][byte])
            if target != DEAD and pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return _common(munch, ends)


def firsts(shape: Shape) -> frozenset[int]:
    """The bytes that a shape can begin with."""
    return frozenset(byte for byte, target in enumerate(shape.table[shape.start]) if target != DEAD)


def _common(shape: Shape, states: Iterable[int]) -> frozenset[int]:
    found = [frozenset(byte for byte, target in enumerate(shape.table[s]) if target != DEAD) for s in states]
    return frozenset.intersection(*found) if found else frozenset()
