"""The automaton of the texts that hold none of some phrases.

A trie over atoms for each way of folding and kind of left boundary. A state holds the tries that an occurrence could
begin in here, and all occurrences in progress, each as a node; deterministic by the subset construction, since the
failure links of Aho and Corasick (1975) are not enough: a shorter occurrence in progress must have begun between two
characters, which the longest one does not tell where a character folds to several atoms.

A node where a phrase ends and nothing may follow kills the text at once. Where characters may bar the occurrence
(a right boundary), the next character decides; the end of the text is a boundary.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from langc.compiler.automata.budget import check_states
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.partition import Partition
from langc.compiler.ir.phrases import Phrase
from langc.compiler.unicode.folding import SPACE, Atoms, Folding, Space
from langc.compiler.unicode.intervals import IntervalSet, union

ROOT = 0
ATOM_BITS = 21
Thread = tuple[int, int]
"""(number of the trie, node): an occurrence in progress."""
State = tuple[frozenset[int], frozenset[Thread]]
"""(the tries that an occurrence can begin in here, the occurrences in progress)."""


@dataclass
class Trie:
    """The phrases that share a folding and the characters that bar them on the left.

    Numbers alone are kept for each node, none of them an object of its own: a collection of Python's garbage would walk
    them all.
    """

    folding: Folding
    left_bars: IntervalSet
    edges: dict[int, int] = field(default_factory=dict)
    """`node << ATOM_BITS | atom` to the node behind."""
    atom: array[int] = field(default_factory=lambda: array("i", [-1]))
    """The atom that leads to a node."""
    ends: dict[int, tuple[IntervalSet, ...]] = field(default_factory=dict)
    """For each node where phrases end, the characters that bar each of them on the right."""
    _newest: array[int] = field(default_factory=lambda: array("i", [ROOT]))
    """The last child of a node, `ROOT` for none."""
    _older: array[int] = field(default_factory=lambda: array("i", [ROOT]))
    """The child of the same node before this one."""
    _kinds: dict[tuple[IntervalSet, ...], tuple[IntervalSet, ...]] = field(default_factory=dict)
    """Equal values of `ends`, one of each."""

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.atom)

    @property
    def letters(self) -> frozenset[int]:
        """The atoms of all phrases in it."""
        return frozenset(self.atom[1:])

    def add(self, phrase: Phrase) -> None:
        """Put a phrase in."""
        node = ROOT
        for atom in phrase.atoms:
            following = self.child(node, atom)
            node = self._grow(node, atom) if following is None else following
        kind = tuple(dict.fromkeys((*self.ends.get(node, ()), phrase.right_bars)))
        self.ends[node] = self._kinds.setdefault(kind, kind)

    def _grow(self, node: int, atom: int) -> int:
        new = self.size
        self.edges[node << ATOM_BITS | atom] = new
        self.atom.append(atom)
        self._older.append(self._newest[node])
        self._newest.append(ROOT)
        self._newest[node] = new
        return new

    def child(self, node: int, atom: int) -> int | None:
        """The node behind one atom."""
        return self.edges.get(node << ATOM_BITS | atom)

    def children(self, node: int) -> list[int]:
        """The nodes behind one, the oldest first."""
        found, child = [], self._newest[node]
        while child != ROOT:
            found.append(child)
            child = self._older[child]
        return found[::-1]

    def goes_on(self, node: int) -> bool:
        """Whether there are any."""
        return self._newest[node] != ROOT

    def step(self, node: int, atoms: Atoms) -> int | None:
        """The node behind one character, None if no phrase goes on with it."""
        for atom in atoms:
            if not (atom == SPACE == self.atom[node] and self.folding.space is Space.RUN):
                following = self.edges.get(node << ATOM_BITS | atom)
                if following is None:
                    return None
                node = following
        return node


def build_tries(phrases: Iterable[Phrase]) -> list[Trie]:
    """One trie for each folding and left boundary."""
    tries: dict[tuple[Folding, IntervalSet], Trie] = {}
    for phrase in phrases:
        key = (phrase.folding, phrase.left_bars)
        tries.setdefault(key, Trie(*key)).add(phrase)
    return list(tries.values())


def phrase_sets(phrases: Iterable[Phrase]) -> Iterator[IntervalSet]:
    """The sets that a partition must not cut: what folds alike, and what bars an occurrence."""
    for trie in build_tries(phrases):
        yield trie.left_bars
        yield from (bars for ends in trie.ends.values() for bars in ends)
        yield from alike(trie.folding, trie.letters).values()


def phrase_letters(phrases: Iterable[Phrase]) -> IntervalSet:
    """A set with every character that can begin or carry on an occurrence."""
    return union(members for trie in build_tries(phrases) for members in alike(trie.folding, trie.letters).values())


def alike(folding: Folding, letters: frozenset[int]) -> Mapping[Atoms, IntervalSet]:
    """The characters with the same atoms, as far as all of these are among the letters."""
    found: dict[Atoms, list[int]] = {}
    for symbol in (*(a for a in letters if a not in folding.changed), *folding.changed):
        atoms = folding.atoms(symbol)
        if letters.issuperset(atoms):
            found.setdefault(atoms, []).append(symbol)
    return {atoms: IntervalSet.of(*members) for atoms, members in found.items()}


def begun_behind(tries: Iterable[Trie], partition: Partition) -> list[frozenset[int]]:
    """For each class the tries that an occurrence can begin in behind it."""
    bars = [trie.left_bars for trie in tries]
    return [frozenset(n for n, b in enumerate(bars) if m.first() not in b) for m in partition.members]


def phrase_free_dfa(phrases: Sequence[Phrase], partition: Partition) -> Dfa:
    """The automaton over a partition that cuts none of `phrase_sets`. Raises LimitError past the budget of states."""
    return _Construction(build_tries(phrases), partition).run()


def stopping_dfa(phrases: Sequence[Phrase], partition: Partition) -> tuple[Dfa, frozenset[int]]:
    """The automaton of the beginnings of texts that end, if not before, where a phrase first ends.

    Returns:
        The automaton, all of whose states but `DEAD` accept; and the states that are at the end of a phrase.
    """
    construction = _Construction(build_tries(phrases), partition, stops=True)
    free = construction.run()
    every = frozenset(range(1, free.size))
    return Dfa(partition, free.table, every, free.start), every - free.accepting


class _Construction:
    """Breadth first from the state in which every occurrence can begin."""

    def __init__(self, tries: list[Trie], partition: Partition, stops: bool = False) -> None:
        self.tries, self.partition = tries, partition
        self.complete = 1 if stops else DEAD
        """The state behind a phrase that is complete and that nothing can bar. No edge leads on."""
        self.columns = [Columns.of(trie, partition) for trie in tries]
        self.ready = begun_behind(tries, partition)
        self.numbers: dict[State, int] = {}
        self.queue: list[State] = []
        self.plain: dict[frozenset[int], list[int]] = {}
        """The row of the state with nothing in progress."""

    def run(self) -> Dfa:
        start = self._number((frozenset(range(len(self.tries))), frozenset()))
        table = [(DEAD,) * self.partition.size] * (self.complete + 1)
        table.extend(tuple(self._row(state)) for state in self.queue)
        accepting = frozenset(n for (_, going), n in self.numbers.items() if not any(map(self._ends, going)))
        return Dfa(self.partition, tuple(table), accepting, start)

    def _number(self, state: State) -> int:
        if state not in self.numbers:
            number = len(self.numbers) + self.complete + 1
            check_states(number, self.partition.size, "the automaton of the phrases")
            self.numbers[state] = number
            self.queue.append(state)
        return self.numbers[state]

    def _row(self, state: State) -> list[int]:
        begun, going = state
        row = list(self._plain_row(begun))
        for number in sorted(self._continuing(going)):
            row[number] = self._target(begun, going, number)
        for trie, bars in ((t, bars) for t, node in going for bars in self.tries[t].ends.get(node, ())):
            barred = self.columns[trie].barred(bars)
            row = [target if number in barred else DEAD for number, target in enumerate(row)]
        return row

    def _plain_row(self, begun: frozenset[int]) -> list[int]:
        if begun not in self.plain:
            self.plain[begun] = [self._target(begun, frozenset(), n) for n in range(self.partition.size)]
        return self.plain[begun]

    def _target(self, begun: frozenset[int], going: frozenset[Thread], number: int) -> int:
        """The state behind a class; `complete` if a phrase is, and nothing can bar it."""
        after: set[Thread] = set()
        for trie, node in (*((t, ROOT) for t in begun), *going):
            atoms = self.columns[trie].atoms[number]
            following = None if atoms is None else self.tries[trie].step(node, atoms)
            if following is not None:
                after.add((trie, following))
        if any(not bars for thread in after for bars in self._ends(thread)):
            return self.complete
        return self._number((self.ready[number], frozenset(after)))

    def _ends(self, thread: Thread) -> tuple[IntervalSet, ...]:
        trie, node = thread
        return self.tries[trie].ends.get(node, ())

    def _continuing(self, going: Iterable[Thread]) -> set[int]:
        """The classes that continue an occurrence."""
        found: set[int] = set()
        for trie, node in going:
            columns = self.columns[trie]
            found.update(columns.dropped)
            for atom in (*(self.tries[trie].atom[child] for child in self.tries[trie].children(node)), SPACE):
                found.update(columns.by_atom.get(atom, ()))
        return found


@dataclass
class Columns:
    """What a trie sees of the classes."""

    partition: Partition
    atoms: list[Atoms | None]
    """Of each class; None if some atom is in no phrase."""
    dropped: list[int]
    """The classes without atoms."""
    by_atom: dict[int, list[int]]
    """The classes by their first atom."""
    _barred: dict[IntervalSet, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, trie: Trie, partition: Partition) -> Columns:
        """The columns of a trie. No class is cut by a set of `phrase_sets`."""
        letters = trie.letters
        found = (trie.folding.atoms(members.first()) for members in partition.members)
        atoms = [a if letters.issuperset(a) else None for a in found]
        by_atom: dict[int, list[int]] = {}
        for number, each in enumerate(atoms):
            if each:
                by_atom.setdefault(each[0], []).append(number)
        return cls(partition, atoms, [n for n, a in enumerate(atoms) if a == ()], by_atom)

    def barred(self, bars: IntervalSet) -> frozenset[int]:
        """The classes inside a set of characters."""
        if bars not in self._barred:
            self._barred[bars] = frozenset(self.partition.classes_in(bars))
        return self._barred[bars]
