"""Delimiters that cannot stand beside regions of another kind, because it would not be clear where those begin.

* Lines and backticks decide where code begins, so no other delimiter may hold either.
* Code spans and quotes may hold a URL, so beside both no opener that commits may begin in one: whether the URL is a
  region and the opener none, or the other way round, would hang on whether it is.
* Quotes must be quotes where they close, and a region `after` a character need not be one, so of the two
  the latter is not opened or closed by a mark that opens quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from langc.compiler.ir.kinds import (
    QUOTE_MARKS,
    URL_CHARACTERS,
    Between,
    Fence,
    InlineCode,
    JsonValue,
    Kind,
    Quotes,
    Url,
    commits,
)


@dataclass(frozen=True)
class Clash:
    """Why a kind of region cannot stand beside others."""

    code: str
    message: str
    apart: str
    """What could stand in a policy of its own."""
    applies: Callable[[frozenset[type]], bool]
    """Whether these kinds are among the others."""
    is_wrong: Callable[[Kind], bool]


def first_clash(kind: Kind, kinds: Iterable[Kind]) -> Clash | None:
    """The first reason why a kind cannot stand beside these."""
    held = frozenset(map(type, kinds))
    return next((clash for clash in _CLASHES if clash.applies(held) and clash.is_wrong(kind)), None)


def _holds_code(kind: Kind) -> bool:
    if isinstance(kind, JsonValue):
        return "`" in kind.name
    return isinstance(kind, Between) and bool({*kind.opener, *kind.closer} & {"`", "\n"})


def _opens_in_url(kind: Kind) -> bool:
    return isinstance(kind, Between) and commits(kind) and not kind.at_start and ord(kind.opener[0]) in URL_CHARACTERS


def _holds_mark(kind: Kind) -> bool:
    marks = {*QUOTE_MARKS}
    return isinstance(kind, Between) and kind.after is not None and bool({*kind.opener, *kind.closer} & marks)


_CLASHES = (
    Clash(
        "LC0308",
        "a delimiter with a backtick or a line end cannot stand beside a region of code",
        "the code",
        lambda held: bool(held & {Fence, InlineCode}),
        _holds_code,
    ),
    Clash(
        "LC0348",
        "a delimiter that can begin inside a URL cannot stand beside `url` with `inline_code` or `quotes`",
        "the URLs",
        lambda held: Url in held and bool(held & {InlineCode, Quotes}),
        _opens_in_url,
    ),
    Clash(
        "LC0348",
        "a delimiter with a quotation mark cannot stand behind `after` beside `quotes`",
        "the quotes",
        lambda held: Quotes in held,
        _holds_mark,
    ),
)
