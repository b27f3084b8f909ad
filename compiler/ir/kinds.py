"""The kinds of regions: what opens each and what closes it, as data. Their meaning is in `ir/structure.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from langc.compiler.ir.json_text import spelled
from langc.compiler.unicode.intervals import SCALARS, IntervalSet


@dataclass(frozen=True)
class Fence:
    """Fenced code blocks: all, or those whose info string begins with a word."""

    word: str | None = None
    """Small ASCII letters stand for capitals as well."""


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


@dataclass(frozen=True)
class Url:
    """From `http://` or `https://` up to the first character that no URL holds."""


@dataclass(frozen=True)
class Quotes:
    """Between the two marks of a pair, on one line."""


@dataclass(frozen=True)
class JsonValue:
    """The string that is the value of a member of this name in JSON text."""

    name: str

    @property
    def key(self) -> str:
        """The name as JSON spells it, in its quotes, with no escape that need not be."""
        return f'"{spelled(self.name)}"'


Kind: TypeAlias = Fence | InlineCode | Between | Url | Quotes | JsonValue

MAX_SPAN = 3
"""Backticks that open a code span."""
QUOTE_MARKS = dict(zip('“‘「『«‹〈《"', '”’」』»›〉》"', strict=True))
"""The closing mark of each opening one."""
SCHEME_LETTERS = IntervalSet(((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)))
"""Directly behind one of these `http` is the end of another word (RFC 3986, section 3.1)."""
URL_CHARACTERS = SCHEME_LETTERS | IntervalSet.of("-._~:/?#[]@!$&'()*+,;=%")
"""RFC 3986, section 2: unreserved and reserved characters, and the sign of a percent-encoded byte."""
JSON_SPACE = IntervalSet.of(" \t\n\r")
JSON_RAW = SCALARS - IntervalSet(((0x00, 0x1F),)) - IntervalSet.of('"\\')
"""What may stand in a JSON string as it is (RFC 8259, section 7)."""


@dataclass(frozen=True)
class Place:
    """One kind of region: which scope its content is in, and whether the end of the text may close it."""

    kind: Kind
    scope: int
    unclosed: bool


def commits(kind: Kind) -> bool:
    """Whether its region has begun where its opener is complete, whatever follows. A text can begin in such a one."""
    return isinstance(kind, Url | JsonValue) or (isinstance(kind, Between) and kind.after is None)
