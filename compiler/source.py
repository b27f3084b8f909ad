"""Source text and positions in it.

Invariant: a `Span` holds code point offsets into `Source.text`, 0 <= start <= end <= len(text).
Lines and columns are 1-based and count code points, because a policy holds characters of every width.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code point offsets."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.start, other.end)


@dataclass(frozen=True)
class Source:
    """A named text, as the user wrote it."""

    name: str
    text: str
    bytes_before: int = 0
    """How many bytes of the file were skipped before the text: three if it has a byte order mark."""

    @classmethod
    def of(cls, name: str, text: str) -> Source:
        """A source without the byte order mark that the text may begin with."""
        bare = text.removeprefix("\ufeff")
        return cls(name, bare, 3 if text.startswith("\ufeff") else 0)

    @cached_property
    def _line_starts(self) -> tuple[int, ...]:
        return (0, *(i + 1 for i, c in enumerate(self.text) if c == "\n"))

    def line_column(self, offset: int) -> tuple[int, int]:
        """1-based line and column of a code point offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def byte_offset(self, offset: int) -> int:
        """Where in the file (UTF-8) a code point offset lies."""
        return self.bytes_before + len(self.text[:offset].encode("utf-8", "surrogatepass"))

    def line_text(self, line: int) -> str:
        """The text of a 1-based line, without its line end."""
        start = self._line_starts[line - 1]
        return self.text[start:].split("\n", 1)[0].rstrip("\r")
