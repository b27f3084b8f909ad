"""Where regions open and close, as a language over characters and *borders*.

A border is a symbol between two characters: the text leaves a scope or enters one. It is a surrogate code point, which
no text can hold. Scope 0 is the policy's own rules, scope n the rules of its n-th region; the delimiters of a region
lie in no scope. `Scoped` (`ir/language.py`) takes the borders away again and holds each stretch to its scope.

Fences follow CommonMark 0.31 section 4.5 at the top level: a run of three to `MAX_FENCE` backticks or tildes,
indented by at most three spaces, opens one; a run at least as long of the same character, alone on its line, closes
it. A line ends with LF or CR LF. Code spans follow section 6.1 within one line: a run of up to `MAX_SPAN` backticks
opens one iff a run of the same length follows on the line. Longer runs are plain text.

What opens first stands; of several openers that begin at one place the longest counts, of equal ones the first. The
opener of a `Between` commits: where it is complete the region has begun, whatever follows. One with `after` does not:
it is a region only if it closes on its line, before an opener that commits begins, and plain text else. So that no
text can be read in two ways, it holds no backtick where there are code spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import TypeAlias

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

MIN_FENCE, MAX_FENCE = 3, 8
MAX_SPAN = 3


@dataclass(frozen=True)
class Fence:
    """Fenced code blocks."""


@dataclass(frozen=True)
class InlineCode:
    """Code spans that close on their line."""


@dataclass(frozen=True)
class Between:
    """From a delimiter to the first other one behind it."""

    opener: str
    closer: str
    after: IntervalSet | None = None
    """The characters one of which stands directly before the opener; then it does not commit."""
    at_start: bool = False
    """Whether it opens at the start of the text only."""
    most: int | None = None
    """The largest number of characters between the delimiters."""


Kind: TypeAlias = Fence | InlineCode | Between


@dataclass(frozen=True)
class Place:
    """One kind of region: which scope its content is in, and whether the end of the text may close it."""

    kind: Kind
    scope: int
    unclosed: bool


def enter(scope: int) -> Language:
    """The border at which a scope begins."""
    return Class(_symbol(2 * scope))


def leave(scope: int) -> Language:
    """The border at which a scope ends."""
    return Class(_symbol(2 * scope + 1))


def borders(scopes: int) -> IntervalSet:
    """The symbols of the borders of so many scopes."""
    first = SURROGATES.first()
    return IntervalSet(((first, first + 2 * scopes - 1),))


def _symbol(number: int) -> IntervalSet:
    return IntervalSet.of(SURROGATES.first() + number)


_BORDERS = repetition(Class(SURROGATES))
_ANY = repetition(Class(SCALARS | SURROGATES))
"""Characters and borders."""
_NEWLINE = literal("\n")
_REST_OF_LINE = repetition(Class(SCALARS - IntervalSet.of("\n")))
_INDENT = repetition(literal(" "), 0, 3)
_TICK = literal("`")
_NOT_TICK = Class(SCALARS - IntervalSet.of("`\n"))


def structure(places: Sequence[Place], begins_in: int | None = None) -> Language:
    """Every text with its borders.

    Args:
        places: the kinds of regions. What several of them could be is the first.
        begins_in: the number of the place, a `Between`, inside which the text begins; None is outside all.
    """
    return _Structure(places).whole(begins_in)


def before(opener: str, openers: Iterable[str]) -> Language:
    """The stretches behind which `opener` is the first of the openers, or as long as any that ends where it does."""
    conflicts = [x for other in openers for x in _overlaps(other, opener)]
    ends = alternation(*(concat(_ANY, _spread(x), _BORDERS) for x in conflicts))
    return intersection(without(openers), complement(ends))


def _overlaps(other: str, opener: str) -> list[str]:
    """How a stretch may not end, or `other` would be complete inside `opener`, or with it and longer."""
    sizes = range(1, min(len(other), len(opener) + 1))
    return [other[:-n] for n in sizes if opener.startswith(other[-n:]) and (n < len(opener) or other != opener)]


def without(texts: Iterable[str]) -> Language:
    """No occurrence of any of the texts."""
    return complement(alternation(*(concat(_ANY, _spread(t), _ANY) for t in texts)))


def _spread(text: str) -> Language:
    """The text, whatever borders stand between its characters."""
    return concat(*(concat(_BORDERS, literal(c)) for c in text))


class _Structure:
    def __init__(self, places: Sequence[Place]) -> None:
        self.places = places
        self.fences = [p for p in places if isinstance(p.kind, Fence)]
        self.spans = [p for p in places if isinstance(p.kind, InlineCode)]
        kinds = [(p, p.kind) for p in places if isinstance(p.kind, Between) and not p.kind.after]
        self.starting = _first_of_each((p, kind) for p, kind in kinds if kind.at_start)
        self.committing = _first_of_each((p, kind) for p, kind in kinds if not kind.at_start)
        self.openers = tuple(kind.opener for _, kind in self.committing)

    def whole(self, begins_in: int | None) -> Language:
        line = _Line(self.spans, self.openers, self._inline()).whole()
        self.line, self.plain = line, intersection(line, complement(_fence_line())) if self.fences else line
        more = repetition(concat(_NEWLINE, self.plain))
        at_line_start, inside_line = concat(self.plain, more), concat(line, more)
        behind = self._behind_region(at_line_start, inside_line)
        if begins_in is not None:
            return self._longest(self._rest(self.places[begins_in], behind))
        outside = self._begun_outside(self._outside(at_line_start, behind))
        inside = (concat(_opening(p, kind), self._rest(p, behind)) for p, kind in self.starting)
        return self._longest(alternation(outside, *inside))

    def _longest(self, text: Language) -> Language:
        return intersection(text, complement(self._cut_short()))

    def _cut_short(self) -> Language:
        """The texts in which a region has an opener that is a part of a longer one there."""
        longer = [(kind.opener, _ANY) for _, kind in self.committing] + [(k.opener, EMPTY) for _, k in self.starting]
        return alternation(
            *(
                concat(place, literal(other[:at]), _opening(p, kind), _spread(other[at + len(kind.opener) :]), _ANY)
                for p, kind in (*self.committing, *self.starting)
                for other, place in longer
                for at in range(len(other) - len(kind.opener))
                if other.startswith(kind.opener, at)
            )
        )

    # --- fences, and the regions between them ---------------------------------------------------------------

    def _outside(self, at_line_start: Language, behind: Language) -> Language:
        """The text from a line start outside all regions on."""
        to_line_start = alternation(EMPTY, self._whole_lines(at_line_start))
        fences = repetition(concat(to_line_start, self._fence))
        end = alternation(self._last(at_line_start), concat(to_line_start, self._last_fence))
        return concat(fences, alternation(end, concat(self._to_region(at_line_start), behind)))

    def _behind_region(self, at_line_start: Language, inside_line: Language) -> Language:
        """The text behind the closer of a region, which stands inside a line."""
        lines = self._whole_lines(inside_line)
        to_line_start = alternation(EMPTY, self._whole_lines(at_line_start))
        back = concat(lines, self._fence, repetition(concat(to_line_start, self._fence)))
        end = alternation(self._last(at_line_start), concat(to_line_start, self._last_fence))
        again = alternation(self._to_region(inside_line), concat(back, self._to_region(at_line_start)))
        last = alternation(self._last(inside_line), concat(lines, self._last_fence), concat(back, end))
        return concat(repetition(again), last)

    def _last(self, stretch: Language) -> Language:
        """A stretch that nothing or a fence follows, or the beginning of a region that the text's end closes."""
        tails = [
            concat(self._up_to(stretch, kind), _opening(p, kind), self._open_content(kind))
            for p, kind in self.committing
            if p.unclosed
        ]
        return alternation(self._clear(stretch), *tails)

    def _clear(self, stretch: Language) -> Language:
        return intersection(stretch, without(self.openers)) if self.openers else stretch

    def _whole_lines(self, stretch: Language) -> Language:
        return intersection(self._clear(stretch), concat(_ANY, _NEWLINE)) if self.fences else FAIL

    def _to_region(self, stretch: Language) -> Language:
        """A stretch and the committing region behind it, whichever comes first."""
        return alternation(
            *(concat(self._up_to(stretch, kind), _opening(p, kind), self._content(p)) for p, kind in self.committing)
        )

    def _up_to(self, stretch: Language, kind: Between) -> Language:
        return intersection(stretch, before(kind.opener, self.openers))

    def _content(self, place: Place) -> Language:
        """The rest of a region behind its opener, and the border behind its closer."""
        kind = place.kind
        assert isinstance(kind, Between)
        inner = intersection(self._bounded(kind), before(kind.closer, (kind.closer,)))
        return concat(inner, leave(place.scope), literal(kind.closer), enter(0))

    def _open_content(self, kind: Between) -> Language:
        return intersection(self._bounded(kind), without((kind.closer,)))

    def _bounded(self, kind: Between) -> Language:
        """What may stand between the delimiters. If the opener does not commit that is in one line and no code."""
        in_line = SCALARS - IntervalSet.of("`\n" if self.spans else "\n")
        return repetition(Class(in_line if kind.after else SCALARS), 0, kind.most)

    def _begun_outside(self, text: Language) -> Language:
        """The texts that do not begin with an opener that counts there."""
        begun = alternation(*(concat(_spread(kind.opener), _ANY) for _, kind in self.starting))
        longer = [
            concat(_opening(p, kind), _ANY)
            for p, kind in self.committing
            if any(kind.opener.startswith(k.opener) and kind.opener != k.opener for _, k in self.starting)
        ]
        return intersection(text, alternation(complement(begun), *longer)) if self.starting else text

    def _rest(self, place: Place, behind: Language) -> Language:
        """A region behind its opener, and all that follows."""
        assert isinstance(place.kind, Between)
        tail = self._open_content(place.kind) if place.unclosed else FAIL
        return alternation(concat(self._content(place), behind), tail)

    def _inline(self) -> list[Language]:
        """The regions that do not commit, each with the character before it."""
        return [
            concat(Class(kind.after), _opening(p, kind), self._content(p))
            for p in self.places
            if isinstance(kind := p.kind, Between) and kind.after
        ]

    @cached_property
    def _fence(self) -> Language:
        """A closed fence, the newline behind its closer included."""
        return alternation(*(_closed_fence(p, c, n) for p, (c, n) in product(self.fences[:1], fences())))

    @cached_property
    def _last_fence(self) -> Language:
        """A fence that the end of the text closes, or whose closer ends the text."""
        return alternation(*(_last_fence(p, c, n) for p, (c, n) in product(self.fences[:1], fences())))


def _first_of_each(kinds: Iterable[tuple[Place, Between]]) -> list[tuple[Place, Between]]:
    """Without those whose opener an earlier one has."""
    by_opener: dict[str, tuple[Place, Between]] = {}
    for place, kind in kinds:
        by_opener.setdefault(kind.opener, (place, kind))
    return list(by_opener.values())


def _opening(place: Place, kind: Between) -> Language:
    return concat(leave(0), literal(kind.opener), enter(place.scope))


# --- fences ---------------------------------------------------------------------------------------------------------


def fences() -> list[tuple[str, int]]:
    """The characters and lengths of the runs that open one."""
    return list(product("`~", range(MIN_FENCE, MAX_FENCE + 1)))


def _fence_line() -> Language:
    """A line, without its end, that opens a fence, whatever borders it would have if it were none."""
    return alternation(*(fence_opener(c, n, SURROGATES) for c, n in fences()))


@cache
def fence_opener(character: str, length: int, also: IntervalSet = EMPTY_SET) -> Language:
    """A line, without its end, that opens a fence by a run of exactly that length; `also` may stand in its info string.

    The info string behind backticks holds none.
    """
    run = concat(_INDENT, literal(character * length))
    if character == "`":
        return concat(run, repetition(Class(SCALARS - IntervalSet.of("`\n") | also)))
    not_tilde, not_newline = (Class(SCALARS - IntervalSet.of(c) | also) for c in ("~\n", "\n"))
    return concat(run, alternation(EMPTY, concat(not_tilde, repetition(not_newline))))


@cache
def fence_closer(character: str, length: int) -> Language:
    """A line, without its end, that closes such a fence."""
    blank = repetition(Class(IntervalSet.of(" \t")))
    return concat(_INDENT, repetition(literal(character), length), blank, repetition(literal("\r"), 0, 1))


@cache
def _opened(place: Place, character: str, length: int) -> Language:
    """The opener and the whole lines behind it, none of them a closer."""
    inner = intersection(_REST_OF_LINE, complement(fence_closer(character, length)))
    return concat(
        leave(0), fence_opener(character, length), _NEWLINE, enter(place.scope), repetition(concat(inner, _NEWLINE))
    )


def _closed_fence(place: Place, character: str, length: int) -> Language:
    closer = concat(leave(place.scope), fence_closer(character, length), _NEWLINE)
    return concat(_opened(place, character, length), closer, enter(0))


def _last_fence(place: Place, character: str, length: int) -> Language:
    opened, closer = _opened(place, character, length), fence_closer(character, length)
    closed = concat(opened, leave(place.scope), closer)
    if not place.unclosed:
        return closed
    last_line = intersection(_REST_OF_LINE, complement(closer))
    return alternation(concat(leave(0), fence_opener(character, length)), concat(opened, last_line), closed)


# --- lines with code spans ------------------------------------------------------------------------------------------


class _Line:
    """A line whose runs of backticks are spans or plain text, each as it must be.

    A run is plain text iff no run of its length follows on the line, so what follows must not hold one: these lengths
    are `closed`. Runs are maximal: between two of them stands other text. No span holds an opener that commits.
    """

    def __init__(self, spans: Sequence[Place], openers: Sequence[str], inline: Sequence[Language]) -> None:
        self.place = spans[0] if spans else None
        character = _NOT_TICK if spans else Class(SCALARS - IntervalSet.of("\n"))
        self.text = repetition(alternation(character, *inline))
        self.some_text = intersection(self.text, complement(EMPTY))
        self.span_text = without(openers) if openers else _ANY

    def whole(self) -> Language:
        """The line without its end."""
        return self._after(frozenset()) if self.place else self.text

    def _after(self, closed: frozenset[int]) -> Language:
        item = alternation(*(self._span(n, closed) for n in self._open(closed)), _longer_run())
        plain = [self._plain(n, closed) for n in self._open(closed)]
        start = concat(self.text, repetition(concat(item, self.some_text)))
        return concat(start, alternation(EMPTY, item, *plain))

    def _plain(self, length: int, closed: frozenset[int]) -> Language:
        rest = self._after(closed | {length})
        return concat(literal("`" * length), alternation(EMPTY, concat(self.some_text, rest)))

    def _span(self, length: int, closed: frozenset[int]) -> Language:
        assert self.place is not None
        run = literal("`" * length)
        inner_runs = (literal("`" * n) for n in self._open(closed | {length}))
        piece = repetition(_NOT_TICK, 1)
        content = concat(piece, repetition(concat(alternation(*inner_runs, _longer_run()), piece)))
        inner = intersection(content, self.span_text)
        return concat(leave(0), run, enter(self.place.scope), inner, leave(self.place.scope), run, enter(0))

    @staticmethod
    def _open(closed: frozenset[int]) -> list[int]:
        return [n for n in range(1, MAX_SPAN + 1) if n not in closed]


def _longer_run() -> Language:
    return repetition(_TICK, MAX_SPAN + 1)
