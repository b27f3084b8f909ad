"""Short texts of a snapshot that are none of its surface: what the word `over` means there.

Texts are drawn from the grammar, mostly by the rows that end soonest; the same grammar gives the same texts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from langc.compiler.surfaces.snapshot.grammar import Grammar, Row
from langc.compiler.surfaces.snapshot.lexemes import Lexeme
from langc.compiler.unicode.intervals import Range

_DRAWN = 200
_TRIED = 60
_CHANGE = 0.3
"""How often a row is drawn that is not the shortest one."""
_LONGEST = 400


def too_wide(grammar: Grammar, accepts: Callable[[str], bool]) -> str | None:
    """The shortest of some texts of a grammar that are not accepted; None if all were."""
    drawn = sorted(set(_Drawing(grammar).texts()), key=lambda text: (len(text), text))
    return next((text for text in drawn[:_TRIED] if not accepts(text)), None)


class _Drawing:
    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.random = random.Random(0)

    def texts(self) -> Iterator[str]:
        for _ in range(_DRAWN if not self.grammar.is_empty else 0):
            yield self._text()

    def _text(self) -> str:
        words: list[str] = []
        waiting: list[int | Lexeme] = [self.grammar.start]
        while waiting:
            symbol = waiting.pop()
            if isinstance(symbol, Lexeme):
                words.append(self._word(symbol))
            else:
                waiting.extend(reversed(self._row(symbol, len(words) > _LONGEST)))
        return "".join(words)

    def _row(self, rule: int, hurried: bool) -> Row:
        rows = self.grammar.rules[rule]
        if not hurried and self.random.random() < _CHANGE:
            return self.random.choice(rows)
        return min(rows, key=self._length)

    def _word(self, lexeme: Lexeme) -> str:
        if lexeme.pattern is None:
            return self.random.choice(lexeme.words[:_LONGEST])
        return self._shortest(lexeme)

    def _shortest(self, lexeme: Lexeme) -> str:
        graph = lexeme.graph
        found = {0: ""}
        for state in (order := [0]):
            if state in graph.accepting and found[state]:
                return found[state]
            for label, target in graph.edges[state]:
                if target not in found:
                    found[target] = found[state] + chr(_readable(label.ranges))
                    order.append(target)
        raise AssertionError(lexeme.label)

    def _length(self, row: Row) -> float:
        return sum(1 if isinstance(symbol, Lexeme) else self._lengths[symbol] for symbol in row)

    @cached_property
    def _lengths(self) -> list[float]:
        """Lexemes in the shortest text of each rule."""
        lengths = [float("inf")] * len(self.grammar.rules)
        changed = True
        while changed:
            changed = False
            for rule, rows in enumerate(self.grammar.rules):
                for row in rows:
                    length = sum(1 if isinstance(symbol, Lexeme) else lengths[symbol] for symbol in row)
                    if length < lengths[rule]:
                        lengths[rule], changed = length, True
        return lengths


def _readable(ranges: Sequence[Range]) -> int:
    """A letter or a blank if there is one."""
    for wanted in (*range(0x61, 0x7B), 0x20, *range(0x30, 0x3A)):
        if any(low <= wanted <= high for low, high in ranges):
            return int(wanted)
    first: int = ranges[0][0]
    return first
