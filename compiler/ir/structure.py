"""Where regions open and close, as a language over characters and borders (`ir/borders.py`).

Scope 0 is the policy's own rules, scope n the rules of its n-th kind of region; the delimiters of a region lie in no
scope, but for the beginning of a URL, which is part of it. `Scoped` (`ir/language.py`) takes the borders away again and
holds each stretch to its scope.

Fences follow CommonMark 0.31 section 4.5 at the top level: a run of three to `MAX_FENCE` backticks or tildes,
indented by at most three spaces, opens one; a run at least as long of the same character, alone on its line, closes
it. A line ends with LF or CR LF. Longer runs are plain text. What lies within a line is in `ir/lines.py`.
A line opens the fence of the first place that has its word, or has none; without such a place it opens nothing.

What opens first stands (`ir/openers.py`). The opener of a `Between` or a `JsonValue` commits: where it is complete the
region has begun, whatever follows. One with `after` does not: it is a region only if it closes on its line, before an
opener that commits begins, and plain text else. A `Url` commits where no region has begun that it would lie in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import product

from langc.compiler.ir.borders import ANY, enter, leave, spread
from langc.compiler.ir.kinds import (
    JSON_RAW,
    QUOTE_MARKS,
    URL_CHARACTERS,
    Between,
    Fence,
    InlineCode,
    JsonValue,
    Place,
    Quotes,
    Url,
)
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
from langc.compiler.ir.lines import Inline, line
from langc.compiler.ir.openers import misread, openers_of
from langc.compiler.unicode.intervals import EMPTY_SET, SCALARS, SURROGATES, IntervalSet

MIN_FENCE, MAX_FENCE = 3, 8

_NEWLINE = literal("\n")
_REST_OF_LINE = repetition(Class(SCALARS - IntervalSet.of("\n")))
_INDENT = repetition(literal(" "), 0, 3)


MARKS = IntervalSet(((0xFDD0, 0xFDEF), (0x10FFFF, 0x10FFFF)))
"""Noncharacters by which a skeleton tells scopes apart."""


def structure(places: Sequence[Place], begins_in: int | None = None, of_skeleton: bool = False) -> Language:
    """Every text with its borders.

    Args:
        places: the kinds of regions. What several of them could be is the first.
        begins_in: the number of the place, one that commits, inside which the text begins; None is outside all.
        of_skeleton: whether URLs hold `MARKS`, so that a skeleton can tell that it is in one.
    """
    of_urls = URL_CHARACTERS | MARKS if of_skeleton else URL_CHARACTERS
    text = _Structure(places, of_urls).whole(begins_in)
    wrong = misread(places, begins_in is None, of_urls)
    return intersection(text, *(complement(each) for each in wrong if each != FAIL))


class _Structure:
    """The regions by what closes them. Which opener counts is left to `misread`."""

    def __init__(self, places: Sequence[Place], of_urls: IntervalSet) -> None:
        self.places, self.of_urls = places, of_urls
        self.fences = [p for p in places if isinstance(p.kind, Fence)]
        self.spans, self.quotes = (
            next((p for p in places if isinstance(p.kind, k)), None) for k in (InlineCode, Quotes)
        )
        openers = openers_of(places)
        self.urls = [o for o in openers if o.is_of_url]
        self.starting = [o for o in openers if o.at_start]
        self.committing = [o for o in openers if not (o.at_start or o.is_of_url)]

    def whole(self, begins_in: int | None) -> Language:
        inside_line = line(self.spans, self.quotes, self._inline(), [self._url(o.opening, o.place) for o in self.urls])
        opening = alternation(*(line for place in self.fences for line in _fence_lines(place)))
        at_line_start = intersection(inside_line, complement(opening)) if self.fences else inside_line
        more = repetition(concat(_NEWLINE, at_line_start))
        at_line_start, inside_line = concat(at_line_start, more), concat(inside_line, more)
        behind = self._behind_region(at_line_start, inside_line)
        if begins_in is not None:
            return self._rest(self.places[begins_in], behind)
        outside = self._outside(at_line_start, behind)
        return alternation(outside, *(concat(o.opening, self._rest(o.place, behind)) for o in self.starting))

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
        return alternation(stretch, *(concat(stretch, o.opening, _open_content(o.place)) for o in self.committing))

    def _whole_lines(self, stretch: Language) -> Language:
        return intersection(stretch, concat(ANY, _NEWLINE)) if self.fences else FAIL

    def _to_region(self, stretch: Language) -> Language:
        """A stretch and the committing region behind it."""
        return concat(stretch, alternation(*(concat(o.opening, _content(o.place)) for o in self.committing)))

    def _rest(self, place: Place, behind: Language) -> Language:
        """A region behind its opener, and all that follows."""
        if isinstance(place.kind, Url):
            return concat(self._url(EMPTY, place), behind)
        return alternation(concat(_content(place), behind), _open_content(place))

    # --- regions within a line --------------------------------------------------------------------------------

    def _inline(self) -> list[Inline]:
        """The regions that may be plain text."""
        return [
            (kind.after, concat(leave(0), literal(kind.opener), enter(p.scope), self._content_in_line(p, kind)))
            for p in self.places
            if isinstance(kind := p.kind, Between) and kind.after is not None
        ]

    def _content_in_line(self, place: Place, kind: Between) -> Language:
        """As `_content`, in one line, without what could open another region that does not commit."""
        others = ("`" if self.spans else "") + ("".join(QUOTE_MARKS) if self.quotes else "")
        characters = repetition(Class(SCALARS - IntervalSet.of("\n", *others)))
        return concat(intersection(characters, _value(kind)), _closing(place, kind.closer))

    def _url(self, opening: Language, place: Place) -> Language:
        """The rest of a URL and the border behind it."""
        return concat(opening, repetition(Class(self.of_urls)), leave(place.scope), enter(0))

    # --- fences ---------------------------------------------------------------------------------------------------

    @cached_property
    def _fence(self) -> Language:
        """A closed fence, the newline behind its closer included."""
        return alternation(*(_closed_fence(p, opener, c, n) for p, opener, c, n in self._openers))

    @cached_property
    def _last_fence(self) -> Language:
        """A fence that the end of the text closes, or whose closer ends the text."""
        return alternation(*(_last_fence(p, opener, c, n) for p, opener, c, n in self._openers))

    @property
    def _openers(self) -> Iterator[tuple[Place, Language, str, int]]:
        """The lines that open each place, without those of an earlier one, with the run that each begins with."""
        for character, length in fences():
            earlier: list[Language] = []
            for place in self.fences:
                lines = fence_opener(character, length, word=_word(place))
                yield place, intersection(lines, *map(complement, earlier)), character, length
                earlier.append(lines)


# --- what stands between delimiters ---------------------------------------------------------------------------------


def _content(place: Place) -> Language:
    """The rest of a region behind its opener, and the border behind its closer."""
    if isinstance(place.kind, JsonValue):
        return concat(_JSON, _closing(place, '"'))
    assert isinstance(place.kind, Between)
    return concat(_value(place.kind), _closing(place, place.kind.closer))


def _open_content(place: Place) -> Language:
    """The rest of a region that the end of the text closes. No escape is cut short."""
    if not place.unclosed:
        return FAIL
    if isinstance(place.kind, JsonValue):
        return _JSON
    assert isinstance(place.kind, Between)
    return intersection(_bounded(place.kind), complement(_containing(place.kind.closer)))


def _closing(place: Place, closer: str) -> Language:
    return concat(leave(place.scope), literal(closer), enter(0))


def _bounded(kind: Between) -> Language:
    return repetition(Class(SCALARS), 0, kind.most)


def _value(kind: Between) -> Language:
    """What may stand before the first closer: it is not complete in it, nor in it and a part of the closer."""
    closer = kind.closer
    begun = [closer[:-n] for n in range(1, len(closer)) if closer.startswith(closer[-n:])]
    wrong = [_containing(closer), *(concat(ANY, literal(text)) for text in begun)]
    return intersection(_bounded(kind), complement(alternation(*wrong)))


def _containing(text: str) -> Language:
    return concat(ANY, spread(text), ANY)


def _json_contents() -> Language:
    """What may stand between the quotes of a JSON string (RFC 8259, section 7)."""
    code_unit = concat(literal("u"), repetition(Class(IntervalSet(((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)))), 4, 4))
    escape = concat(literal("\\"), alternation(Class(IntervalSet.of('"\\/bfnrt')), code_unit))
    return repetition(alternation(Class(JSON_RAW), escape))


_JSON = _json_contents()

# --- fences ---------------------------------------------------------------------------------------------------------


def fences() -> list[tuple[str, int]]:
    """The characters and lengths of the runs that open one."""
    return list(product("`~", range(MIN_FENCE, MAX_FENCE + 1)))


def _fence_lines(place: Place) -> Iterator[Language]:
    """The lines, without their ends, that open a fence, whatever borders they would have if they opened none."""
    return (fence_opener(c, n, SURROGATES, _word(place)) for c, n in fences())


def _word(place: Place) -> str | None:
    assert isinstance(place.kind, Fence)
    return place.kind.word


@cache
def fence_opener(character: str, length: int, also: IntervalSet = EMPTY_SET, word: str | None = None) -> Language:
    """A line, without its end, that opens a fence by a run of exactly that length; `also` may stand in its info string.

    The info string behind backticks holds none. Its first word is `word`, if one is given, and ends at a blank.
    """
    run = concat(_INDENT, literal(character * length))
    if character == "`":
        every = concat(run, repetition(Class(SCALARS - IntervalSet.of("`\n") | also)))
    else:
        not_tilde, not_newline = (Class(SCALARS - IntervalSet.of(c) | also) for c in ("~\n", "\n"))
        every = concat(run, alternation(EMPTY, concat(not_tilde, repetition(not_newline))))
    if word is None:
        return every
    others, blank = repetition(Class(also)), IntervalSet.of(" \t\r")
    letters = (concat(others, Class(IntervalSet.of(c, c.upper() if c.isascii() else c))) for c in word)
    rest = concat(others, Class(blank), repetition(Class(SCALARS | also)))
    return intersection(every, concat(run, repetition(Class(blank | also)), *letters, alternation(others, rest)))


@cache
def fence_closer(character: str, length: int) -> Language:
    """A line, without its end, that closes such a fence."""
    blank = repetition(Class(IntervalSet.of(" \t")))
    return concat(_INDENT, repetition(literal(character), length), blank, repetition(literal("\r"), 0, 1))


@cache
def _opened(place: Place, opener: Language, character: str, length: int) -> Language:
    """The opener and the whole lines behind it, none of them a closer."""
    inner = intersection(_REST_OF_LINE, complement(fence_closer(character, length)))
    return concat(leave(0), opener, _NEWLINE, enter(place.scope), repetition(concat(inner, _NEWLINE)))


def _closed_fence(place: Place, opener: Language, character: str, length: int) -> Language:
    closer = concat(leave(place.scope), fence_closer(character, length), _NEWLINE)
    return concat(_opened(place, opener, character, length), closer, enter(0))


def _last_fence(place: Place, opener: Language, character: str, length: int) -> Language:
    opened, closer = _opened(place, opener, character, length), fence_closer(character, length)
    closed = concat(opened, leave(place.scope), closer)
    if not place.unclosed:
        return closed
    last_line = intersection(_REST_OF_LINE, complement(closer))
    return alternation(concat(leave(0), opener), concat(opened, last_line), closed)
