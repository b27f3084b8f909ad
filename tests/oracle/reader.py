"""Regions of any kinds by reading: once through the text, left to right, as a person would.

It shares no code with the automata. A reading is a list of stretches, each with the number of the scope whose rules
hold in it: 0 outside all regions. Only regions `after` a character leave a choice: their
opener may be plain text.

* The opener of a `between` region commits. The one that begins first counts, of several that begin there the longest.
* A fence commits with its opening line, and begins at a line start outside all regions. What follows the run and
  blanks on the line begins with the fence's word, if it has one, and no letter goes on with it.
* A code span, quotes and a region `after` a character lie in one line, and are regions only if they close before an
  opener that commits begins. Beside code spans the other two hold no backtick, beside quotes the last no opening mark.
* Quotes that do not close are plain text, and no others begin behind them on the line.
* A URL commits, and counts as such for nothing but itself: what opens before it may hold it.
* The value of a JSON member commits. Rules see what it stands for, and then it must be spelled as `json.dumps` does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.oracle.bounded import Scope
from tests.oracle.trying import Trying

MAX_SPAN = 3
_FENCE = re.compile(r" {0,3}(?:(`{3,8})(?!`)[^`\n]*|(~{3,8})(?!~)[^\n]*)(?:\n|\Z)")
_LIKE_FENCE = re.compile(r" {0,3}`{3,8}[^`\n]*")

_SCHEME = re.compile("https?://", re.ASCII | re.IGNORECASE)
_URL = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*")
_STRING = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)
PAIRS = {a: b for a, b in ("“”", "‘’", "「」", "『』", "«»", "‹›", "〈〉", "《》", '""')}  # noqa: C416

Reading = list[tuple[int, str]]


@dataclass(frozen=True)
class Opening:
    """One way to open a region.

    `kind` is `fence`, `inline_code`, `quotes`, `url`, `json`, `between`, `start between` or `after`. `opener` is the
    name of the member for `json`, and the word of a `fence`, if any.
    """

    kind: str
    opener: str = ""
    closer: str = ""
    after: str = ""
    most: int | None = None
    scope: int = 1
    unclosed: bool = False
    decoded: bool = False
    """Whether rules see the value of a JSON string."""

    def at(self, text: str, place: int) -> int:
        """The length of the opener if it stands there, else 0."""
        if self.kind == "url":
            pattern = _SCHEME
        elif self.kind == "json":
            key = re.escape(json.dumps(self.opener, ensure_ascii=False))
            pattern = re.compile(rf'{key}[ \t\n\r]*:[ \t\n\r]*"')
        else:
            return len(self.opener) if text.startswith(self.opener, place) else 0
        found = pattern.match(text, place)
        return len(found[0]) if found else 0


class Reader:
    """Reads texts for some openings."""

    def __init__(self, openings: Sequence[Opening]) -> None:
        self.openings = openings
        self.committing = [*self._all("start between"), *(o for o in openings if o.kind in ("between", "json"))]
        self.url = next(iter(self._all("url")), None)
        self.quotes = next(iter(self._all("quotes")), None)
        self.fences = self._all("fence")
        self.code = next(iter(self._all("inline_code")), None)

    def readings(self, text: str, inside: Opening | None = None) -> Iterator[Reading]:
        """Every reading; none if the regions alone refuse the text. `inside` is open already where the text begins."""
        if inside:
            yield from self._behind(text, 0, inside, 0)
            return
        yield from self._outside(text, 0, 0)

    def _all(self, kind: str) -> list[Opening]:
        return [o for o in self.openings if o.kind == kind]

    def _outside(self, text: str, start: int, until: int) -> Iterator[Reading]:
        """The readings of what follows `start`, which is outside all regions. No quotes begin before `until`."""
        opened = self._next(text, start)
        at = start
        while at <= len(text):
            for opening in self._all("after"):
                yield from self._glossed(text, start, at, until, opening)
            url = self._url_at(text, start, at, opened)
            if url:
                rests = self._behind(text, at, url, until)
                yield from ([(0, text[start:at]), *rest] for rest in rests)
                return
            if opened and at == opened[0]:
                yield from self._committed(text, start, *opened)
                return
            fence = self._fence_at(text, at)
            found = self._fenced(text, *fence) if fence else self._spanned(text, start, at)
            found = found or self._quoted(text, start, at, until)
            if found:
                content, end = found
                yield from ([(0, text[start:at]), content, *rest] for rest in self._outside(text, end, until))
            if found or fence:
                return
            if self.quotes and text[at : at + 1] in PAIRS:
                until = max(until, self._line_end(text, at))
            at += self._plain(text, at)
        yield [(0, text[start:])]

    def _next(self, text: str, start: int) -> tuple[int, Opening] | None:
        """Where the first committing opener begins, and the longest that does."""
        for at in range(start, len(text)):
            found = [o for o in self.committing if o.at(text, at) and (at == 0 or o.kind != "start between")]
            if found:
                return at, max(found, key=lambda o: o.at(text, at))
        return None

    def _url_at(self, text: str, start: int, at: int, opened: tuple[int, Opening] | None) -> Opening | None:
        """The URL that begins there, unless another opener does that is longer, or as long and first."""
        is_in_word = at > start and text[at - 1].isascii() and text[at - 1].isalnum()
        if not self.url or is_in_word or not self.url.at(text, at):
            return None
        if opened and opened[0] == at:
            other, order = opened[1], self.openings.index
            sizes = other.at(text, at), self.url.at(text, at)
            other_is_first = other.kind == "start between" or order(other) < order(self.url)
            if sizes[0] > sizes[1] or (sizes[0] == sizes[1] and other_is_first):
                return None
        return self.url

    def _committed(self, text: str, start: int, at: int, opening: Opening) -> Iterator[Reading]:
        if not self._is_like_a_fence(text, start, at):
            rests = self._behind(text, at + opening.at(text, at), opening, 0)
            yield from ([(0, text[start:at]), *rest] for rest in rests)

    def _behind(self, text: str, at: int, opening: Opening, until: int) -> Iterator[Reading]:
        """The readings from the content of a region on."""
        end = self._content_end(text, at, opening)
        content = text[at : end if end is not None else len(text)]
        if opening.kind == "json":
            yield from self._value(text, content, end, opening)
        elif opening.most is not None and len(content) > opening.most:
            return
        elif end is not None:
            behind = end + len(opening.closer)
            yield from ([(opening.scope, content), *rest] for rest in self._outside(text, behind, until))
        elif opening.unclosed:
            yield [(opening.scope, content)]

    @staticmethod
    def _content_end(text: str, at: int, opening: Opening) -> int | None:
        """Where the content ends; None if it is not closed."""
        if opening.kind in ("url", "json"):
            found = (_URL if opening.kind == "url" else _STRING).match(text, at)
            assert found
            return found.end() if opening.kind == "url" or text[found.end() :].startswith('"') else None
        end = text.find(opening.closer, at)
        return end if end >= 0 else None

    def _value(self, text: str, content: str, end: int | None, opening: Opening) -> Iterator[Reading]:
        """The readings of a JSON string and of what follows."""
        try:
            value = json.loads(f'"{content}"')
        except ValueError:
            return
        if opening.decoded and json.dumps(value, ensure_ascii=False) != f'"{content}"':
            return
        stretch = opening.scope, value if opening.decoded else content
        if end is not None:
            yield from ([stretch, *rest] for rest in self._outside(text, end + 1, 0))
        elif opening.unclosed:
            yield [stretch]

    def _quoted(self, text: str, start: int, at: int, until: int) -> tuple[tuple[int, str], int] | None:
        """The content of the quotes that open at `at`, and where they end."""
        closer = PAIRS.get(text[at : at + 1])
        if not self.quotes or closer is None or at < until:
            return None
        end = text.find(closer, at + 1, self._line_end(text, at))
        if end < 0 or self._commits(text, start, end + 1) or (self.code and "`" in text[at:end]):
            return None
        return (self.quotes.scope, text[at + 1 : end]), end + 1

    @staticmethod
    def _line_end(text: str, at: int) -> int:
        end = text.find("\n", at)
        return end if end >= 0 else len(text)

    def _glossed(self, text: str, start: int, at: int, until: int, opening: Opening) -> Iterator[Reading]:
        """The readings in which a region `after` a character opens at `at`."""
        behind = at + len(opening.opener)
        if at - 1 < start or text[at:behind] != opening.opener or text[at - 1] not in opening.after:
            return
        closer = text.find(opening.closer, behind)
        if closer < 0 or self._commits(text, start, closer + len(opening.closer)):
            return
        if set(text[behind:closer]) & {"\n", *("`" if self.code else ""), *(PAIRS if self.quotes else "")}:
            return
        for rest in self._behind(text, behind, opening, until):
            yield [(0, text[start:at]), *rest]

    def _commits(self, text: str, start: int, end: int) -> bool:
        """Whether an opener begins before `end`."""
        opened = self._next(text, start)
        return opened is not None and opened[0] < end

    # --- code -----------------------------------------------------------------------------------------------------

    def _fence_at(self, text: str, at: int) -> tuple[Opening, re.Match[str]] | None:
        found = _FENCE.match(text, at) if at == 0 or text[at - 1] == "\n" else None
        opening = self._fence_of(found[0]) if found else None
        return (opening, found) if opening and found else None

    def _fence_of(self, line: str) -> Opening | None:
        """The first fence that such a line can open."""
        word = (re.split("[ \t\r\n]+", re.sub("^ *(`+|~+)[ \t\r]*", "", line)) or [""])[0]
        small = re.sub("[A-Z]+", lambda letters: letters[0].lower(), word)
        return next((fence for fence in self.fences if fence.opener in ("", small)), None)

    @staticmethod
    def _fenced(text: str, opening: Opening, fence: re.Match[str]) -> tuple[tuple[int, str], int] | None:
        """The content of a fence, and where it ends; None if it must be closed and is not."""
        run = fence[1] or fence[2]
        closer = re.compile(rf"^ {{0,3}}{run[0]}{{{len(run)},}}[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
        found = closer.search(text, fence.end()) if fence[0].endswith("\n") else None
        if found is None and not opening.unclosed:
            return None
        content = text[fence.end() : found.start() if found else len(text)]
        return (opening.scope, content), found.end() if found else len(text)

    def _is_like_a_fence(self, text: str, start: int, at: int) -> bool:
        """The line began like a fence but is none: documented to be refused when a region follows on it."""
        line = text.rfind("\n", 0, at) + 1
        if line < start or _LIKE_FENCE.fullmatch(text, line, at) is None:
            return False
        return self._fence_of(text[line:at]) is not None

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
        closers += ['"'] if any(o.kind == "json" for o in self.reader.openings) else []
        closers += PAIRS.values() if self.reader.quotes else []
        return Trying(self.accepts, [*pieces, *closers], depth)
