"""Where an automaton goes on behind a violation: inside the region that the text is in, its rules started afresh.

The *skeleton* of a language has its regions and nothing else: every scope permits everything but a noncharacter of
its own, which tells it from the others, and regions whose openers do not commit are plain text. Whatever the violating
character is, the skeleton says where in the structure of the text it stands. Each place of the skeleton is paired
with the state that a shortest text leads to; such a text has no rule in progress that a longer one would not have.
"""

from __future__ import annotations

from dataclasses import dataclass

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.ir.language import (
    ANY_TEXT,
    FAIL,
    Class,
    Intersection,
    Language,
    Scoped,
    Stopped,
    intersection,
    repetition,
    stopped,
)
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

_NONCHARACTERS = range(0xFDD0, 0xFDF0)


@dataclass(frozen=True)
class Recovery:
    """How one automaton goes on."""

    start: int
    skeleton: Dfa | None
    """None where there are no regions: then everything starts afresh."""
    place_of: dict[int, int]
    """The place of the skeleton that a state belongs to."""
    state_at: dict[int, int]
    """The fresh state of a place."""

    @classmethod
    def of(cls, dfa: Dfa, language: Language) -> Recovery:
        """The recovery of the automaton of a language. Raises LimitError past a budget."""
        bare = skeleton(language)
        if bare == ANY_TEXT:
            return cls(dfa.start, None, {}, {})
        found = build_dfa(bare)
        return cls(dfa.start, found, *_paired(dfa, found))

    def after(self, state: int, symbol: int) -> int:
        """The state behind a character that the rules refuse in `state`."""
        if self.skeleton is None or state not in self.place_of:
            return self.start
        place = self.skeleton.step(self.place_of[state], symbol)
        return self.state_at.get(place, self.start)

    def afresh(self, state: int) -> int:
        """The state at the same place, its rules started afresh."""
        return self.state_at[self.place_of[state]] if state in self.place_of else self.start


def skeleton(language: Language) -> Language:
    """The language with regions and stop phrases, and no other rules."""
    match language:
        case Scoped(structure, scopes, begins_in, optional):
            bare = tuple(FAIL if number in optional else _marked(number) for number in range(len(scopes)))
            return Scoped(structure, bare, begins_in)
        case Stopped(part, phrases):
            return stopped(skeleton(part), phrases)
        case Intersection(parts):
            return intersection(*(bare for bare in map(skeleton, parts) if bare != ANY_TEXT))
        case _:
            return ANY_TEXT


def _marked(number: int) -> Language:
    """Every text without the scope's noncharacter; behind one in a violation the policy starts at the beginning."""
    return repetition(Class(SCALARS - IntervalSet.of(_NONCHARACTERS[number % len(_NONCHARACTERS)])))


def _paired(dfa: Dfa, bare: Dfa) -> tuple[dict[int, int], dict[int, int]]:
    """For each living state the place it is first met in, and for each place the state that is met first there."""
    _, of_dfa, of_bare = dfa.partition.refine(bare.partition)
    place_of, state_at = {dfa.start: bare.start}, {bare.start: dfa.start}
    queue = [(dfa.start, bare.start)]
    seen = set(queue)
    for state, place in queue:
        for i, j in zip(of_dfa, of_bare, strict=True):
            pair = (dfa.table[state][i], bare.table[place][j])
            if pair[0] in dfa.live and pair[1] != DEAD and pair not in seen:
                seen.add(pair)
                queue.append(pair)
                place_of.setdefault(*pair)
                state_at.setdefault(pair[1], pair[0])
    return place_of, state_at
