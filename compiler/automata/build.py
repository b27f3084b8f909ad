"""From a language expression to its automaton over code points.

The alphabet is cut once, so that no set of the expression cuts a class. Concatenation, alternation
and repetition are built nondeterministically; complement, intersection and cover need a deterministic
automaton and are embedded as one. A part that occurs several times in the expression is built once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from langc.compiler.automata.boolean import complement, intersection
from langc.compiler.automata.bounded_cover import bounded_cover_dfa
from langc.compiler.automata.cover import cover_dfa
from langc.compiler.automata.determinize import determinize
from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.json_string import json_string_dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.nfa import Fragment, Nfa, NfaBuilder
from langc.compiler.automata.partition import Partition
from langc.compiler.automata.phrases import phrase_free_dfa, phrase_sets, stopping_dfa
from langc.compiler.automata.scoped import hold, without_borders
from langc.compiler.automata.stopped import stopped_dfa
from langc.compiler.ir.borders import borders
from langc.compiler.ir.json_text import SIGNS
from langc.compiler.ir.language import (
    ANY_TEXT,
    Alternation,
    BoundedCover,
    Class,
    Complement,
    Concat,
    Cover,
    Intersection,
    Joined,
    JsonString,
    Language,
    PhraseFree,
    Repetition,
    Scoped,
    Stopped,
    children,
)
from langc.compiler.unicode.intervals import SCALARS, IntervalSet


def build_dfa(language: Language) -> Dfa:
    """The canonical automaton of a language. Raises LimitError when a budget is spent."""
    return minimize(_Build(partition_of(language)).dfa(language))


def build_nfa(language: Language) -> Nfa:
    """The automaton before determinization, for `langc dump --stage nfa`."""
    return _Build(partition_of(language)).nfa(language)


def build_lean(language: Language) -> Dfa | Nfa:
    """An automaton whose every state leads to an end, deterministic unless there are regions. Raises LimitError."""
    return _scoped(language) if isinstance(language, Scoped) else build_dfa(language)


def partition_of(language: Language) -> Partition:
    """The coarsest partition of the scalar values that no set of the expression cuts."""
    return Partition.of(SCALARS, dict.fromkeys(_sets(language)))


def _sets(language: Language) -> Iterator[IntervalSet]:
    match language:
        case Class(members):
            yield members
        case Cover(base, terms, patterns):
            yield base
            yield from (members for pattern in patterns for members in pattern)
            yield from (IntervalSet.of(c) for c in dict.fromkeys("".join(terms)))
        case BoundedCover(base, terms, patterns):
            yield base
            yield from (members for pattern in patterns for members in pattern)
            yield from phrase_sets(terms)
        case PhraseFree(phrases) | Stopped(phrases=phrases):
            yield from phrase_sets(phrases)
        case JsonString():
            yield from SIGNS
    for part in children(language):
        yield from _sets(part)


class _Build:
    """One run over one expression; `_done` and `_classes` know its parts by identity."""

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        self._done: dict[int, Dfa] = {}
        self._classes: dict[int, tuple[int, ...]] = {}

    def dfa(self, language: Language) -> Dfa:
        found = self._done.get(id(language))
        if found is None:
            found = self._done[id(language)] = self._deterministic(language)
        return found

    def classes_in(self, members: IntervalSet) -> tuple[int, ...]:
        """The classes of a set of the expression; a repetition asks for the same set as often as it may repeat."""
        found = self._classes.get(id(members))
        if found is None:
            found = self._classes[id(members)] = self.partition.classes_in(members)
        return found

    def nfa(self, language: Language) -> Nfa:
        builder = NfaBuilder(self.partition)
        return builder.finish(self._fragment(language, builder))

    def _deterministic(self, language: Language) -> Dfa:
        match language:
            case Cover():
                return cover_dfa(language, self.partition)
            case Stopped(part, phrases, ended):
                stopping = stopping_dfa(phrases, Partition.of(SCALARS, dict.fromkeys(phrase_sets(phrases))))
                whole = None if ended is None else self.dfa(ended)
                return self.aligned(stopped_dfa(self.dfa(part), *stopping, whole))
            case Scoped():
                return self.aligned(minimize(determinize(_scoped(language))))
            case BoundedCover():
                return bounded_cover_dfa(language, self.partition)
            case PhraseFree(phrases):
                return self.aligned(minimize(phrase_free_dfa(phrases, partition_of(language))))
            case JsonString(part):
                return self.aligned(minimize(json_string_dfa(self.dfa(part))))
            case Complement(part):
                return self.aligned(complement(self.dfa(part)))
            case Intersection(parts):
                whole = self.dfa(parts[0])
                for part in parts[1:]:
                    whole = minimize(intersection(whole, self.dfa(part)))
                return self.aligned(whole)
            case _:
                return self.aligned(minimize(determinize(self.nfa(language))))

    def aligned(self, dfa: Dfa) -> Dfa:
        """The same automaton over the partition of the whole expression."""
        coarse = [dfa.partition.class_of(m.first()) for m in self.partition.members]
        table = tuple(tuple(row[c] for c in coarse) for row in dfa.table)
        return Dfa(self.partition, table, dfa.accepting, dfa.start)

    def _fragment(self, language: Language, builder: NfaBuilder) -> Fragment:
        match language:
            case Class(members):
                whole = builder.fragment()
                builder.edge(whole.start, self.classes_in(members), whole.end)
                return whole
            case Concat(parts):
                return _in_a_row([self._fragment(p, builder) for p in parts], builder)
            case Alternation(parts):
                whole = builder.fragment()
                for part in parts:
                    _between(whole.start, self._fragment(part, builder), whole.end, builder)
                return whole
            case Repetition():
                return self._repeat(language, builder)
            case Joined():
                return self._joined(language, builder)
            case _:
                return builder.embed(self.dfa(language))

    def _repeat(self, node: Repetition, builder: NfaBuilder) -> Fragment:
        """`least` copies, then a loop, or as many optional copies as the bound allows."""
        copies = [self._fragment(node.part, builder) for _ in range(node.least)]
        if node.most is None:
            copies.append(self._loop(node, builder))
            return _in_a_row(copies, builder)
        whole = builder.fragment()
        required = _in_a_row(copies, builder)
        builder.join(whole.start, required.start)
        last = required.end
        for _ in range(node.most - node.least):
            builder.join(last, whole.end)
            copy = self._fragment(node.part, builder)
            builder.join(last, copy.start)
            last = copy.end
        builder.join(last, whole.end)
        return whole

    def _joined(self, node: Joined, builder: NfaBuilder) -> Fragment:
        """Two states before each member: `alone` as long as there was none, `behind` one, where separators stand."""
        whole = builder.fragment()
        alone, behind = whole.start, builder.state()
        for member in node.members:
            part, separator = self._fragment(member.part, builder), self._fragment(node.separator, builder)
            next_alone, next_behind = builder.state(), builder.state()
            builder.join(alone, part.start)
            _between(behind, separator, part.start, builder)
            builder.join(part.end, next_behind)
            if member.is_repeated:
                _between(part.end, self._fragment(node.separator, builder), part.start, builder)
            if not member.is_required:
                builder.join(alone, next_alone)
                builder.join(behind, next_behind)
            alone, behind = next_alone, next_behind
        builder.join(alone, whole.end)
        builder.join(behind, whole.end)
        return whole

    def _loop(self, node: Repetition, builder: NfaBuilder) -> Fragment:
        whole = builder.fragment()
        builder.join(whole.start, whole.end)
        _between(whole.start, self._fragment(node.part, builder), whole.end, builder)
        builder.join(whole.end, whole.start)
        return whole


def _scoped(language: Scoped) -> Nfa:
    """The structure over characters and borders, held to one scope after the other; then without borders."""
    symbols = borders(len(language.scopes))
    sets = (*_sets(language), *(IntervalSet.of(b) for b in symbols))
    builder = _Build(Partition.of(SCALARS | symbols, dict.fromkeys(sets)))
    whole = builder.aligned(_structure(language.structure, len(language.scopes)))
    for number, scope in enumerate(language.scopes):
        if scope != ANY_TEXT:
            whole = builder.aligned(hold(whole, build_dfa(scope), number, number == language.begins_in))
    return without_borders(whole)


@lru_cache(maxsize=16)
def _structure(language: Language, scopes: int) -> Dfa:
    """The automaton of a structure, which a policy, its skeleton and its soft rules share."""
    symbols = borders(scopes)
    sets = (*_sets(language), *(IntervalSet.of(b) for b in symbols))
    return minimize(_Build(Partition.of(SCALARS | symbols, dict.fromkeys(sets))).dfa(language))


def _in_a_row(fragments: list[Fragment], builder: NfaBuilder) -> Fragment:
    whole = builder.fragment()
    last = whole.start
    for fragment in fragments:
        builder.join(last, fragment.start)
        last = fragment.end
    builder.join(last, whole.end)
    return whole


def _between(source: int, inner: Fragment, target: int, builder: NfaBuilder) -> None:
    builder.join(source, inner.start)
    builder.join(inner.end, target)
