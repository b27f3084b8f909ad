"""Soft rules as what reads along with a text: which character breaks the rule, and where it goes on behind it.

A reading is a set of states of the rule's automaton and the *place* of the text (`recovery.py`), which goes on whatever
the rules refuse. The rule is broken where no state is left; behind that it goes on from the states of the fresh place.
Automata are determinized on the way, as far as the texts lead that are permitted at all: a rule beside regions would
be large by itself, for a code span that is open may still be plain text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from langc.compiler.automata.determinize import Subset, Subsets
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.nfa import Nfa
from langc.compiler.automata.partition import Partition
from langc.compiler.automata.recovery import NO_SKELETONS, Place, Skeletons

Reading = tuple[Subset, Place]
Step = tuple[Reading, bool]
"""The reading behind a character, and whether the character breaks the rule."""


@dataclass(frozen=True)
class SoftRule:
    """A cost in logits, the automaton of the texts that break nothing, and the regions that violations leave alone."""

    cost: float
    automaton: Dfa | Nfa
    """Every state of a nondeterministic one leads to an end."""
    skeletons: Skeletons = NO_SKELETONS

    def follower(self) -> Follower:
        """A reader of texts, with its memory."""
        return Follower(_nondeterministic(self.automaton), self.skeletons)


class Follower:
    """Reads texts for one rule. Raises LimitError if its sets hold too much."""

    def __init__(self, nfa: Nfa, skeletons: Skeletons) -> None:
        self._nfa, self._skeletons = nfa, skeletons
        self._subsets = Subsets(nfa)
        self.partition, (self._classes, *self._places) = _refined(nfa.partition, skeletons)
        self.start: Reading = (self._subsets.closure(frozenset({nfa.start})), skeletons.start)
        self._rows: dict[Reading, list[Step]] = {}

    def row(self, reading: Reading) -> list[Step]:
        """The steps for each class of `partition`."""
        found = self._rows.get(reading)
        if found is None:
            found = self._rows[reading] = self._row(reading)
        return found

    def is_met(self, reading: Reading) -> bool:
        """Whether a text that ends here breaks nothing."""
        return not self._nfa.accepting.isdisjoint(reading[0])

    def _row(self, reading: Reading) -> list[Step]:
        places = self._places_behind(reading[1])
        left = dict(self._subsets.successors(reading[0]))
        return [
            ((left[number], place), False) if number in left else ((self._fresh.get(place, self.start[0]), place), True)
            for number, place in zip(self._classes, places, strict=True)
        ]

    def _places_behind(self, place: Place) -> list[Place]:
        rows = [d.table[s] for d, s in zip(self._skeletons.dfas, place, strict=True)]
        if not rows:
            return [()] * self.partition.size
        behind = zip(*([row[c] for c in classes] for row, classes in zip(rows, self._places, strict=True)), strict=True)
        return [self._skeletons.start if DEAD in found else found for found in behind]

    @cached_property
    def _fresh(self) -> Mapping[Place, Subset]:
        """The states in which each place is first met by a text that breaks nothing."""
        found = {self.start[1]: self.start[0]}
        for place in (queue := [self.start[1]]):
            left = dict(self._subsets.successors(found[place]))
            for number, behind in zip(self._classes, self._places_behind(place), strict=True):
                if number in left and behind not in found:
                    found[behind] = left[number]
                    queue.append(behind)
        return found


def _refined(partition: Partition, skeletons: Skeletons) -> tuple[Partition, list[list[int]]]:
    """The common refinement, and for each part its class for each of the classes."""
    fine = partition
    for dfa in skeletons.dfas:
        fine = fine.refine(dfa.partition)[0]
    firsts = [members.first() for members in fine.members]
    parts = (partition, *(dfa.partition for dfa in skeletons.dfas))
    return fine, [[part.class_of(symbol) for symbol in firsts] for part in parts]


def _nondeterministic(automaton: Dfa | Nfa) -> Nfa:
    """The same language with no state that leads nowhere."""
    if isinstance(automaton, Nfa):
        return automaton
    edges = tuple(
        tuple((c, t) for c, t in enumerate(row) if t in automaton.live) if state in automaton.live else ()
        for state, row in enumerate(automaton.table)
    )
    return Nfa(automaton.partition, edges, ((),) * automaton.size, automaton.start, automaton.accepting)
