"""Which opener counts: what opens first stands, of those that begin at one place the longest, of equal ones the first.

An opener commits: where it is complete its region has begun. It counts wherever it begins outside the regions that
commit, so a region that does not commit holds none: not even a part of one. A URL is different in that code spans,
quotes and regions `after` a character may hold one, which is then their content.

`misread` are the texts with borders that break this. They are taken from the structure as a whole, so that nothing
else has to know of openers that overlap or hold one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from langc.compiler.ir.borders import ANY, BORDERS, enter, entering, leave, leaving
from langc.compiler.ir.kinds import (
    JSON_SPACE,
    SCHEME_LETTERS,
    Between,
    InlineCode,
    JsonValue,
    Kind,
    Place,
    Quotes,
    Url,
    commits,
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
    repetition,
)
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union

Step = tuple[IntervalSet, int, int | None]
"""So many characters of a set."""


@dataclass(frozen=True)
class Opener:
    """What opens the region of a place. No opener begins another of the same place."""

    place: Place
    steps: tuple[Step, ...]
    at_start: bool = False
    """Whether at the start of the text only."""

    @property
    def is_of_url(self) -> bool:
        """Whether it belongs to the content, and stands at the beginning of a word."""
        return isinstance(self.place.kind, Url)

    @property
    def text(self) -> Language:
        """What it looks like."""
        return concat(*(repetition(Class(members), least, most) for members, least, most in self.steps))

    @property
    def spread(self) -> Language:
        """The same, whatever borders stand in it."""
        steps = ((concat(BORDERS, Class(members)), least, most) for members, least, most in self.steps)
        return concat(*(repetition(*step) for step in steps))

    @property
    def opening(self) -> Language:
        """The opener with the borders that it stands at."""
        inside = enter(self.place.scope)
        return concat(leave(0), inside, self.text) if self.is_of_url else concat(leave(0), self.text, inside)


def openers_of(places: Iterable[Place]) -> list[Opener]:
    """Those of the regions that commit, but for fences: the first of equal ones alone, those at the start first."""
    by_text: dict[tuple[bool, tuple[Step, ...]], Opener] = {}
    for opener in sorted(_openers(places), key=lambda opener: not opener.at_start):
        by_text.setdefault((opener.at_start, opener.steps), opener)
    return [*by_text.values()]


def _openers(places: Iterable[Place]) -> Iterator[Opener]:
    for place in places:
        match place.kind:
            case Between(opener, at_start=at_start) if commits(place.kind):
                yield Opener(place, _letters(opener), at_start)
            case JsonValue() as value:
                space: Step = (JSON_SPACE, 0, None)
                yield Opener(place, (*_letters(value.key), space, *_letters(":"), space, *_letters('"')))
            case Url():
                scheme = [(IntervalSet.of(c, c.upper()), 1, 1) for c in "http"]
                yield Opener(place, (*scheme, (IntervalSet.of("sS"), 0, 1), *_letters("://")))


def _letters(text: str) -> tuple[Step, ...]:
    return tuple((IntervalSet.of(c), 1, 1) for c in text)


def misread(places: Sequence[Place], begins_outside: bool, of_urls: IntervalSet) -> list[Language]:
    """The texts with borders in which an opener is passed over, or one that does not count has opened a region.

    Each of the languages is small, where their union would take long to build. `of_urls` are the characters of URLs.
    """
    misreading = _Misreading(places, begins_outside)
    return [*misreading.passed_over(), *misreading.wrong_urls(of_urls)]


class _Misreading:
    def __init__(self, places: Sequence[Place], begins_outside: bool) -> None:
        self.openers = openers_of(places)
        holding = [p.scope for p in places if isinstance(p.kind, InlineCode | Quotes) or _is_after(p.kind)]
        self.into_holding = union(map(entering, holding))
        """Where a region begins that does not commit: an opener in it counts, too."""
        opened = concat(leave(0), _TEXT, Class(self.into_holding))
        passed = alternation(Class(SCALARS | entering(0) | union(map(leaving, holding))), opened)
        self.beginning = EMPTY if begins_outside else FAIL
        self.start = alternation(self.beginning, concat(ANY, enter(0)))
        self.outside = concat(self.start, repetition(passed))
        """What stands before a place where an opener counts."""
        self.openings = concat(BORDERS, alternation(*(opener.opening for opener in self.openers)), ANY)

    def passed_over(self) -> Iterator[Language]:
        """An opener that counts does not open a region where it begins, or a lesser one does."""
        for number, opener in enumerate(self.openers):
            unopened = intersection(concat(opener.spread, ANY), complement(self.openings))
            lesser = (self._lesser(opener, other, number < n) for n, other in enumerate(self.openers) if n != number)
            yield concat(self._before(opener), unopened)
            yield concat(self._before(opener), alternation(*lesser), ANY)
            if not (opener.at_start or opener.is_of_url):
                in_delimiter = concat(_TEXT, Class(self.into_holding), ANY)
                held = intersection(concat(opener.spread, ANY), in_delimiter)
                yield concat(self.outside, leave(0), _TEXT, held)

    def _before(self, opener: Opener) -> Language:
        """What may stand before it."""
        if opener.is_of_url:
            return concat(self.start, alternation(EMPTY, concat(_TEXT, Class(SCALARS - SCHEME_LETTERS))))
        return self.beginning if opener.at_start else self.outside

    @staticmethod
    def _lesser(opener: Opener, other: Opener, is_first: bool) -> Language:
        """The openings of another where this opener is longer, or as long and first."""
        begun = concat(BORDERS, other.opening)
        longer = intersection(opener.spread, concat(begun, ANY, Class(SCALARS)))
        return alternation(longer, intersection(concat(opener.spread, BORDERS), begun)) if is_first else longer

    def wrong_urls(self, characters: IntervalSet) -> Iterator[Language]:
        """A URL begins inside a word, or ends before its end."""
        for scope in (opener.place.scope for opener in self.openers if opener.is_of_url):
            yield concat(ANY, Class(SCHEME_LETTERS), leave(0), enter(scope), ANY)
            yield concat(ANY, leave(scope), enter(0), BORDERS, Class(characters), ANY)


_TEXT = repetition(Class(SCALARS))


def _is_after(kind: Kind) -> bool:
    return isinstance(kind, Between) and kind.after is not None
