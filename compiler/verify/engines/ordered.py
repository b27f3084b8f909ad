r"""How large an expression becomes in an engine that builds the whole automaton of a *search*.

outlines-core indexes an expression with the crate regex-automata. That builds an automaton that may start anew at any
character, although only matches from the first character on are wanted; and it prefers the alternative that was
written first, so its states are *rows* of places in the expression, not sets. Where a counted part can hold what the
expression begins with, the rows are exponentially many: `\([ -~]{0,38}\)` has taken more than 15 GB of memory. This
module follows the same construction over characters and stops early; over bytes there are at least as many states.

Invariant: a place is one of the expression's sets, as often as it is written out; so no more is kept than
`MAX_ORDERED_STATES` rows of places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.verify.readers.nodes import Chars, Choice, Node, Repeat, Row

MAX_ORDERED_STATES = 20_000
"""Past which an expression is not given to such an engine. Sets and terms take dozens, or hundreds."""

END = 0
Rests = tuple[int, ...]


def ordered_states(expression: Node, most: int = MAX_ORDERED_STATES) -> int:
    """The number of rows of places that texts lead to, up to `most + 1`."""
    program = _Program(Partition.of(SCALARS, dict.fromkeys(_sets(expression))))
    start = program.write(expression, END)
    first = program.closed([start])
    seen = {first}
    queue = [first]
    for state in queue:
        for following in program.following(state, start):
            if following not in seen:
                seen.add(following)
                queue.append(following)
        if len(seen) > most:
            return most + 1
    return len(seen)


@dataclass
class _Program:
    """Places by number, from the end of the expression to its start."""

    partition: Partition
    classes: list[frozenset[int]] = field(default_factory=lambda: [frozenset()])
    """What a place reads; nothing for one that only leads on."""
    after: list[list[int]] = field(default_factory=lambda: [[]])
    """Where it leads, the preferred way first."""

    def write(self, node: Node, rest: int) -> int:
        """The place at which `node` and then `rest` is read."""
        match node:
            case Chars(members):
                return self._place([rest], frozenset(self.partition.classes_in(members)))
            case Row(parts):
                for part in reversed(parts):
                    rest = self.write(part, rest)
                return rest
            case Choice(parts):
                return self._place([self.write(part, rest) for part in parts])
            case Repeat(part, least, most):
                return self._repeat(part, least, most, rest)
        raise ValueError(f"an expression has no {type(node).__name__}")

    def _repeat(self, part: Node, least: int, most: int | None, rest: int) -> int:
        if most is None:
            loop = self._place([])
            self.after[loop] = [self.write(part, loop), rest]
            rest = loop
        end = rest
        for _ in range((most or 0) - least):
            rest = self._place([self.write(part, rest), end])
        for _ in range(least):
            rest = self.write(part, rest)
        return rest

    def _place(self, after: list[int], classes: frozenset[int] = frozenset()) -> int:
        self.classes.append(classes)
        self.after.append(after)
        return len(self.after) - 1

    def closed(self, places: Iterable[int]) -> Rests:
        """The places at which a character is read, or the end, in order and each once."""
        found: dict[int, None] = {}
        seen: set[int] = set()
        stack = list(places)[::-1]
        while stack:
            place = stack.pop()
            if place in seen:
                continue
            seen.add(place)
            if place == END or self.classes[place]:
                found[place] = None
            else:
                stack.extend(self.after[place][::-1])
        return tuple(found)

    def following(self, state: Rests, start: int) -> Iterator[Rests]:
        """The rows that one character leads to; last of all a match may start behind it."""
        by_class: dict[int, list[int]] = {}
        for place in state:
            for number in self.classes[place]:
                by_class.setdefault(number, []).append(self.after[place][0])
        yield from (self.closed((*row, start)) for row in dict.fromkeys(map(tuple, by_class.values())))


def _sets(node: Node) -> Iterator[IntervalSet]:
    match node:
        case Chars(members):
            yield members
        case Row(parts) | Choice(parts):
            for part in parts:
                yield from _sets(part)
        case Repeat(part):
            yield from _sets(part)
