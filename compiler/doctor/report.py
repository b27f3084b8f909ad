"""What was found about engines or about a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langc.compiler.target import Json


@dataclass(frozen=True)
class Finding:
    """One thing that was tried."""

    about: str
    ok: bool | None
    """Whether it is as it must be; None if it could not be tried."""
    says: str
    help: str | None = None
    """What to do, where something is wrong."""

    def to_json(self) -> dict[str, Json]:
        """The finding as JSON values."""
        return {"about": self.about, "ok": self.ok, "says": self.says, "help": self.help}


@dataclass(frozen=True)
class DoctorReport:
    """All findings, in the order in which they were made."""

    subject: str
    findings: Sequence[Finding]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, and something was tried."""
        tried = [f.ok for f in self.findings if f.ok is not None]
        return bool(tried) and all(tried)

    def to_json(self) -> dict[str, Json]:
        """The report as JSON values."""
        return {"subject": self.subject, "ok": self.ok, "findings": [f.to_json() for f in self.findings]}
