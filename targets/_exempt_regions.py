"""Exempt regions as expressions without borders. Where they begin and end is said in `compiler/ir/structure.py`."""

from __future__ import annotations

from langc.compiler.ir.kinds import MAX_SPAN
from langc.compiler.ir.language import (
    ANY_TEXT,
    EMPTY,
    Cover,
    Language,
    alternation,
    class_,
    complement,
    concat,
    cover,
    intersection,
    literal,
    repetition,
)
from langc.compiler.ir.structure import fence_closer, fence_opener, fences
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

NEWLINE = literal("\n")
_NOT_NEWLINE = class_(SCALARS - IntervalSet.of("\n"))
_REST_OF_LINE = repetition(_NOT_NEWLINE)
_INDENT = repetition(literal(" "), 0, 3)
_TICK = literal("`")
_NOT_TICK = class_(SCALARS - IntervalSet.of("`\n"))


def containing(text: str) -> Language:
    """Every text with an occurrence of `text`."""
    return concat(ANY_TEXT, literal(text), ANY_TEXT)


def without(text: str) -> Language:
    """Every text with no occurrence of `text`."""
    return complement(containing(text))


def up_to_first(closer: str) -> Language:
    """Any text up to and including its first `closer`."""
    longer = concat(ANY_TEXT, literal(closer), repetition(class_(SCALARS), 1))
    return intersection(concat(ANY_TEXT, literal(closer)), complement(longer))


def between(opener: str, closer: str) -> Language:
    """A whole region between two delimiters."""
    return concat(literal(opener), up_to_first(closer))


def fence_line() -> Language:
    """A line, without its end, that opens a fence."""
    return alternation(*(fence_opener(c, n) for c, n in fences()))


def fence() -> Language:
    """A closed fence, the newline behind its closer included."""
    return alternation(*(concat(_opened(c, n), fence_closer(c, n), NEWLINE) for c, n in fences()))


def fence_to_the_end() -> Language:
    """A fence that the end of the text closes."""
    return alternation(*(alternation(fence_opener(c, n), concat(_opened(c, n), _REST_OF_LINE)) for c, n in fences()))


def line_with_spans(scope: Cover, forbidden: str | None) -> Language:
    """A line whose code spans are exempt and whose other text is in `scope`.

    No term of `scope` may hold a backtick or a newline. No span holds `forbidden`: an opener which goes first.
    """
    return _Line(scope, forbidden).after(frozenset())


def _opened(character: str, length: int) -> Language:
    """The opener and the whole lines behind it, none of them a closer."""
    inner = intersection(_REST_OF_LINE, complement(fence_closer(character, length)))
    return concat(fence_opener(character, length), NEWLINE, repetition(concat(inner, NEWLINE)))


class _Line:
    """The rest of a line, given the lengths of the runs that were read as plain text.

    A run is plain text iff no run of its length follows on the line, so what follows must not hold one:
    these lengths are `closed`. Runs are maximal: between two of them stands other text.
    """

    def __init__(self, scope: Cover, forbidden: str | None) -> None:
        self.tick_is_text = ord("`") in scope.base
        self.text = cover(scope.base - IntervalSet.of("`\n"), scope.terms, scope.patterns)
        self.some_text = intersection(self.text, complement(EMPTY))
        self.span_text = ANY_TEXT if forbidden is None else without(forbidden)

    def after(self, closed: frozenset[int]) -> Language:
        whole = [self._span(n, closed) for n in self._open(closed)]
        if self.tick_is_text:
            whole.append(_longer_run())
        item = alternation(*whole)
        plain = [self._plain(n, closed) for n in self._open(closed)] if self.tick_is_text else []
        start = concat(self.text, repetition(concat(item, self.some_text)))
        return concat(start, alternation(EMPTY, item, *plain))

    def _plain(self, length: int, closed: frozenset[int]) -> Language:
        rest = self.after(closed | {length})
        return concat(literal("`" * length), alternation(EMPTY, concat(self.some_text, rest)))

    def _span(self, length: int, closed: frozenset[int]) -> Language:
        run = literal("`" * length)
        inner_runs = (literal("`" * n) for n in self._open(closed | {length}))
        piece = repetition(_NOT_TICK, 1)
        content = concat(piece, repetition(concat(alternation(*inner_runs, _longer_run()), piece)))
        return concat(run, intersection(content, self.span_text), run)

    @staticmethod
    def _open(closed: frozenset[int]) -> list[int]:
        return [n for n in range(1, MAX_SPAN + 1) if n not in closed]


def _longer_run() -> Language:
    return repetition(_TICK, MAX_SPAN + 1)
