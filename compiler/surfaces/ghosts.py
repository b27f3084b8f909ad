"""Names in finished texts that do not exist, each with what it may have been meant as.

Invariant: a text is read lexeme by lexeme. Where it cannot go on, the last name that could be at fault is reported, and
reading goes on as if the nearest name had stood there: one wrong name is one finding. What is no matter of names
ends the reading: the first such place is reported and what is behind it is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal as OneOf

from langc.compiler.suggest import all_close
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.engine.parse import Point
from langc.compiler.surfaces.environment.names import Entry, NameSet
from langc.compiler.surfaces.model import Fresh, Guard, Open, Reference
from langc.compiler.surfaces.syntax.walk import walk
from langc.compiler.surfaces.world.world import World

_SHOWN = 12
"""Alternatives that a finding lists."""
_OF_EACH = 12
"""Names of each slot that may have been meant if none is like the ghost."""
_LOOKED_AT = 1_000
"""Bytes behind a ghost that are read with each name that may have been meant."""


@dataclass(frozen=True)
class Finding:
    """A place where a text leaves the surface. Offsets count code points."""

    kind: OneOf["ghost", "syntax", "end"]
    start: int
    end: int
    text: str
    sorts: tuple[str, ...] = ()
    """What kinds of names are possible there."""
    suggestion: str | None = None
    """The name that is most like the ghost."""
    expected: tuple[str, ...] = ()
    """Some of what is possible there: names for a ghost, lexemes otherwise."""
    required: tuple[str, ...] = ()
    """Names that the text has to have before it can end, or go on with something else: none for a ghost."""
    promised: tuple[str, ...] = ()
    """Names that were written before what they belong to, which has not come (`total`, `o.total`): none for a ghost."""
    owners: tuple[str, ...] = ()
    """What some of these belong to."""


@dataclass(frozen=True)
class _Read:
    """A lexeme that was read: the point before it, and where it stands in bytes."""

    point: Point
    start: int
    end: int


def find_ghosts(engine: Engine, text: str) -> list[Finding]:
    """What keeps a finished text from being one of the surface, in order. None left: it is one."""
    return list(_Reading(engine, text.encode("utf-8", "surrogatepass")).findings())


@dataclass
class _Reading:
    engine: Engine
    data: bytes
    before: list[_Read] = field(default_factory=list)
    """Lexemes since the last finding, without those that are skipped: each is reported once."""

    def findings(self) -> Iterator[Finding]:
        point, at = self.engine.parser.start, 0
        while at < len(self.data):
            end, behind = self._lexeme(point, at)
            if behind is not None:
                if behind is not point:
                    self.before.append(_Read(point, at, end))
                point, at = behind, end
                continue
            wrong = self._at_fault(_Read(point, at, self._whole_word(at, end)))
            if wrong is None:
                yield self._finding("syntax", _Read(point, at, self._whole_word(at, end)))
                return
            finding, mended = self._ghost(wrong)
            yield finding
            if mended is None:
                return
            point, at = mended, wrong.end
            self.before.clear()
        if not point.accepting:
            yield from self._unended(point)

    def _lexeme(self, point: Point, at: int) -> tuple[int, Point | None]:
        """Where the lexeme at `at` ends, and the point behind it; None if there is none."""
        lexeme, end = point.expected.start, at
        while end < len(self.data) and (longer := lexeme.step(self.data[end])) is not None:
            lexeme, end = longer, end + 1
        if end == at:
            return end, None
        return end, point.after(lexeme.spelled, lexeme.shaped, self.data[at:end])

    def _whole_word(self, at: int, end: int) -> int:
        """The end of a word or a quoted name at `at`, at least `end` and one character."""
        lexicon = self.engine.parser.lexicon
        for munch in (lexicon.word, *lexicon.quoted):
            state, here = munch.start, at
            while here < len(self.data) and munch.table[state][self.data[here]]:
                state, here = munch.table[state][self.data[here]], here + 1
            end = max(end, here)
        if end == at:
            end += 1
            while end < len(self.data) and self.data[end] & 0xC0 == 0x80:
                end += 1
        return end

    def _at_fault(self, here: _Read) -> _Read | None:
        """The name that is not there: this lexeme, or the one before, which went through as a promise only."""
        if self._is_name(here) and _has_names(here.point):
            return here
        if self.before:
            last = self.before[-1]
            if self._is_name(last) and _has_names(last.point) and not self._is_known(last):
                return last
        return None

    def _is_name(self, read: _Read) -> bool:
        text = self.data[read.start : read.end]
        lexicon = self.engine.parser.lexicon
        if lexicon.spelling.is_keyword(text):
            return False
        return any(munch.matches(text) for munch in (lexicon.word, *lexicon.quoted))

    def _is_known(self, read: _Read) -> bool:
        text = self.data[read.start : read.end]
        return any(names.find(text) is not None for names, _ in _names(read.point))

    def _ghost(self, read: _Read) -> tuple[Finding, Point | None]:
        """The finding, and the point behind the name that was probably meant."""
        names = list(_names(read.point))
        known = list(dict.fromkeys(entry.name for spelled, _ in names for entry in spelled.entries))
        name = self.engine.parser.lexicon.spelling.name_of(self.data[read.start : read.end]) or b""
        near = all_close(name.decode("utf-8", "replace"), known)
        some = (entry.name for spelled, _ in names for entry in dict.fromkeys(islice(spelled.entries, _OF_EACH)))
        meant, behind = self._first_that_fits(read, [*near, *some])
        suggestion = meant if meant in near else next(iter(near), None)
        sorts = tuple(dict.fromkeys(sort for _, sort in names))
        return self._finding("ghost", read, sorts, suggestion, tuple(known[:_SHOWN])), behind

    def _first_that_fits(self, read: _Read, candidates: list[str]) -> tuple[str | None, Point | None]:
        """Of several names the first with which most of the rest can be read."""
        found = [(name, point) for name in candidates for point in self._behind(read, name)]
        return max(found, key=lambda pair: self._reads(pair[1], read.end), default=(None, None))

    def _behind(self, read: _Read, name: str) -> Iterator[Point]:
        for names, _ in _names(read.point):
            for spelled, entry in zip(names.spellings, names.entries, strict=True):
                if entry.name == name:
                    point = read.point.after((names,), (), spelled)
                    if point is not None:
                        yield point
                    break

    def _reads(self, point: Point, at: int) -> tuple[int, bool]:
        """How far the text can be read from a place on, and whether it may end there; only so much is looked at."""
        last = min(len(self.data), at + _LOOKED_AT)
        while at < last:
            end, behind = self._lexeme(point, at)
            if behind is None:
                return at, False
            point, at = behind, end
        return at, at < len(self.data) or point.accepting

    def _unended(self, point: Point) -> Iterator[Finding]:
        last = self.before[-1] if self.before else None
        if last is not None and last.end == len(self.data.rstrip()):
            wrong = self._at_fault(_Read(point, len(self.data), len(self.data)))
            if wrong is not None:
                yield self._ghost(wrong)[0]
                return
        yield self._finding("end", _Read(point, len(self.data), len(self.data)))

    def _required(self, point: Point) -> list[str]:
        """The required members that are missing in open scopes, whichever way the text is read."""
        worlds = dict.fromkeys(stand.thread.world for stand in point.stands) if self._asking else ()
        missing = [found for world in worlds if (found := _missing(world, self._asking)) is not None]
        first, *others = missing or [[]]
        return [entry.name for entry in first if all(entry in found for found in others)]

    def _promised(self, point: Point) -> list[str]:
        """What is promised in open scopes, whichever way the text is read."""
        worlds = list(dict.fromkeys(stand.thread.world for stand in point.stands))
        first, *others = map(_promises, worlds) if worlds else [[]]
        return [name for name in first if all(name in found for found in others)]

    def _owners(self, promised: Sequence[str]) -> list[str]:
        """The names of the environment that have a promised name among their members."""
        wanted = [name.rpartition(".")[2].encode() for name in promised]
        entries = (entry for group in self.engine.environment.groups.values() for entry in group)
        fold = self.engine.surface.fold_case
        return [
            e.name for e in entries if any(group.get(name, fold) for group in e.members.values() for name in wanted)
        ]

    @cached_property
    def _asking(self) -> frozenset[str | None]:
        """The kinds of scopes that have to be satisfied; None where it is the innermost one of any kind."""
        elements = (e for rule in self.engine.surface.rules.values() for e in walk(rule.body))
        guards = (e for e in elements if isinstance(e, Guard) and e.name == "satisfied")
        return frozenset(dict(guard.arguments).get("in") for guard in guards)

    def _finding(
        self,
        kind: OneOf["ghost", "syntax", "end"],
        read: _Read,
        sorts: tuple[str, ...] = (),
        suggestion: str | None = None,
        expected: tuple[str, ...] = (),
    ) -> Finding:
        start, end = (len(self.data[:at].decode("utf-8", "replace")) for at in (read.start, read.end))
        text = self.data[read.start : read.end].decode("utf-8", "replace")
        expected = expected or _lexemes(read.point)
        if kind == "ghost":
            return Finding(kind, start, end, text, sorts, suggestion, expected)
        required = tuple(self._required(read.point))[:_SHOWN]
        promised = tuple(self._promised(read.point))[:_SHOWN]
        owners = tuple(self._owners(promised))[:_SHOWN]
        return Finding(kind, start, end, text, sorts, suggestion, expected, required, promised, owners)


def _has_names(point: Point) -> bool:
    """Whether a slot is open here."""
    return any(True for _ in _names(point))


def _names(point: Point) -> Iterator[tuple[NameSet, str]]:
    for names, (edge, _) in point.slots:
        if isinstance(names, NameSet) and isinstance(edge.terminal, Reference):
            yield names, edge.terminal.sort


def _missing(world: World, asking: Set[str | None]) -> list[Entry] | None:
    """What was not used in the scopes of some kinds (None: of any kind); None where none of them has an owner."""
    frames = enumerate(world.frames)
    owned = [at for at, frame in frames if frame.owner is not None and asking & {None, frame.kind}]
    return [entry for at in owned for entry in world.missing(at)] if owned else None


def _promises(world: World) -> list[str]:
    """Members of which no owner has come, and those of names that are to be bound yet."""
    found: list[str] = []
    for frame in world.frames:
        found += map(_shown, sorted(frame.open))
        found += [f"{_shown(one.name)}.{_shown(member)}" for one in frame.pledges for member in sorted(one.members)]
    return found


def _shown(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _lexemes(point: Point) -> tuple[str, ...]:
    """What may stand at a point, in the words of the surface."""
    literals = [text.decode() for text in point.literals]
    slots = [edge.terminal.sort for _, (edge, _) in point.slots if isinstance(edge.terminal, Reference | Fresh | Open)]
    return tuple(dict.fromkeys([*sorted(literals), *point.tokens, *slots]))[:_SHOWN]
