"""Regular languages over scalar values, as expressions.

Invariant: nodes are immutable and come from the smart constructors below, which simplify on the way
in: no empty class, no nested concatenation, no alternation of one. `FAIL` (no text at all) and `EMPTY`
(the empty text alone) are both first-class. Nothing here knows automata.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from langc.compiler.ir.phrases import Phrase
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union


@dataclass(frozen=True)
class Class:
    """Every text of one character out of `members`. Without members it is `FAIL`."""

    members: IntervalSet


@dataclass(frozen=True)
class Concat:
    """One part after the other. Without parts it is `EMPTY`."""

    parts: tuple[Language, ...]


@dataclass(frozen=True)
class Alternation:
    """A text of any of the parts."""

    parts: tuple[Language, ...]


@dataclass(frozen=True)
class Repetition:
    """`least` to `most` texts of the part in a row; `most` None is without bound."""

    part: Language
    least: int
    most: int | None


@dataclass(frozen=True)
class Intersection:
    """The texts that are in every part."""

    parts: tuple[Language, ...]


@dataclass(frozen=True)
class Complement:
    """The well-formed texts that are not in the part."""

    part: Language


@dataclass(frozen=True)
class Cover:
    """The texts whose every character is in `base` or lies inside a whole occurrence of a term or a pattern.

    An occurrence of a pattern is one character out of each of its sets, in a row. Occurrences may overlap. Terms
    are sorted and none is empty; no pattern is empty or holds an empty set.
    """

    base: IntervalSet
    terms: tuple[str, ...]
    patterns: tuple[Pattern, ...] = ()

    @property
    def letters(self) -> IntervalSet:
        """Every character that some permitted text may hold."""
        return union((self.base, IntervalSet.of(*self.terms), *(s for p in self.patterns for s in p)))

    @property
    def singles(self) -> IntervalSet:
        """The characters that are permitted texts by themselves."""
        terms = (IntervalSet.of(t) for t in self.terms if len(t) == 1)
        return union((self.base, *terms, *(p[0] for p in self.patterns if len(p) == 1)))


@dataclass(frozen=True)
class BoundedCover:
    """As `Cover`, with terms that may ask for boundaries or fold case and width: as phrases do.

    Every term folds to something, and no character of a term folds to nothing.
    """

    base: IntervalSet
    terms: tuple[Phrase, ...]
    patterns: tuple[Pattern, ...] = ()


@dataclass(frozen=True)
class PhraseFree:
    """The texts in which none of the phrases occurs. They are sorted and distinct."""

    phrases: tuple[Phrase, ...]


@dataclass(frozen=True)
class Stopped:
    """The texts of the part without the phrases, and the beginnings of its texts that end where one first ends.

    Of the latter only those in `ended`, where that is given.
    """

    part: Language
    phrases: tuple[Phrase, ...]
    ended: Language | None = None


@dataclass(frozen=True)
class Scoped:
    """The texts that have borders (`ir/structure.py`) between which every stretch is in the language of its scope.

    `structure` is over characters and borders. `scopes` are the languages of scope 0, 1, …; `begins_in` is the scope
    that the text begins in.
    """

    structure: Language
    scopes: tuple[Language, ...]
    begins_in: int = 0
    optional: frozenset[int] = frozenset()
    """The scopes of regions that a text can be read without: their openers do not commit."""
    bare: Language | None = None
    """The structure for a skeleton (`automata/recovery.py`), where it is another."""


@dataclass(frozen=True)
class JsonString:
    """What stands between the quotes of JSON strings whose value is a text of the part; see `ir/json_text.py`."""

    part: Language


@dataclass(frozen=True)
class Member:
    """One part of `Joined`."""

    part: Language
    is_required: bool = True
    is_repeated: bool = False
    """Whether it may be there several times in a row."""


@dataclass(frozen=True)
class Joined:
    """The members in their order, without some that are not required, and `separator` between each two."""

    members: tuple[Member, ...]
    separator: Language


Pattern: TypeAlias = tuple[IntervalSet, ...]
Language: TypeAlias = (
    Class
    | Concat
    | Alternation
    | Repetition
    | Intersection
    | Complement
    | Cover
    | BoundedCover
    | PhraseFree
    | Stopped
    | Scoped
    | JsonString
    | Joined
)

FAIL: Language = Class(IntervalSet())
EMPTY: Language = Concat(())


def class_(members: IntervalSet) -> Language:
    """One character of a set."""
    return Class(members & SCALARS)


def literal(text: str) -> Language:
    """Exactly this text."""
    return concat(*(Class(IntervalSet.of(c)) for c in text))


def concat(*parts: Language) -> Language:
    """The parts in a row."""
    flat: list[Language] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Concat) else (part,))
    if FAIL in flat:
        return FAIL
    return flat[0] if len(flat) == 1 else Concat(tuple(flat))


def alternation(*parts: Language) -> Language:
    """Any of the parts; classes among them become one class, duplicates go."""
    flat: dict[Language, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, Alternation) else (part,)))
    single = union(p.members for p in flat if isinstance(p, Class))
    rest = [p for p in flat if not isinstance(p, Class)]
    kept = ([Class(single)] if single else []) + rest
    if not kept:
        return FAIL
    return kept[0] if len(kept) == 1 else Alternation(tuple(kept))


def repetition(part: Language, least: int = 0, most: int | None = None) -> Language:
    """`part` between `least` and `most` times. Raises ValueError on bounds that make no sense."""
    if least < 0 or (most is not None and most < least):
        raise ValueError(f"repetition bounds {least}..{most}")
    if most == 0 or part == EMPTY:
        return EMPTY
    if part == FAIL:
        return EMPTY if least == 0 else FAIL
    if (least, most) == (1, 1):
        return part
    if isinstance(part, Repetition) and (part.least, part.most) == (0, None):
        return part
    return Repetition(part, least, most)


def intersection(*parts: Language) -> Language:
    """What is in every part; without parts, every text."""
    distinct = tuple(dict.fromkeys(parts))
    if FAIL in distinct:
        return FAIL
    if not distinct:
        return ANY_TEXT
    return distinct[0] if len(distinct) == 1 else Intersection(distinct)


def complement(part: Language) -> Language:
    """What is not in the part."""
    return part.part if isinstance(part, Complement) else Complement(part)


def cover(base: IntervalSet, terms: tuple[str, ...] = (), patterns: tuple[Pattern, ...] = ()) -> Language:
    """Texts over `base`, whole terms and whole patterns. Raises ValueError on an empty term or pattern."""
    if "" in terms:
        raise ValueError("a term cannot be empty")
    if () in patterns:
        raise ValueError("a pattern cannot be empty")
    fitting = (tuple(s & SCALARS for s in p) for p in dict.fromkeys(patterns))
    return Cover(base & SCALARS, tuple(sorted(set(terms))), tuple(p for p in fitting if all(p)))


def bounded_cover(base: IntervalSet, terms: Iterable[Phrase], patterns: tuple[Pattern, ...] = ()) -> Language:
    """Texts over `base`, whole terms and whole patterns; a plain `Cover` if no term asks for more."""
    distinct = sorted(set(terms), key=lambda t: t.key)
    plain = cover(base, tuple(t.text for t in distinct), patterns)
    if all(t == Phrase(t.text) for t in distinct):
        return plain
    assert isinstance(plain, Cover)
    return BoundedCover(plain.base, tuple(distinct), plain.patterns)


def phrase_free(phrases: Iterable[Phrase]) -> Language:
    """Texts without the phrases. Raises ValueError on a phrase that folds to nothing, which would be everywhere."""
    distinct = _distinct(phrases)
    return PhraseFree(distinct) if distinct else ANY_TEXT


def stopped(part: Language, phrases: Iterable[Phrase], ended: Language | None = None) -> Language:
    """Texts that end at the first phrase, if not before. Raises ValueError as `phrase_free`."""
    distinct = _distinct(phrases)
    return Stopped(part, distinct, ended) if distinct else part


def json_string(part: Language) -> Language:
    """The contents of JSON strings with a value of the part."""
    return part if part in (FAIL, EMPTY) else JsonString(part)


def joined(members: Iterable[Member], separator: Language) -> Language:
    """The members with a separator between each two that are there; one that has no text at all is never there."""
    every = tuple(members)
    if any(m.is_required and m.part == FAIL for m in every):
        return FAIL
    there = tuple(m for m in every if m.part != FAIL)
    return Joined(there, separator) if there else EMPTY


def unjoined(node: Joined) -> Language:
    """The same language without `Joined`: larger, for what stands before the first required member is written again."""
    behind, alone = EMPTY, EMPTY
    for member in reversed(node.members):
        another = concat(node.separator, member.part)
        first = concat(member.part, repetition(another) if member.is_repeated else EMPTY, behind)
        alone = first if member.is_required else alternation(first, alone)
        behind = concat(repetition(another, member.is_required, None if member.is_repeated else 1), behind)
    return alone


def _distinct(phrases: Iterable[Phrase]) -> tuple[Phrase, ...]:
    distinct = tuple(sorted(set(phrases), key=lambda p: p.key))
    if not all(p.atoms for p in distinct):
        raise ValueError("a phrase that folds to nothing")
    return distinct


ANY_CHARACTER: Language = Class(SCALARS)
ANY_TEXT: Language = Repetition(ANY_CHARACTER, 0, None)


def children(language: Language) -> tuple[Language, ...]:
    """The direct parts of a node."""
    match language:
        case Concat(parts) | Alternation(parts) | Intersection(parts):
            return parts
        case Stopped(part, ended=ended):
            return (part,) if ended is None else (part, ended)
        case Repetition(part) | Complement(part) | JsonString(part):
            return (part,)
        case Scoped(structure, scopes):
            return (structure, *scopes)
        case Joined(members, separator):
            return (*(member.part for member in members), separator)
        case _:
            return ()
