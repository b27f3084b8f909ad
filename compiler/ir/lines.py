"""A line outside the regions that commit: plain text, and the regions that lie within it.

**Code spans** follow CommonMark 0.31 section 6.1 within one line: a run of up to `MAX_SPAN` backticks opens one iff a
run of the same length follows on the line. Longer runs are plain text. What must not follow a run that is plain text
is its own length: such lengths are *closed*. Runs are maximal: between two of them stands other text.

**Quotes** open at the mark of a pair and close at the next mark that closes it on the line. If none follows, the rest
of the line has no quotes. (Were it searched for other pairs, it would matter in which order all marks have come that
are not closed yet, and ten pairs can come in millions of orders.)

A region `after` a character may be one or plain text. Where there are code spans neither it nor quotes hold a
backtick, and where there are quotes it holds no mark that opens them. So no text can be read in two other ways, and
no two of these are open at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from langc.compiler.ir.borders import ANY, BORDERS, enter, leave
from langc.compiler.ir.kinds import MAX_SPAN, QUOTE_MARKS, Place
from langc.compiler.ir.language import (
    EMPTY,
    FAIL,
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
        quotes = [self._quote(a, b) for a, b in QUOTE_MARKS.items()] if self.quotes else []
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
        inner_runs = (literal("`" * n) for n in _open(closed | {length}))
        inner = concat(piece, repetition(concat(alternation(*inner_runs, _longer_run()), piece)))
        return concat(leave(0), run, enter(scope), inner, leave(scope), run, enter(0))

    def _quote(self, opener: str, closer: str) -> Language:
        assert self.quotes is not None
        scope, inner = self.quotes.scope, repetition(Class(self._quotable - IntervalSet.of(closer)))
        return concat(leave(0), literal(opener), enter(scope), inner, leave(scope), literal(closer), enter(0))

    @property
    def _quotable(self) -> IntervalSet:
        """What quotes may hold, but for their closing mark."""
        return _LINE - IntervalSet.of("`") if self.spans else _LINE

    def _behind_open_quote(self, closed: frozenset[int]) -> Language:
        """The rest of the line from a mark on that nothing closes."""
        if self.plain is None:
            return FAIL
        rest = self.plain.after(closed)
        return intersection(rest, alternation(*(concat(literal(a), self._unclosed(b)) for a, b in QUOTE_MARKS.items())))

    def _unclosed(self, closer: str) -> Language:
        """What may follow a mark on its line if quotes do not close there."""
        quoted = repetition(Class((self._quotable - IntervalSet.of(closer)) | SURROGATES))
        return concat(quoted, alternation(EMPTY, concat(_TICK, ANY))) if self.spans else quoted


def _open(closed: frozenset[int]) -> list[int]:
    return [n for n in range(1, MAX_SPAN + 1) if n not in closed]


def _longer_run() -> Language:
    return repetition(_TICK, MAX_SPAN + 1)
