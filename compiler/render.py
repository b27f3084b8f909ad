"""Diagnostics for people (`render`) and for programs (`to_json`).

Invariants: whatever is in the policy, the rendered text holds no control character but line ends (and
colours, when asked for) and nothing invisible; no source line is shown wider than `MAX_COLUMNS`, and the
work is bounded by that, not by the length of the line. Columns in the head count code points; carets are
placed by the widths that a terminal uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.source import Source
from langc.compiler.unicode import glyphs
from langc.compiler.unicode.glyphs import visible as visible

MAX_COLUMNS = 120
"""Of a shown source line. A longer one is cut to the neighbourhood of its first label."""
_LEAD = 40
"""Columns kept in front of the first label of a line that is cut."""
_TAB = "    "

_COLOURS = {"error": "1;31", "warning": "1;33", "frame": "1;34", "strong": "1"}

Paint = Callable[[str, str], str]


def render_all(diagnostics: Iterable[Diagnostic], colour: bool = False) -> str:
    """Several diagnostics, one after the other with a blank line between."""
    return "\n\n".join(render(d, colour) for d in diagnostics)


def render(diagnostic: Diagnostic, colour: bool = False) -> str:
    """The diagnostic as text: place and message, the source lines with their labels, help and notes.

    Ends without a line end. With `colour`, ANSI colours are added and nothing else changes.
    """
    paint = _coloured if colour else _uncoloured
    marks = _all_marks(diagnostic)
    gutter = len(str(max((m.line for m in marks), default=0)))
    out = [_head(diagnostic, paint)]
    for source, group in groupby(marks, key=lambda m: m.source):
        if diagnostic.primary and source is not diagnostic.primary.source:
            out.append(paint(f"{' ' * gutter}::: ", "frame") + visible(source.name))
        out += _snippet(source, list(group), gutter, diagnostic.severity.value, paint)
    extras = [("help", diagnostic.help)] if diagnostic.help else []
    for word, text in [*extras, *(("note", note) for note in diagnostic.notes)]:
        out.append(f"{' ' * gutter} {paint('=', 'frame')} {paint(f'{word}:', 'strong')} {visible(text)}")
    return "\n".join(out)


def to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """The diagnostic as JSON data.

    Lines and columns are 1-based and count code points, `start` and `end` are 0-based code point offsets,
    `byte_start` and `byte_end` offsets in the UTF-8 file. They are null when no text is at fault.
    """
    labels = [(diagnostic.primary, True)] if diagnostic.primary else []
    labels += [(label, False) for label in diagnostic.secondary]
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        **_location(diagnostic.primary),
        "labels": [{**_location(label), "message": label.message, "primary": main} for label, main in labels],
        "help": diagnostic.help,
        "notes": list(diagnostic.notes),
        "data": diagnostic.data,
    }


def _location(label: Label | None) -> dict[str, Any]:
    if label is None:
        keys = ("file", "line", "column", "end_line", "end_column", "start", "end", "byte_start", "byte_end")
        return dict.fromkeys(keys)
    source, span = label.source, label.span
    (line, column), (end_line, end_column) = source.line_column(span.start), source.line_column(span.end)
    return {
        "file": source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "start": span.start,
        "end": span.end,
        "byte_start": source.byte_offset(span.start),
        "byte_end": source.byte_offset(span.end),
    }


# --- the text form ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Mark:
    """What is drawn under one line: code point columns `start` to `end`, 0-based, and a remark behind them."""

    source: Source
    line: int
    start: int
    end: int
    message: str
    primary: bool


def _head(diagnostic: Diagnostic, paint: Paint) -> str:
    severity = diagnostic.severity.value
    kind = paint(f"{severity}[{diagnostic.code}]", severity)
    head = f"{kind}: {paint(visible(diagnostic.message), 'strong')}"
    if diagnostic.primary is None:
        return head
    line, column = diagnostic.primary.source.line_column(diagnostic.primary.span.start)
    return f"{paint(f'{visible(diagnostic.primary.source.name)}:{line}:{column}:', 'strong')} {head}"


def _all_marks(diagnostic: Diagnostic) -> list[_Mark]:
    """The marks of all labels, those in the primary's source first, then by line, the rightmost first."""
    labels = [diagnostic.primary] if diagnostic.primary else []
    marks = [m for label in labels for m in _marks(label, True)]
    marks += [m for label in diagnostic.secondary for m in _marks(label, False)]
    sources = list(dict.fromkeys(id(m.source) for m in marks))
    return sorted(marks, key=lambda m: (sources.index(id(m.source)), m.line, -m.start))


def _marks(label: Label, primary: bool) -> Iterator[_Mark]:
    """One mark; for a label over several lines, one under its first line and one under its last."""
    source, span = label.source, label.span
    line, column = source.line_column(span.start)
    last, end = source.line_column(max(span.start, span.end - 1))
    if line == last:
        yield _Mark(source, line, column - 1, column - 1 + span.end - span.start, label.message, primary)
        return
    text = source.line_text(last)
    yield _Mark(source, line, column - 1, len(source.line_text(line)), "", primary)
    yield _Mark(source, last, len(text) - len(text.lstrip()), end, label.message, primary)


def _snippet(source: Source, marks: Sequence[_Mark], gutter: int, severity: str, paint: Paint) -> Iterator[str]:
    """The lines that have marks, each with its marks below, and `...` where lines are left out."""
    blank = paint(f"{' ' * gutter} |", "frame")
    yield blank
    before = None
    for line, group in groupby(marks, key=lambda m: m.line):
        on_line = list(group)
        if before is not None and line > before + 1:
            yield paint("...", "frame")
        before = line
        view = _View(source.line_text(line), min(m.start for m in on_line))
        yield f"{paint(f'{line:>{gutter}} |', 'frame')} {view.text}".rstrip()
        for mark in on_line:
            carets = paint(view.carets(mark), severity if mark.primary else "frame")
            yield f"{blank} {' ' * view.place(mark)}{carets} {visible(mark.message)}".rstrip()


class _View:
    """A source line as it is shown, cut to what fits around the code point `focus`."""

    def __init__(self, line: str, focus: int) -> None:
        self.first = 0 if _fits(line) else _start_before(line, focus)
        cut_left = "…" if self.first else ""
        self._columns = [len(cut_left)]
        shown: list[str] = [cut_left]
        for character in line[self.first :]:
            cell = _cell(character)
            column = self._columns[-1] + glyphs.width(cell)
            if column >= MAX_COLUMNS or len(shown) > 2 * MAX_COLUMNS:
                shown.append("…")
                break
            shown.append(cell)
            self._columns.append(column)
        self.text = "".join(shown)

    def column(self, offset: int) -> int:
        """The terminal column of a code point offset in the line; what is cut off counts as the nearest end."""
        return self._columns[min(max(offset - self.first, 0), len(self._columns) - 1)]

    def place(self, mark: _Mark) -> int:
        """The column where the carets begin: for a mark on a letter, under the letter."""
        column = self.column(mark.start)
        return column - 1 if column and mark.start < mark.end and self.column(mark.end) == column else column

    def carets(self, mark: _Mark) -> str:
        """At least one caret (a dash for a secondary label)."""
        size = self.column(mark.end) - self.column(mark.start)
        return ("^" if mark.primary else "-") * max(1, size)


def _fits(line: str) -> bool:
    return len(line) <= MAX_COLUMNS and glyphs.width("".join(map(_cell, line))) <= MAX_COLUMNS


def _start_before(line: str, focus: int) -> int:
    """The code point from which on the line is shown: up to `_LEAD` columns and code points before the focus."""
    start, room = focus, _LEAD
    while start and focus - start < _LEAD and (room := room - glyphs.width(_cell(line[start - 1]))) >= 0:
        start -= 1
    return start


def _cell(character: str) -> str:
    return _TAB if character == "\t" else glyphs.visible(character)


def _coloured(text: str, role: str) -> str:
    return f"\x1b[{_COLOURS[role]}m{text}\x1b[0m" if text else ""


def _uncoloured(text: str, role: str) -> str:
    return text
