"""Where comments and blank lines belong, so that the printer can put them back.

Invariant: every comment of a region lands in exactly one item (above it or behind it) or in the
region's closing lines, in the order of the text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TypeVar

from langc.compiler.source import Span
from langc.compiler.syntax.ast import CommentLines, Item
from langc.compiler.syntax.lalr import Token

ItemT = TypeVar("ItemT", bound=Item)

_start = attrgetter("span.start")


def within(comments: Sequence[Token], span: Span) -> Sequence[Token]:
    """Those of the comments, sorted by place, that begin in the span."""
    return comments[bisect_left(comments, span.start, key=_start) : bisect_left(comments, span.end, key=_start)]


def words(comment: Token) -> str:
    """The text of a comment without its `#`, one blank behind that, and blanks at the end."""
    return comment.text[1:].removeprefix(" ").rstrip()


def place(
    items: Sequence[ItemT], region: Span, comments: Sequence[Token], text: str
) -> tuple[tuple[ItemT, ...], CommentLines]:
    """The items with the comments around them, and the lines that are left at the end of the region.

    A comment on the line where an item ends is its `trailing` one. Lines that stand before `item.leading`
    in the text are put before it.
    """
    placed: list[ItemT] = []
    at = region.start
    for item in items:
        gap = Span(at, item.span.start)
        trailing, lines = _split(gap, within(comments, gap), text, bool(placed))
        _set_trailing(placed, trailing)
        placed.append(replace(item, leading=lines + item.leading))
        at = item.span.end
    gap = Span(at, region.end)
    trailing, closing = _split(gap, within(comments, gap), text, bool(placed))
    _set_trailing(placed, trailing)
    return tuple(placed), closing


def _set_trailing(placed: list[ItemT], trailing: str | None) -> None:
    if trailing is not None:
        placed[-1] = replace(placed[-1], trailing=trailing)


def _split(gap: Span, comments: Sequence[Token], text: str, after_item: bool) -> tuple[str | None, CommentLines]:
    """The comment on the first line of the gap, if an item ends there, and the other lines."""
    trailing: str | None = None
    lines: list[str | None] = []
    at = gap.start
    for comment in comments:
        line_ends = text.count("\n", at, comment.span.start)
        if after_item and at == gap.start and not line_ends:
            trailing = words(comment)
        else:
            lines += [None] * (line_ends > 1) + [words(comment)]
        at = comment.span.end
    if text.count("\n", at, gap.end) > 1:
        lines.append(None)
    return trailing, tuple(lines)
