"""The file confusables.txt of UTS #39, as Unicode publishes it, or one that a user has written in its form.

A line is `SOURCE ; TARGET ; MA`, code points in hexadecimal, one in the source and one or more in the target. What
stands behind `#`, and empty lines, are nothing. Source: UTS #39, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.limits import MAX_DIAGNOSTICS, MAX_PROTOTYPE_LENGTH
from langc.compiler.source import Source, Span
from langc.compiler.unicode.confusables import Confusables
from langc.compiler.unicode.intervals import SCALARS

_CODE_POINT = re.compile("[0-9A-Fa-f]{4,6}")
_FORM = "a line is `0430 ; 0061 ; MA`, perhaps with a comment behind `#`"


class _Malformed(Exception):
    def __init__(self, message: str, span: Span, help: str = _FORM) -> None:
        super().__init__(message)
        self.message, self.span, self.help = message, span, help


@lru_cache(maxsize=8)
def read_confusables(file: Source) -> Confusables:
    """The table in a file. Raises PolicyError (LC0336) with every line that is none of its form."""
    prototypes: dict[int, tuple[int, ...]] = {}
    errors: list[Diagnostic] = []
    for line in _lines(file):
        try:
            source, target = _read(file, line)
            if source in prototypes:
                raise _Malformed(f"U+{source:04X} has a prototype already", line, "leave one of the lines out")
            prototypes[source] = target
        except _Malformed as error:
            errors.append(Diagnostic("LC0336", error.message, Label(file, error.span), help=error.help))
    if not prototypes and not errors:
        message = f"there is no prototype in {file.name}"
        errors.append(Diagnostic("LC0336", message, Label(file, Span(0, 0)), help=_FORM))
    if errors:
        raise PolicyError(errors[:MAX_DIAGNOSTICS])
    return Confusables.of(prototypes)


def _lines(file: Source) -> Iterator[Span]:
    """The lines that say something, without comments."""
    start = 0
    for line in file.text.split("\n"):
        if line.partition("#")[0].strip():
            yield Span(start, start + len(line.partition("#")[0].rstrip()))
        start += len(line) + 1


def _read(file: Source, line: Span) -> tuple[int, tuple[int, ...]]:
    fields = _fields(file, line)
    if len(fields) != 3:
        raise _Malformed("this is no line of confusables.txt", line)
    source, target, kind = fields
    if _text(file, kind) != "MA":
        raise _Malformed("the third field is `MA`", kind)
    sources, targets = _code_points(file, source), _code_points(file, target)
    if len(sources) != 1:
        raise _Malformed("a prototype belongs to one character", source)
    if len(targets) > MAX_PROTOTYPE_LENGTH:
        raise _Malformed(f"a prototype has at most {MAX_PROTOTYPE_LENGTH} characters", target)
    return sources[0], targets


def _fields(file: Source, line: Span) -> list[Span]:
    """What stands between the semicolons, without blanks around it."""
    fields: list[Span] = []
    start = line.start
    for written in _text(file, line).split(";"):
        bare = written.strip()
        at = start + written.index(bare) if bare else start
        fields.append(Span(at, at + len(bare)))
        start += len(written) + 1
    return fields


def _code_points(file: Source, field: Span) -> tuple[int, ...]:
    words = _text(file, field).split()
    wrong = [word for word in words if not _CODE_POINT.fullmatch(word) or int(word, 16) not in SCALARS]
    if wrong or not words:
        raise _Malformed(f"`{wrong[0]}` is no code point" if wrong else "a code point is missing", field)
    return tuple(int(word, 16) for word in words)


def _text(file: Source, span: Span) -> str:
    return file.text[span.start : span.end]
