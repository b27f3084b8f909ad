"""From what was read to an automaton over code points, in canonical form.

Invariant: the automaton accepts exactly what the rules say. A reference at the end of a rule is a step to the state
that all such references share; any other one is written out where it stands, so recursion is refused everywhere but
at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from langc.compiler.automata.determinize import determinize
from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.nfa import Fragment, NfaBuilder
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_READ_STEPS, over_limit
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.verify.readers.nodes import Chars, Choice, Node, ReadError, Reference, Repeat, Row

Rules = Mapping[str, Node]


def to_dfa(rules: Rules, start: str = "root") -> Dfa:
    """The canonical automaton of a rule.

    Raises ReadError for rules that are missing or not right-linear, LimitError past `MAX_READ_STEPS`.
    """
    sets = dict.fromkeys(s for node in rules.values() for s in _sets(node))
    return _Builder(rules, Partition.of(SCALARS, sets)).run(start)


def _sets(node: Node) -> Iterator[IntervalSet]:
    match node:
        case Chars(members):
            yield members
        case Row(parts) | Choice(parts):
            for part in parts:
                yield from _sets(part)
        case Repeat(part):
            yield from _sets(part)


class _Builder:
    def __init__(self, rules: Rules, partition: Partition) -> None:
        self.rules = rules
        self.nfa = NfaBuilder(partition)
        self.classes: dict[IntervalSet, tuple[int, ...]] = {}
        self.end = self.nfa.state()
        self.starts: dict[str, int] = {}
        self.queue: list[str] = []
        self.steps = 0

    def run(self, start: str) -> Dfa:
        first = self._start_of(Reference(start))
        for name in self.queue:
            self._write(self.rules[name], self.starts[name], self.end, frozenset())
        return minimize(determinize(self.nfa.finish(Fragment(first, self.end))))

    def _start_of(self, reference: Reference) -> int:
        """The state that every reference at the end of a rule leads to."""
        name = reference.name
        if name not in self.rules:
            raise _missing(reference)
        if name not in self.starts:
            self.starts[name] = self.nfa.state()
            self.queue.append(name)
        return self.starts[name]

    def _write(self, node: Node, source: int, target: int, inside: frozenset[str]) -> None:
        """Edges that read `node` on the way from `source` to `target`; `inside` are the rules being written out."""
        self._count()
        match node:
            case Chars(members):
                self.nfa.edge(source, self._classes(members), target)
            case Row(parts):
                self._row(parts, source, target, inside)
            case Choice(parts):
                for part in parts:
                    self._write(part, source, target, inside)
            case Repeat():
                self._repeat(node, source, target, inside)
            case Reference():
                self._follow(node, source, target, inside)

    def _row(self, parts: tuple[Node, ...], source: int, target: int, inside: frozenset[str]) -> None:
        for part in parts[:-1]:
            behind = self.nfa.state()
            self._write(part, source, behind, inside)
            source = behind
        if parts:
            self._write(parts[-1], source, target, inside)
        else:
            self.nfa.join(source, target)

    def _repeat(self, node: Repeat, source: int, target: int, inside: frozenset[str]) -> None:
        if (node.least, node.most) == (0, 1):  # nothing follows within it, so it may end in a reference
            self.nfa.join(source, target)
            self._write(node.part, source, target, inside)
            return
        for _ in range(node.least):
            source = self._copy(node.part, source, inside)
        if node.most is None:
            loop = self.nfa.state()
            self.nfa.join(source, loop)
            self._write(node.part, loop, loop, inside)
            source = loop
        for _ in range((node.most or 0) - node.least):
            self.nfa.join(source, target)
            source = self._copy(node.part, source, inside)
        self.nfa.join(source, target)

    def _copy(self, part: Node, source: int, inside: frozenset[str]) -> int:
        behind = self.nfa.state()
        self._write(part, source, behind, inside)
        return behind

    def _follow(self, reference: Reference, source: int, target: int, inside: frozenset[str]) -> None:
        name = reference.name
        if target == self.end and not inside:
            self.nfa.join(source, self._start_of(reference))
        elif name not in self.rules:
            raise _missing(reference)
        elif name in inside:
            raise ReadError(f"rule {name} refers to itself before the end of a rule", reference.at)
        else:
            self._write(self.rules[name], source, target, inside | {name})

    def _count(self) -> None:
        self.steps += 1
        if self.steps > MAX_READ_STEPS:
            raise LimitError(over_limit("parts of rules, as often as they are written out", MAX_READ_STEPS))

    def _classes(self, members: IntervalSet) -> tuple[int, ...]:
        if members not in self.classes:
            self.classes[members] = self.nfa.partition.classes_in(members)
        return self.classes[members]


def _missing(reference: Reference) -> ReadError:
    return ReadError(f"there is no rule {reference.name}", reference.at)
