"""Equal parts of an expression become one object, so that a format with names can write each of them once.

Invariant: in what `Shared` hands out, two nodes are equal exactly if they are the same object. The number of nodes is
then that of *different* nodes: an expression that would fill megabytes as a tree can have a few thousand of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from langc.compiler.ir.language import (
    Alternation,
    Class,
    Complement,
    Concat,
    Intersection,
    Language,
    Repetition,
    children,
)


class Shared:
    """One expression without covers, with equal parts shared."""

    def __init__(self, language: Language) -> None:
        self._by_key: dict[Hashable, Language] = {}
        self._by_id: dict[int, tuple[Language, Language]] = {}
        self._uses: Counter[int] = Counter()
        self.root = self._of(language)

    def uses(self, node: Language) -> int:
        """How many places of different nodes hold the node."""
        return self._uses[id(node)]

    @property
    def size(self) -> int:
        """The number of ranges of the classes and of nodes that are no class, each different node counted once."""
        return sum(len(n.members.ranges) if isinstance(n, Class) else 1 for n in self._by_key.values())

    def _of(self, language: Language) -> Language:
        known = self._by_id.get(id(language))
        if known is None:
            known = self._by_id[id(language)] = language, self._made(language)  # kept, so that its id stays its own
        return known[1]

    def _made(self, language: Language) -> Language:
        parts = tuple(map(self._of, children(language)))
        node, detail = _with_parts(language, parts)
        key = (type(node), *map(id, parts), *detail)
        if key not in self._by_key:
            self._by_key[key] = node
            self._uses.update(map(id, parts))
        return self._by_key[key]


def _with_parts(language: Language, parts: tuple[Language, ...]) -> tuple[Language, tuple[Hashable, ...]]:
    """The node over these parts, and what tells it from another node over the same."""
    match language:
        case Class(members):
            return language, (members,)
        case Concat():
            return Concat(parts), ()
        case Alternation():
            return Alternation(parts), ()
        case Intersection():
            return Intersection(parts), ()
        case Complement():
            return Complement(parts[0]), ()
        case Repetition(_, least, most):
            return Repetition(parts[0], least, most), (least, most)
    raise TypeError(f"a {type(language).__name__} has to be written out first")
