"""`langc check` with a surface: names in finished texts that do not exist, and where a text is none of the surface.

With a policy beside the surface, what that does not permit is reported as for any text, each where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from langc.compiler.cli.console import Console, to_json
from langc.compiler.cli.files import read_chunks, shown
from langc.compiler.cli.surface_compile import surface_warnings
from langc.compiler.cli.violations import line
from langc.compiler.errors import LangcError
from langc.compiler.limits import MAX_SURFACE_TEXT, over_limit
from langc.compiler.render import visible
from langc.compiler.unread import not_utf8

if TYPE_CHECKING:
    from langc.compiler.checking.report import CheckReport
    from langc.compiler.surfaces.ghosts import Finding
    from langc.compiler.surfaces.loaded import LoadedSurface

_LISTED = 6
"""Names that a line shows."""


@dataclass(frozen=True)
class _Report:
    """What was found in a file."""

    text: str
    findings: list[Finding]
    beside: CheckReport | None
    """Of the policy, if there is one whose rules are known."""
    refused: int | None = None
    """Where a policy refuses the text of which only the automata are known."""

    @property
    def violations(self) -> int:
        """How many there are of the policy."""
        return int(self.refused is not None) if self.beside is None else len(self.beside.violations)

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings and not self.violations


def check_files(console: Console, files: Iterable[str], loaded: LoadedSurface, exit_zero: bool) -> int:
    """Reports on each file, which is one text of the surface. 1 if there is a finding. Raises LangcError."""
    reports = {path: _report(loaded, _judged(loaded, path)) for path in dict.fromkeys(files)}
    if console.json:
        console.result(_json(loaded, reports))
    else:
        console.report(surface_warnings(loaded))
        for path, report in reports.items():
            for found in _lines(shown(path), loaded, report):
                console.out(found)
            console.out(f"{visible(shown(path))}: {_total(report)}")
    return int(not all(report.ok for report in reports.values()) and not exit_zero)


def _report(loaded: LoadedSurface, text: str) -> _Report:
    findings, rules = loaded.check(text), loaded.rules
    if rules is None:
        return _Report(text, findings, None)
    if rules.policy is None:
        return _Report(text, findings, None, rules.first_violation(text))
    from langc.compiler.checking.check import check

    return _Report(text, findings, check(text, rules.policy.beside_surface))


def _lines(name: str, loaded: LoadedSurface, report: _Report) -> list[str]:
    """A line for each finding and each violation, as they stand in the text."""
    found = [(finding.start, _line(name, report.text, finding)) for finding in report.findings]
    policy = None if loaded.rules is None else loaded.rules.policy
    if policy is not None and report.beside is not None:
        found += [(violation.start, line(name, policy, violation)) for violation in report.beside.violations]
    if loaded.rules is not None and report.refused is not None:
        at = report.refused
        what = f"“{visible(report.text[at])}”" if at < len(report.text) else "the text may not end here"
        found.append((at, f"{_place(name, report.text, at)}: {what}: policy {visible(loaded.rules.name)}"))
    return [said for _, said in sorted(found)]


def _judged(loaded: LoadedSurface, path: str) -> str:
    """The text of a file: as it is if the surface is in regions of it; else without line ends behind it."""
    is_of_regions = loaded.rules is not None and loaded.rules.contents is not None
    return _text(path) if is_of_regions else _text(path).rstrip("\n")


def _text(path: str) -> str:
    data = b""
    for chunk in read_chunks(path):
        data += chunk
        if len(data) > MAX_SURFACE_TEXT:
            raise LangcError(over_limit(f"bytes in {shown(path)}", MAX_SURFACE_TEXT))
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise LangcError(not_utf8(shown(path), error)) from None


def _line(name: str, text: str, finding: Finding) -> str:
    """`FILE:LINE:COLUMN: no Column "naem"; did you mean "name"?`."""
    return f"{_place(name, text, finding.start)}: {_what(finding)}"


def _place(name: str, text: str, offset: int) -> str:
    number = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return f"{visible(name)}:{number}:{column}"


def _what(finding: Finding) -> str:
    listed = ", ".join(visible(word) for word in finding.expected[:_LISTED]) or "what these names do not have"
    if finding.kind == "ghost":
        said = f"“{visible(finding.text)}” does not exist here as a {' or '.join(finding.sorts)}"
        return f"{said}; did you mean “{visible(finding.suggestion)}”?" if finding.suggestion else f"{said}: {listed}"
    said = "the text is not complete" if finding.kind == "end" else f"“{visible(finding.text)}” cannot stand here"
    if not finding.expected:
        listed = "the end of the text"
    return f"{said}; {_missing(finding)}expected {listed}"


def _missing(finding: Finding) -> str:
    """What has to come first."""
    required, promised = (", ".join(f"“{visible(n)}”" for n in names) for names in (finding.required, finding.promised))
    said = f"{required} must come first; " if required else ""
    if promised:
        owners = ", ".join(map(visible, finding.owners[:_LISTED]))
        said += f"nothing that has {promised} is named yet{f' ({owners})' * bool(owners)}; "
    return said


def _total(report: _Report) -> str:
    ghosts = sum(finding.kind == "ghost" for finding in report.findings)
    others = len(report.findings) - ghosts
    said = []
    if report.findings:
        said += [f"{ghosts:,} ghost{'s' * (ghosts != 1)}", *(["and it is no complete text"] if others else [])]
    else:
        said.append("every name exists")
    if report.violations:
        said.append(f"{report.violations:,} violation{'s' * (report.violations != 1)}")
    return ", ".join(said)


def _json(loaded: LoadedSurface, reports: dict[str, _Report]) -> dict[str, object]:
    rules = loaded.rules
    of_policy = {} if rules is None else {"policy": rules.name, "policy_sha256": rules.hash}
    return {
        "surface": loaded.surface.name,
        "surface_sha256": loaded.digest,
        **of_policy,
        "files": [_file_json(shown(path), loaded, report) for path, report in reports.items()],
        "ok": all(report.ok for report in reports.values()),
        "warnings": to_json(surface_warnings(loaded)),
    }


def _file_json(name: str, loaded: LoadedSurface, report: _Report) -> dict[str, object]:
    found: dict[str, object] = {"file": name, "ok": report.ok, "findings": [_finding(one) for one in report.findings]}
    if report.beside is not None:
        found["violations"] = [violation.to_json() for violation in report.beside.violations]
    elif loaded.rules is not None:
        places = [] if report.refused is None else [report.refused]
        found["violations"] = [{"offset": place, "policy": loaded.rules.name} for place in places]
    return found


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "kind": finding.kind,
        "start": finding.start,
        "end": finding.end,
        "text": finding.text,
        "sorts": list(finding.sorts),
        "suggestion": finding.suggestion,
        "expected": list(finding.expected),
        "required": list(finding.required),
        "promised": list(finding.promised),
        "owners": list(finding.owners),
    }
