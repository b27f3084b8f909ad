"""Regions of any kinds by reading: once through the text, left to right, as a person would.

It shares no code with the automata. A reading is a list of stretches, each with the number of the scope whose rules
hold in it: 0 outside all regions. Only regions `after` a character leave a choice: their
opener may be plain text.

* The opener of a `between` region commits. The one that begins first counts, of several that begin there the longest.
* A fence commits with its opening line, and begins at a line start outside all regions.
* A code span and a region `after` a character lie in one line, and are regions only if they close before an opener
  that commits begins. Beside code spans, a region `after` a character holds no backtick.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.oracle.bounded import Scope
from tests.oracle.trying import Trying

MAX_SPAN = 3
_FENCE = re.compile(r" {0,3}(?:(`{3,8})(?!`)[^`\n]*|(~{3,8})(?!~)[^\n]*)(?:\n|\Z)")
_LIKE_FENCE = re.compile(r" {0,3}`{3,8}[^`\n]*")

Reading = list[tuple[int, str]]


@dataclass(frozen=True)
class Opening:
    """One way to open a region. `kind` is `fence`, `inline_code`, `between`, `start between` or `after`."""

    kind: str
    opener: str = ""
    closer: str = ""
    after: str = ""
    most: int | None = None
    scope: int = 1
    unclosed: bool = False


class Reader:
    """Reads texts for some openings."""

    def __init__(self, openings: Sequence[Opening]) -> None:
        self.openings = openings
        self.committing = [*self._all("start between"), *self._all("between")]
        self.fence = next(iter(self._all("fence")), None)
        self.code = next(iter(self._all("inline_code")), None)

    def readings(self, text: str, inside: Opening | None = None) -> Iterator[Reading]:
        """Every reading; none if the regions alone refuse the text. `inside` is open already where the text begins."""
        if inside:
            yield from self._behind(text, 0, inside)
            return
        yield from self._outside(text, 0)

    def _all(self, kind: str) -> list[Opening]:
        return [o for o in self.openings if o.kind == kind]

    def _outside(self, text: str, start: int) -> Iterator[Reading]:
        """The readings of what follows `start`, which is outside all regions."""
        opened = self._next(text, start)
        at = start
        while at <= len(text):
            for opening in self._all("after"):
                yield from self._glossed(text, start, at, opening)
            if opened and at == opened[0]:
                yield from self._committed(text, start, *opened)
                return
            fence = self._fence_at(text, at)
            code = self._fenced(text, fence) if fence else self._spanned(text, start, at)
            if code:
                content, end = code
                yield from ([(0, text[start:at]), content, *rest] for rest in self._outside(text, end))
            if code or fence:
                return
            at += self._plain(text, at)
        yield [(0, text[start:])]

    def _next(self, text: str, start: int) -> tuple[int, Opening] | None:
        """Where the first committing opener begins, and the longest that does."""
        for at in range(start, len(text)):
            found = [o for o in self.committing if text.startswith(o.opener, at) and (at == 0 or o.kind == "between")]
            if found:
                return at, max(found, key=lambda o: len(o.opener))
        return None

    def _committed(self, text: str, start: int, at: int, opening: Opening) -> Iterator[Reading]:
        if not (self.fence and self._is_like_a_fence(text, start, at)):
            yield from ([(0, text[start:at]), *rest] for rest in self._behind(text, at + len(opening.opener), opening))

    def _behind(self, text: str, at: int, opening: Opening) -> Iterator[Reading]:
        """The readings from the content of a region on."""
        closer = text.find(opening.closer, at)
        content = text[at : closer if closer >= 0 else len(text)]
        if opening.most is not None and len(content) > opening.most:
            return
        if closer >= 0:
            yield from ([(opening.scope, content), *rest] for rest in self._outside(text, closer + len(opening.closer)))
        elif opening.unclosed:
            yield [(opening.scope, content)]

    def _glossed(self, text: str, start: int, at: int, opening: Opening) -> Iterator[Reading]:
        """The readings in which a region `after` a character has its opener before `at`."""
        before = at - len(opening.opener)
        if before - 1 < start or text[before:at] != opening.opener or text[before - 1] not in opening.after:
            return
        closer = text.find(opening.closer, at)
        if closer < 0 or self._commits(text, start, closer + len(opening.closer)):
            return
        if set(text[at:closer]) & set("\n`" if self.code else "\n"):
            return
        for rest in self._behind(text, at, opening):
            yield [(0, text[start:before]), *rest]

    def _commits(self, text: str, start: int, end: int) -> bool:
        """Whether an opener begins before `end`."""
        opened = self._next(text, start)
        return opened is not None and opened[0] < end

    # --- code -----------------------------------------------------------------------------------------------------

    def _fence_at(self, text: str, at: int) -> re.Match[str] | None:
        is_line_start = at == 0 or text[at - 1] == "\n"
        return _FENCE.match(text, at) if self.fence and is_line_start else None

    def _fenced(self, text: str, fence: re.Match[str]) -> tuple[tuple[int, str], int] | None:
        """The content of a fence, and where it ends; None if it must be closed and is not."""
        assert self.fence is not None
        run = fence[1] or fence[2]
        closer = re.compile(rf"^ {{0,3}}{run[0]}{{{len(run)},}}[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
        found = closer.search(text, fence.end()) if fence[0].endswith("\n") else None
        if found is None and not self.fence.unclosed:
            return None
        content = text[fence.end() : found.start() if found else len(text)]
        return (self.fence.scope, content), found.end() if found else len(text)

    def _is_like_a_fence(self, text: str, start: int, at: int) -> bool:
        """The line began like a fence but is none: documented to be refused when a region follows on it."""
        line = text.rfind("\n", 0, at) + 1
        return line >= start and _LIKE_FENCE.fullmatch(text, line, at) is not None

    def _spanned(self, text: str, start: int, at: int) -> tuple[tuple[int, str], int] | None:
        """The content of the code span that opens at `at`, and where it ends."""
        if not self.code or text[at : at + 1] != "`":
            return None
        size, line = self._plain(text, at), text[:at] + text[at:].partition("\n")[0]
        closer = re.compile(rf"(?<!`)`{{{size}}}(?!`)").search(line, at + size)
        if size > MAX_SPAN or closer is None or self._commits(text, start, closer.end()):
            return None
        return (self.code.scope, text[at + size : closer.start()]), closer.end()

    def _plain(self, text: str, at: int) -> int:
        """Runs of backticks are read whole."""
        run = re.compile("`+").match(text, at) if self.code else None
        return len(run[0]) if run else 1


@dataclass(frozen=True)
class Regioned:
    """A policy with regions: a text is permitted if in some reading every stretch is permitted by its scope."""

    reader: Reader
    scopes: tuple[Scope, ...]
    inside: Opening | None = None

    def accepts(self, text: str) -> bool:
        """Whether the text is permitted."""
        readings = self.reader.readings(text, self.inside)
        return any(all(self.scopes[number].accepts(stretch) for number, stretch in reading) for reading in readings)

    def trying(self, pieces: Sequence[str], depth: int) -> Trying:
        """A judge of beginnings too; its pieces hold the closers."""
        closers = [o.closer for o in self.reader.openings if o.closer]
        return Trying(self.accepts, [*pieces, *closers], depth)
