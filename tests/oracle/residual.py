"""What is left of a language after a text, by Brzozowski's derivatives (1964, JACM 11(4)), on trees.

The residual of L after w holds the texts x with wx in L. It is computed character by character on the
expression itself; no automaton is built. Trees are kept once each (equal trees are the same object) and
alternation is a set, so a language has finitely many residuals and "can this still become a member?" is
decided exactly, by looking at all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from langc.compiler.ir.language import (
    Alternation,
    Class,
    Complement,
    Concat,
    Cover,
    Intersection,
    Joined,
    JsonString,
    Language,
    Member,
    Repetition,
    children,
)
from langc.compiler.unicode.intervals import IntervalSet
from tests.oracle.spans import Shape, begins, fits, shapes

LAST = 0x10FFFF


@dataclass(eq=False, frozen=True)
class Tree:
    """A residual. `parts` are trees, or what the kind says; made by `_tree` only."""

    kind: str
    parts: tuple[Any, ...] = ()
    _after: dict[str, Tree] = field(default_factory=dict)

    def after(self, character: str) -> Tree:
        """The residual after one more character."""
        if character not in self._after:
            self._after[character] = _derive(self, character)
        return self._after[character]


_trees: dict[tuple[str, tuple[Any, ...]], Tree] = {}


def _tree(kind: str, *parts: Any) -> Tree:
    key = (kind, parts)
    if key not in _trees:
        _trees[key] = Tree(kind, parts)
    return _trees[key]


def _either(trees: frozenset[Tree]) -> Tree:
    flat = frozenset(t for tree in trees for t in (tree.parts[0] if tree.kind == "or" else (tree,)))
    return next(iter(flat)) if len(flat) == 1 else _tree("or", flat)


def _both(trees: frozenset[Tree]) -> Tree:
    flat = frozenset(t for tree in trees for t in (tree.parts[0] if tree.kind == "and" else (tree,)))
    if NOTHING in flat:
        return NOTHING
    return next(iter(flat)) if len(flat) == 1 else _tree("and", flat)


def _row(first: Tree, second: Tree) -> Tree:
    if NOTHING in (first, second):
        return NOTHING
    if first is EMPTY_TEXT:
        return second
    if first.kind == "row":  # one shape for (ab)c and a(bc)
        return _row(first.parts[0], _row(first.parts[1], second))
    return first if second is EMPTY_TEXT else _tree("row", first, second)


def _repeated(part: Tree, least: int, most: int | None) -> Tree:
    return EMPTY_TEXT if most == 0 else _tree("repeat", part, least, most)


NOTHING = _tree("or", frozenset())
EMPTY_TEXT = _tree("empty")


def whole(language: Language) -> Tree:
    """The residual after the empty text: the language itself."""
    match language:
        case Class(members):
            return _tree("class", members)
        case Concat(parts):
            tree = EMPTY_TEXT
            for part in reversed(parts):
                tree = _row(whole(part), tree)
            return tree
        case Alternation(parts):
            return _either(frozenset(map(whole, parts)))
        case Intersection(parts):
            return _both(frozenset(map(whole, parts)))
        case Complement(part):
            return _tree("not", whole(part))
        case Repetition(part, least, most):
            return _repeated(whole(part), least, most)
        case Cover():
            return _tree("cover", language.base, shapes(language), ())
        case Joined(members, separator):
            return _joined(list(members), whole(separator), False)
        case JsonString(part):
            return _tree("json", whole(part), "")
        case _:
            raise ValueError("phrases and scopes have referees of their own")


def _joined(members: list[Member], separator: Tree, is_behind_one: bool) -> Tree:
    """The members from here on; behind one that is there, a separator stands before the next."""
    if not members:
        return EMPTY_TEXT
    first, *rest = members
    part = whole(first.part)
    there = _row(separator, part) if is_behind_one else part
    if first.is_repeated:
        there = _row(there, _repeated(_row(separator, part), 0, None))
    taken = _row(there, _joined(rest, separator, True))
    return taken if first.is_required else _either(frozenset({taken, _joined(rest, separator, is_behind_one)}))


def complete(tree: Tree) -> bool:
    """Whether the residual holds the empty text: what was read is a member."""
    match tree.kind, tree.parts:
        case "empty", _:
            return True
        case "or", (parts,):
            return any(map(complete, parts))
        case "and", (parts,):
            return all(map(complete, parts))
        case "not", (part,):
            return not complete(part)
        case "row", (first, second):
            return complete(first) and complete(second)
        case "repeat", (part, least, _):
            return least == 0 or complete(part)
        case "cover", (_, _, recent):
            return all(fine for _, fine in recent)
        case "json", (part, escape):
            return not escape and complete(part)
        case _:  # class
            return False


def _derive(tree: Tree, character: str) -> Tree:
    match tree.kind, tree.parts:
        case "class", (members,):
            return EMPTY_TEXT if ord(character) in members else NOTHING
        case "or", (parts,):
            return _either(frozenset(p.after(character) for p in parts))
        case "and", (parts,):
            return _both(frozenset(p.after(character) for p in parts))
        case "not", (part,):
            return _tree("not", part.after(character))
        case "row", (first, second):
            inside = _row(first.after(character), second)
            return _either(frozenset({inside, second.after(character)})) if complete(first) else inside
        case "repeat", (part, least, most):
            rest = _repeated(part, max(least - 1, 0), None if most is None else most - 1)
            return _row(part.after(character), rest)
        case "cover", (base, items, recent):
            return _covered_after(base, items, recent, character)
        case "json", (part, escape):
            return _inside_quotes(part, escape + character)
        case _:  # empty
            return NOTHING


_ESCAPES = [json.dumps(c, ensure_ascii=False)[1:-1] for c in ('"', "\\", *map(chr, range(0x20)))]
_ESCAPES_BEGUN = {escape[:n] for escape in _ESCAPES for n in range(1, len(escape))}


def _inside_quotes(part: Tree, read: str) -> Tree:
    """What is left behind a character of a JSON string, or behind the beginning of an escape.

    Python reads it; it must also be what Python would write.
    """
    if read in _ESCAPES_BEGUN:
        return _tree("json", part, read)
    try:
        value = json.loads(f'"{read}"')
    except ValueError:
        return NOTHING
    is_written_so = json.dumps(value, ensure_ascii=False) == f'"{read}"'
    return _tree("json", part.after(value), "") if is_written_so else NOTHING


Recent = tuple[tuple[str, bool], ...]


def _covered_after(base: IntervalSet, items: tuple[Shape, ...], recent: Recent, character: str) -> Tree:
    """`recent` holds the characters from which on some term has begun and goes on, each with "is it fine?".

    A character that is not fine and lies before every such beginning is lost.
    """
    text = "".join(c for c, _ in recent) + character
    fine = [f for _, f in recent] + [ord(character) in base]
    for item in items:
        if fits(item, text[-len(item) :]):
            fine[len(text) - len(item) :] = [True] * len(item)
    first = next((i for i in range(len(text)) if any(begins(item, text[i:]) for item in items)), len(text))
    if not all(fine[:first]):
        return NOTHING
    return _tree("cover", base, items, tuple(zip(text[first:], fine[first:], strict=True)))


def cuts(language: Language) -> tuple[int, ...]:
    """The scalar values at which some set of the expression begins, or behind which one ends."""
    edges = {b for s in _sets(language) for low, high in s.ranges for b in (low, high + 1)}
    return tuple(sorted(c for c in {0, 0xE000} | edges if c <= LAST and not 0xD800 <= c <= 0xDFFF))


def _sets(language: Language) -> Iterator[IntervalSet]:
    match language:
        case Class(members):
            yield members
        case Cover():
            yield language.base
            yield from (members for item in shapes(language) for members in item)
        case JsonString():
            yield from map(IntervalSet.of, ('"', *"\\ubfnrt0123456789abcdef", *map(chr, range(0x20))))
    for part in children(language):
        yield from _sets(part)


class Referee:
    """Decides texts and beginnings of texts for one language."""

    def __init__(self, language: Language) -> None:
        self.start = whole(language)
        self.cuts = cuts(language)
        self._sets = tuple(dict.fromkeys(_sets(language)))
        self._representative = {self._group(chr(c)): chr(c) for c in reversed(self.cuts)}
        self.alphabet = tuple(sorted(self._representative.values()))
        """One character out of each group that no set of the expression tells apart."""
        self._alive: dict[Tree, bool] = {}

    def step(self, tree: Tree, character: str) -> Tree:
        """The residual after a character (its group's representative stands for it)."""
        if "\ud800" <= character <= "\udfff":
            return NOTHING
        return tree.after(self._representative[self._group(character)])

    def after(self, text: str) -> Tree:
        """The residual after a text."""
        tree = self.start
        for character in text:
            tree = self.step(tree, character)
        return tree

    def accepts(self, text: str) -> bool:
        """Whether the text is a member."""
        return complete(self.after(text))

    def alive(self, tree: Tree) -> bool:
        """Whether any text at all is left."""
        if tree not in self._alive:
            self._explore(tree)
        return self._alive[tree]

    def viable(self, prefix: str) -> bool:
        """Whether some extension of the prefix is a member."""
        return self.alive(self.after(prefix))

    def first_violation(self, text: str) -> int | None:
        """The first offset after which no member is left; the length if only the end is wrong; else None."""
        for end in range(1, len(text) + 1):
            if not self.viable(text[:end]):
                return end - 1
        return None if self.accepts(text) else len(text)

    def _group(self, character: str) -> tuple[bool, ...]:
        return tuple(ord(character) in s for s in self._sets)

    def _explore(self, tree: Tree) -> None:
        """Look at all residuals of `tree`: it is alive iff one of them is complete."""
        seen = {tree: None}
        queue = [tree]
        for current in queue:
            if complete(current) or self._alive.get(current):
                self._alive[tree] = True
                return
            fresh = [t for c in self.alphabet if (t := current.after(c)) not in seen]
            seen.update(dict.fromkeys(fresh))
            queue.extend(dict.fromkeys(fresh))
        self._alive.update(dict.fromkeys(seen, False))
