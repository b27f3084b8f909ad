"""A line outside the regions that commit: plain text, and the regions that lie within it.

**Code spans** follow CommonMark 0.31 section 6.1 within one line: a run of up to `MAX_SPAN` backticks opens one iff a
run of the same length follows on the line. Longer runs are plain text. What must not follow a run that is plain text
is its own length: such lengths are *closed*. Runs are maximal: between two of them stands other text.

**Quotes** open at the mark of a pair and close at the next mark that closes it on the line. If none follows, the rest
of the line has no quotes. (Were it searched for other pairs, it would matter in which order all marks have come that
are not closed yet, and ten pairs can come in millions of orders.)

A region `after` a character may be one or plain text. So that no text can be read in two other ways, it holds no
backtick where there are code spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from langc.compiler.ir.borders import ANY, BORDERS, enter, leave
from langc.compiler.ir.kinds import MAX_SPAN, QUOTE_MARKS, Place
from langc.compiler.ir.language import (
    EMPTY,
    Class,
    Language,
    alternation,
    complement,
    concat,
    intersection,
    literal,
    repetition,
)
from langc.compiler.unicode.intervals import EMPTY_SET, SCALARS, SURROGATES, IntervalSet

Inline = tuple[IntervalSet, Language]
"""The characters one of which stands before a region, and the region with its borders."""

_TICK = literal("`")
_LINE = SCALARS - IntervalSet.of("\n")


def line(spans: Place | None, quotes: Place | None, inline: Sequence[Inline], items: Sequence[Language]) -> Language:
    """Every line, without its end.

    Args:
        spans: the place of code spans.
        quotes: the place of quotes.
        inline: the regions that may be plain text.
        items: other regions within the line.
    """
    plain = _Line(spans, None, inline, items, None)
    whole = _Line(spans, quotes, inline, items, plain) if quotes else plain
    return whole.after(frozenset())


class _Line:
    """`plain` is the same line where no quotes are looked for."""

    def __init__(
        self,
        spans: Place | None,
        quotes: Place | None,
        inline: Sequence[Inline],
        items: Sequence[Language],
        plain: _Line | None,
    ) -> None:
        self.spans, self.quotes, self.plain = spans, quotes, plain
        marks = IntervalSet.of(*QUOTE_MARKS) if quotes else EMPTY_SET
        character = (_LINE - IntervalSet.of("`") if spans else _LINE) - marks
        self.items = [Class(character), *items, *(concat(Class(after - marks), region) for after, region in inline)]
        self.after = cache(self._after)

    def _after(self, closed: frozenset[int]) -> Language:
        """The rest of a line behind plain runs of these lengths."""
        quotes = [self._quote(a, b, closed) for a, b in QUOTE_MARKS.items()] if self.quotes else []
        text = repetition(alternation(*self.items, *quotes))
        rest_without_quotes = self._behind_open_quote(closed)
        if not self.spans:
            return concat(text, alternation(EMPTY, rest_without_quotes))
        some_text = intersection(text, complement(EMPTY))
        item = alternation(*(self._span(n, closed) for n in _open(closed)), _longer_run())
        plain = [self._plain_run(n, closed) for n in _open(closed)]
        start = concat(text, repetition(concat(item, some_text)))
        last = alternation(EMPTY, item)
        return concat(start, alternation(last, *plain, concat(last, rest_without_quotes)))

    def _plain_run(self, length: int, closed: frozenset[int]) -> Language:
        """A run that is plain text, and the rest of the line, which does not make it longer."""
        rest = self.after(closed | {length})
        return concat(literal("`" * length), intersection(rest, complement(concat(BORDERS, _TICK, ANY))))

    def _span(self, length: int, closed: frozenset[int]) -> Language:
        assert self.spans is not None
        run, scope = literal("`" * length), self.spans.scope
        piece = repetition(Class(_LINE - IntervalSet.of("`")), 1)
        inner = concat(piece, repetition(concat(_run(closed | {length}), piece)))
        return concat(leave(0), run, enter(scope), inner, leave(scope), run, enter(0))

    def _quote(self, opener: str, closer: str, closed: frozenset[int]) -> Language:
        """Quotes that close. Beside code spans they hold no run of a closed length."""
        assert self.quotes is not None
        scope, inner = self.quotes.scope, repetition(Class(_LINE - IntervalSet.of(closer)))
        if self.spans:
            gap = alternation(EMPTY, _run(closed))
            runs = concat(repetition(concat(gap, repetition(Class(_LINE - IntervalSet.of("`")), 1))), gap)
            inner = intersection(inner, runs)
        return concat(leave(0), literal(opener), enter(scope), inner, leave(scope), literal(closer), enter(0))

    def _behind_open_quote(self, closed: frozenset[int]) -> Language:
        """The rest of the line from a mark on that nothing closes."""
        if self.plain is None:
            return alternation()
        rest = self.plain.after(closed)
        lines = (concat(literal(a), _without(b)) for a, b in QUOTE_MARKS.items())
        return intersection(rest, alternation(*lines))


def _without(mark: str) -> Language:
    return repetition(Class((SCALARS - IntervalSet.of(mark)) | SURROGATES))


def _open(closed: frozenset[int]) -> list[int]:
    return [n for n in range(1, MAX_SPAN + 1) if n not in closed]


def _run(closed: frozenset[int]) -> Language:
    """A whole run of a length that is not closed."""
    return alternation(*(literal("`" * n) for n in _open(closed)), _longer_run())


def _longer_run() -> Language:
    return repetition(_TICK, MAX_SPAN + 1)
