"""Joining expressions so that they stay small: common beginnings and ends are taken out, options and loops merged.

Invariant: every function keeps the language. Nothing here searches; each step looks at the outermost parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from langc.compiler.ir.language import (
    EMPTY,
    FAIL,
    Alternation,
    Class,
    Concat,
    Language,
    Repetition,
    alternation,
    children,
    concat,
    repetition,
)

Parts = tuple[Language, ...]


def is_nullable(language: Language) -> bool:
    """Whether a plain expression has the empty text."""
    match language:
        case Repetition(part, least):
            return least == 0 or is_nullable(part)
        case Alternation(parts):
            return any(map(is_nullable, parts))
        case Concat(parts):
            return all(map(is_nullable, parts))
        case _:
            return False


def without_empty(language: Language) -> Language:
    """A plain expression for the same texts but the empty one, which no way through it can read."""
    if not is_nullable(language):
        return language
    match language:
        case Alternation(parts):
            return alternation(*map(without_empty, parts))
        case Repetition(part, _, most):
            least = without_empty(part)
            return repetition(least, 1, most) if least != FAIL else FAIL
        case Concat(parts) if parts:
            first, rest = parts[0], concat(*parts[1:])
            return alternation(concat(without_empty(first), rest), without_empty(rest))
        case _:
            return FAIL


def star(part: Language) -> Language:
    """Any number of the part."""
    if isinstance(part, Repetition) and part.least <= 1 and part.most in (1, None):
        return repetition(part.part)
    return repetition(_without_option(part))


def optional(part: Language) -> Language:
    """The part or nothing."""
    if is_nullable(part):
        return part
    if isinstance(part, Repetition) and part.least == 1:
        return repetition(part.part, 0, part.most)
    return repetition(part, 0, 1)


def in_a_row(left: Language, right: Language) -> Language:
    """One after the other; `x x*` is written `x+`."""
    first, last = parts_of(left), parts_of(right)
    if last and isinstance(last[0], Repetition) and (last[0].least, last[0].most) == (0, None):
        body = parts_of(last[0].part)
        if first[len(first) - len(body) :] == body:
            return concat(*first[: len(first) - len(body)], repetition(last[0].part, 1), *last[1:])
    return concat(left, right)


def either(alternatives: Sequence[Language]) -> Language:
    """Any of them; what several begin or end with is written once."""
    some = [a for a in dict.fromkeys(alternatives) if a != EMPTY]
    if not some:
        return EMPTY
    rows = _factored(_factored(sorted(map(parts_of, some), key=_first), 0), -1)
    whole = alternation(*(concat(*r) for r in rows))
    return optional(whole) if EMPTY in alternatives else whole


def parts_of(language: Language) -> Parts:
    """The parts of a concatenation; of anything else, itself."""
    return language.parts if isinstance(language, Concat) else (language,)


def _first(row: Parts) -> int:
    """The least character that a row begins with, for an order that a reader can follow."""
    match row[0]:
        case Class(members):
            return members.first()
        case Repetition(part):
            return _first(parts_of(part))
        case Alternation(parts):
            return min(_first(parts_of(p)) for p in parts)
        case _:
            return 0


def _factored(rows: list[Parts], end: int) -> list[Parts]:
    """Rows that begin (`end` 0) or finish (-1) alike become one, in the place of the first."""
    groups: dict[Language, list[Parts]] = {}
    for row in rows:
        groups.setdefault(row[end], []).append(row)
    return [group[0] if len(group) == 1 else _with_common(group, end) for group in groups.values()]


def _with_common(rows: list[Parts], end: int) -> Parts:
    count = _common(rows if end == 0 else [r[::-1] for r in rows])
    if end == 0:
        return (*rows[0][:count], *parts_of(either([concat(*r[count:]) for r in rows])))
    return (*parts_of(either([concat(*r[:-count]) for r in rows])), *rows[0][-count:])


def _common(rows: list[Parts]) -> int:
    """How many parts from the first on are the same in all rows."""
    return next((i for i, column in enumerate(zip(*rows, strict=False)) if len(set(column)) > 1), min(map(len, rows)))


def _without_option(part: Language) -> Language:
    """An alternation under a star needs no alternative that is itself a loop or an option."""
    if not isinstance(part, Alternation):
        return part
    return alternation(*(p.part if isinstance(p, Repetition) and _is_loose(p) else p for p in part.parts))


def _is_loose(part: Repetition) -> bool:
    return part.least <= 1 and part.most in (1, None)


class Measure:
    """Sizes (ranges of the classes, and parts) and depths of expressions, each computed once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Language, int, int]] = {}

    def size(self, language: Language) -> int:
        """The number of ranges and of nodes that are no class."""
        return self._entry(language)[1]

    def depth(self, language: Language) -> int:
        """The number of nodes from the root to the deepest leaf."""
        return self._entry(language)[2]

    def _entry(self, language: Language) -> tuple[Language, int, int]:
        entry = self._known.get(id(language))
        if entry is None:
            entry = self._measured(language)
            self._known[id(language)] = entry  # the node is kept, so its id stays its own
        return entry

    def _measured(self, language: Language) -> tuple[Language, int, int]:
        if isinstance(language, Class):
            return language, len(language.members.ranges), 1
        below = [self._entry(p) for p in children(language)]
        return language, 1 + sum(s for _, s, _ in below), 1 + max((d for *_, d in below), default=0)
