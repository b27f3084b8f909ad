"""Where findings about one surface are collected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from langc.compiler.diagnostics import Diagnostic, Label, Severity
from langc.compiler.errors import PolicyError
from langc.compiler.limits import MAX_DIAGNOSTICS
from langc.compiler.source import Source, Span
from langc.compiler.suggest import did_you_mean

_MOST_NAMES = 1_000


@dataclass
class Report:
    """Errors and warnings about what stands in one source."""

    source: Source
    found: list[Diagnostic] = field(default_factory=list)

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        help: str | None = None,
        also: tuple[Label, ...] = (),
        remark: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        """Adds an error, unless there are so many that it would not be shown."""
        if self.is_full:
            return
        place = Label(self.source, span, remark)
        self.found.append(Diagnostic(code, message, place, also, help=help, notes=notes))

    def warning(self, code: str, message: str, span: Span, help: str | None = None) -> None:
        """Adds a warning, as `error` does."""
        if self.is_full:
            return
        place = Label(self.source, span)
        self.found.append(Diagnostic(code, message, place, help=help, severity=Severity.WARNING))

    def unknown(
        self, code: str, message: str, word: str, span: Span, known: Iterable[str], otherwise: str = ""
    ) -> None:
        """Adds an error about a word that is none of the known ones, with the nearest of them as help."""
        if self.is_full:
            return
        names = sorted(known)
        listed = f"there is {', '.join(f'`{n}`' for n in names[:12])}" if names else None
        self.error(code, message, span, _suggested(word, names) or otherwise or listed)

    @property
    def is_full(self) -> bool:
        """Whether there are more findings already than are shown of a file."""
        return len(self.found) >= 2 * MAX_DIAGNOSTICS

    def word(self, word: str, span: Span) -> Span:
        """The last place of a word in a span; the span itself if it does not have the word."""
        text = self.source.text[span.start : span.end]
        found = [*re.finditer(rf"(?<![A-Za-z0-9_-]){re.escape(word)}(?![A-Za-z0-9_-])", text)]
        return Span(span.start + found[-1].start(), span.start + found[-1].end()) if found else span

    def label(self, span: Span, message: str = "") -> Label:
        """A place in the source."""
        return Label(self.source, span, message)

    @property
    def errors(self) -> list[Diagnostic]:
        """The first errors in the order of the text."""
        errors = [d for d in self.found if d.severity is Severity.ERROR]
        return sorted(errors, key=_place)[:MAX_DIAGNOSTICS]

    @property
    def warnings(self) -> list[Diagnostic]:
        """The first warnings in the order of the text."""
        warnings = [d for d in self.found if d.severity is Severity.WARNING]
        return sorted(warnings, key=_place)[:MAX_DIAGNOSTICS]

    def raise_errors(self) -> None:
        """Raises PolicyError if there are errors."""
        if self.errors:
            raise PolicyError(self.errors)


def _suggested(word: str, names: list[str]) -> str | None:
    """What a word was meant for; among very many names that is not looked for, which would take long."""
    return did_you_mean(word, names) if len(names) <= _MOST_NAMES else None


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    span = diagnostic.primary.span if diagnostic.primary else Span(0, 0)
    return span.start, span.end
