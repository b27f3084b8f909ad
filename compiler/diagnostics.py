"""What the compiler has to say: diagnostics as data, drawn elsewhere (`render.py`).

Invariant: every `code` has a page `explain/CODE.md`; a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from langc.compiler.source import Source, Span


class Severity(Enum):
    """How bad it is: an error stops the compiler, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Label:
    """A place in a source with a short remark. An empty message draws carets only."""

    source: Source
    span: Span
    message: str = ""


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `primary` is None when no source text is at fault (a missing file, say)."""

    code: str
    message: str
    primary: Label | None = None
    secondary: tuple[Label, ...] = ()
    help: str | None = None
    notes: tuple[str, ...] = ()
    severity: Severity = Severity.ERROR
    data: dict[str, object] = field(default_factory=dict, compare=False)
    """Extra facts for `--json` readers."""
