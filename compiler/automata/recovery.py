"""Where an automaton goes on behind a violation: inside the region that the text is in, its rules started afresh.

The *skeleton* of a language has its regions and nothing else: every scope permits everything but a noncharacter of
its own, which tells it from the others, and regions whose openers do not commit are plain text. Whatever the violating
character is, the skeletons say where in the structure of the text it stands. Each *place* (a state of every skeleton)
is paired with the state that a shortest text leads to; such a text has no rule in progress that a longer one would
not have.

Languages that are intersected have a skeleton each, read in step: their product is never built out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
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
_READ = SCALARS - IntervalSet.of((_NONCHARACTERS[0], _NONCHARACTERS[-1]))
"""What a skeleton reads in every scope."""
_UNMARKED = 0x10FFFF
"""A noncharacter that no scope refuses."""

Place = tuple[int, ...]
"""A state of each skeleton, `DEAD` for a language that has none."""


@dataclass(frozen=True)
class Recovery:
    """How one automaton goes on."""

    start: int
    skeletons: tuple[Dfa | None, ...]
    """One for each language that the automaton is the intersection of; None where it has no regions."""
    place_of: Mapping[int, Place]
    """The place that a state belongs to; no state has one if there are no skeletons."""
    state_at: Mapping[Place, int]
    """The fresh state of a place."""

    @classmethod
    def of(cls, dfa: Dfa, languages: Sequence[Language]) -> Recovery:
        """The recovery of the automaton of the languages' intersection. Raises LimitError past a budget."""
        return cls.beside(dfa, [skeleton(language) for language in languages])

    @classmethod
    def beside(cls, dfa: Dfa, bare: Sequence[Language]) -> Recovery:
        """The same, given the skeletons."""
        found = tuple(None if language == ANY_TEXT else _built(language) for language in bare)
        return cls(dfa.start, found, *(_paired(dfa, found) if any(found) else ({}, {})))

    def after(self, state: int, symbol: int) -> int:
        """The state behind a character that the rules refuse in `state`."""
        if state not in self.place_of:
            return self.start
        return self.state_at.get(_step(self.skeletons, self.place_of[state], symbol), self.start)

    def afresh(self, state: int) -> int:
        """The state at the same place, its rules started afresh."""
        return self.state_at[self.place_of[state]] if state in self.place_of else self.start

    def may_be_in(self, state: int, language: int, scopes: int) -> list[int]:
        """The scopes of a language, of so many, that the next character can belong to; 0 is outside all regions."""
        bare = self.skeletons[language]
        if bare is None or scopes == 1 or state not in self.place_of:
            return [0]
        here = self.place_of[state][language]
        unmarked = bare.step(here, _UNMARKED)
        return [n for n in range(scopes) if bare.step(here, _mark(n)) != unmarked]

    def refuses(self, state: int, language: int, text: str) -> bool:
        """Whether the regions and stop phrases of a language alone refuse a text in `state`."""
        bare = self.skeletons[language]
        if bare is None or state not in self.place_of or any(ord(c) not in _READ for c in text):
            return False
        return bare.run(map(ord, text), self.place_of[state][language]) == DEAD

    def must_go_on(self, state: int, language: int) -> bool:
        """Whether the regions of a language alone refuse that a text ends in `state`."""
        bare = self.skeletons[language]
        return bare is not None and state in self.place_of and self.place_of[state][language] not in bare.accepting


@dataclass(frozen=True)
class Skeletons:
    """The skeletons of some languages as what says where a text stands: they take the scopes' noncharacters for any
    other character."""

    dfas: tuple[Dfa, ...]

    @classmethod
    def of(cls, languages: Iterable[Language]) -> Skeletons:
        """Those of the languages that have regions. Raises LimitError past a budget."""
        bare = dict.fromkeys(map(skeleton, languages))
        return cls(tuple(_unmarked(_built(language)) for language in bare if language != ANY_TEXT))

    @property
    def start(self) -> Place:
        """Where a text begins."""
        return tuple(dfa.start for dfa in self.dfas)


NO_SKELETONS = Skeletons(())


@lru_cache(maxsize=16)
def _built(bare: Language) -> Dfa:
    return build_dfa(bare)


def _unmarked(dfa: Dfa) -> Dfa:
    """The automaton with the noncharacters read as one that no scope refuses."""
    firsts = [members.first() for members in dfa.partition.members]
    plain = dfa.partition.class_of(_UNMARKED)
    columns = [plain if first in _NONCHARACTERS else number for number, first in enumerate(firsts)]
    return Dfa(dfa.partition, tuple(tuple(row[c] for c in columns) for row in dfa.table), dfa.accepting, dfa.start)


def skeleton(language: Language) -> Language:
    """The language with regions and stop phrases, and no other rules."""
    match language:
        case Scoped(structure, scopes, begins_in, optional, bare_structure):
            bare = tuple(FAIL if number in optional else marked(number) for number in range(len(scopes)))
            return Scoped(bare_structure or structure, bare, begins_in)
        case Stopped(part, phrases):
            return stopped(skeleton(part), phrases)
        case Intersection(parts):
            return intersection(*(bare for bare in map(skeleton, parts) if bare != ANY_TEXT))
        case _:
            return ANY_TEXT


def marked(number: int) -> Language:
    """Every text without the scope's noncharacter."""
    return repetition(Class(SCALARS - IntervalSet.of(_mark(number))))


def _mark(number: int) -> int:
    return _NONCHARACTERS[number % len(_NONCHARACTERS)]


def _step(skeletons: Sequence[Dfa | None], place: Place, symbol: int) -> Place:
    read = _UNMARKED if symbol in _NONCHARACTERS else symbol
    return tuple(DEAD if bare is None else bare.step(s, read) for bare, s in zip(skeletons, place, strict=True))


def _paired(dfa: Dfa, skeletons: Sequence[Dfa | None]) -> tuple[dict[int, Place], dict[Place, int]]:
    """For each living state the place it is first met in, and for each place the state that is met first there."""
    parts = [dfa, *(_unmarked(bare) for bare in skeletons if bare is not None)]
    rows = [_rows(part, _refined(parts)) for part in parts]
    start = tuple(part.start for part in parts)
    first_at, met_at = {dfa.start: start[1:]}, {start[1:]: dfa.start}
    queue, seen = [start], {start}
    for at in queue:
        for following in dict.fromkeys(zip(*(row(s) for row, s in zip(rows, at, strict=True)), strict=True)):
            if following not in seen and following[0] in dfa.live and DEAD not in following:
                seen.add(following)
                queue.append(following)
                first_at.setdefault(following[0], following[1:])
                met_at.setdefault(following[1:], following[0])
    spread = _spread(skeletons)
    return {s: spread(at) for s, at in first_at.items()}, {spread(at): s for at, s in met_at.items()}


def _refined(parts: Sequence[Dfa]) -> Partition:
    return reduce(lambda fine, part: fine.refine(part.partition)[0], parts[1:], parts[0].partition)


def _rows(part: Dfa, partition: Partition) -> Callable[[int], tuple[int, ...]]:
    """The rows of the table over a finer partition."""
    classes = [part.partition.class_of(members.first()) for members in partition.members]
    return cache(lambda state: tuple([part.table[state][c] for c in classes]))


def _spread(skeletons: Sequence[Dfa | None]) -> Callable[[Place], Place]:
    """Puts `DEAD` into a place where there is no skeleton."""

    def spread(at: Place) -> Place:
        states = iter(at)
        return tuple(DEAD if bare is None else next(states) for bare in skeletons)

    return spread
