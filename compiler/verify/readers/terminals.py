"""From terminals, which have intersection and complement, to an automaton over code points, in canonical form.

Invariant: each terminal is built once, as the canonical automaton of the texts that it has, and copied where it is
referred to; none may refer to itself.

In the formats at hand a complement takes rows of *bytes*. That is the complement over well-formed text only if it
stands beside a part that has nothing else, in the same intersection: a complement anywhere else is refused.

Any row of bytes is any text where a whole that is well-formed is made of such rows and of well-formed parts: these then
stand at borders of characters, and what lies between two of them is well-formed. So it is read inside a complement, as
a part of rows, choices and repetitions. An intersection in between could tell the pieces of a character apart; there,
and outside complements, it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from langc.compiler.automata.boolean import complement, intersection
from langc.compiler.automata.determinize import determinize
from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.nfa import Fragment, NfaBuilder
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_READ_STEPS, over_limit
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.verify.readers.nodes import (
    AnyBytes,
    Both,
    Chars,
    Choice,
    Node,
    Not,
    ReadError,
    Reference,
    Repeat,
    Row,
)
from langc.compiler.verify.readers.scanner import MAX_DEPTH

Terminals = Mapping[str, Node]


def terminal_to_dfa(terminals: Terminals, start: Reference) -> Dfa:
    """The canonical automaton of a terminal.

    Raises ReadError for terminals that are missing or refer to themselves, LimitError past `MAX_READ_STEPS`.
    """
    sets = dict.fromkeys(s for node in terminals.values() for s in _sets(node))
    _refuse_bytes(terminals, start)
    return minimize(_Builder(terminals, Partition.of(SCALARS, sets)).terminal(start))


def _sets(node: Node) -> Iterator[IntervalSet]:
    match node:
        case Chars(members):
            yield members
        case Row(parts) | Choice(parts) | Both(parts):
            for part in parts:
                yield from _sets(part)
        case Repeat(part) | Not(part):
            yield from _sets(part)


def _refuse_bytes(terminals: Terminals, start: Reference) -> None:
    """Raises ReadError for `AnyBytes` wherever it could have more than well-formed text."""
    queue: list[tuple[Node, bool]] = [(start, False)]
    seen: set[tuple[str, bool]] = set()
    while queue:
        node, is_complemented = queue.pop()
        match node:
            case AnyBytes(at) if not is_complemented:
                raise ReadError("any row of bytes, which has malformed text too", at)
            case Reference(name) if name in terminals and (name, is_complemented) not in seen:
                seen.add((name, is_complemented))
                queue.append((terminals[name], is_complemented))
            case Both(parts):
                queue += [(part.part, True) if isinstance(part, Not) else (part, False) for part in parts]
            case Row(parts) | Choice(parts):
                queue += [(part, is_complemented) for part in parts]
            case Repeat(part):
                queue.append((part, is_complemented))


_ANY_TEXT = Repeat(Chars(SCALARS), 0, None)


class _Builder:
    def __init__(self, terminals: Terminals, partition: Partition) -> None:
        self.terminals = terminals
        self.partition = partition
        self.done: dict[str, Dfa] = {}
        self.open: list[str] = []
        self.classes: dict[IntervalSet, tuple[int, ...]] = {}
        self.steps = 0

    def terminal(self, reference: Reference) -> Dfa:
        name = reference.name
        if name not in self.done:
            if name not in self.terminals or name in self.open or len(self.open) > MAX_DEPTH:
                raise ReadError(f"terminal {name} is missing, or refers to itself, or too many refer on", reference.at)
            self.open.append(name)
            self.done[name] = self._dfa(self.terminals[name], reference.at)
            self.open.pop()
        return self.done[name]

    def _dfa(self, node: Node, at: int) -> Dfa:
        match node:
            case Reference():
                return self.terminal(node)
            case Both(parts):
                return self._both(parts, at)
            case Not():
                raise ReadError("a complement alone has malformed text too", at)
            case _:
                nfa = NfaBuilder(self.partition)
                return self._aligned(minimize(determinize(nfa.finish(self._fragment(node, nfa, at)))))

    def _both(self, parts: tuple[Node, ...], at: int) -> Dfa:
        kept = [p for p in parts if not isinstance(p, Not)]
        if not kept:
            raise ReadError("a complement without a part of well-formed text beside it", at)
        whole = self._dfa(kept[0], at)
        for part in kept[1:]:
            whole = minimize(intersection(whole, self._dfa(part, at)))
        for not_part in (p for p in parts if isinstance(p, Not)):
            whole = minimize(intersection(whole, complement(self._dfa(not_part.part, at))))
        return self._aligned(whole)

    def _aligned(self, dfa: Dfa) -> Dfa:
        """The same automaton over the partition that all share."""
        coarse = [dfa.partition.class_of(members.first()) for members in self.partition.members]
        return Dfa(self.partition, tuple(tuple(row[c] for c in coarse) for row in dfa.table), dfa.accepting, dfa.start)

    def _fragment(self, node: Node, nfa: NfaBuilder, at: int) -> Fragment:
        self.steps += 1
        if self.steps > MAX_READ_STEPS:
            raise LimitError(over_limit("parts of the artefact, repetitions written out", MAX_READ_STEPS))
        match node:
            case Chars(members):
                whole = nfa.fragment()
                nfa.edge(whole.start, self._classes(members), whole.end)
                return whole
            case Row(parts):
                return _in_a_row([self._fragment(p, nfa, at) for p in parts], nfa)
            case Choice(parts):
                whole = nfa.fragment()
                for part in parts:
                    _put_between(whole.start, self._fragment(part, nfa, at), whole.end, nfa)
                return whole
            case Repeat():
                return self._repeat(node, nfa, at)
            case AnyBytes():
                return self._repeat(_ANY_TEXT, nfa, at)
            case _:
                return nfa.embed(self._dfa(node, at))

    def _repeat(self, node: Repeat, nfa: NfaBuilder, at: int) -> Fragment:
        copies = [self._fragment(node.part, nfa, at) for _ in range(node.least)]
        if node.most is None:
            copies.append(self._loop(node.part, nfa, at))
        else:
            copies += [self._option(node.part, nfa, at) for _ in range(node.most - node.least)]
        return _in_a_row(copies, nfa)

    def _loop(self, part: Node, nfa: NfaBuilder, at: int) -> Fragment:
        hub = nfa.state()
        _put_between(hub, self._fragment(part, nfa, at), hub, nfa)
        whole = nfa.fragment()
        nfa.join(whole.start, hub)
        nfa.join(hub, whole.end)
        return whole

    def _option(self, part: Node, nfa: NfaBuilder, at: int) -> Fragment:
        whole = nfa.fragment()
        nfa.join(whole.start, whole.end)
        _put_between(whole.start, self._fragment(part, nfa, at), whole.end, nfa)
        return whole

    def _classes(self, members: IntervalSet) -> tuple[int, ...]:
        if members not in self.classes:
            self.classes[members] = self.partition.classes_in(members)
        return self.classes[members]


def _in_a_row(fragments: list[Fragment], nfa: NfaBuilder) -> Fragment:
    whole = nfa.fragment()
    last = whole.start
    for fragment in fragments:
        nfa.join(last, fragment.start)
        last = fragment.end
    nfa.join(last, whole.end)
    return whole


def _put_between(source: int, inner: Fragment, target: int, nfa: NfaBuilder) -> None:
    nfa.join(source, inner.start)
    nfa.join(inner.end, target)
