"""`langc check` with a surface: names in finished texts that do not exist, and where a text is none of the surface."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from langc.compiler.cli.console import Console
from langc.compiler.cli.files import read_chunks, shown
from langc.compiler.cli.options import sources
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import LangcError
from langc.compiler.limits import MAX_SURFACE_TEXT, over_limit
from langc.compiler.render import visible

if TYPE_CHECKING:
    from langc.compiler.surfaces.ghosts import Finding

_LISTED = 6
"""Names that a line shows."""


def check_files(console: Console, files: Iterable[str], surface: str, env: dict[str, str], exit_zero: bool) -> int:
    """Reports on each file, which is one text of the surface. 1 if there is a finding. Raises LangcError."""
    from langc.compiler.surfaces.loaded import load_surface

    loaded = load_surface(surface, sources(env))
    reports: dict[str, tuple[str, list[Finding]]] = {}
    for path in dict.fromkeys(files):
        text = _text(path)
        reports[path] = text, loaded.check(text.rstrip("\n"))
    if console.json:
        console.result(_json(loaded.name, loaded.digest, reports))
    else:
        for path, (text, findings) in reports.items():
            for finding in findings:
                console.out(_line(shown(path), text, finding))
            console.out(f"{visible(shown(path))}: {_total(findings)}")
    return int(any(findings for _, findings in reports.values()) and not exit_zero)


def _text(path: str) -> str:
    data = b""
    for chunk in read_chunks(path):
        data += chunk
        if len(data) > MAX_SURFACE_TEXT:
            raise LangcError(over_limit(f"bytes in {shown(path)}", MAX_SURFACE_TEXT))
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"{shown(path)} is not UTF-8: byte {error.start:,} cannot be read"
        raise LangcError(Diagnostic("LC0004", message)) from None


def _line(name: str, text: str, finding: Finding) -> str:
    """`FILE:LINE:COLUMN: no Column "naem"; did you mean "name"?`."""
    line = text.count("\n", 0, finding.start) + 1
    column = finding.start - (text.rfind("\n", 0, finding.start) + 1) + 1
    return f"{visible(name)}:{line}:{column}: {_what(finding)}"


def _what(finding: Finding) -> str:
    listed = ", ".join(visible(word) for word in finding.expected[:_LISTED])
    if finding.kind == "ghost":
        said = f"“{visible(finding.text)}” does not exist here as a {' or '.join(finding.sorts)}"
        return f"{said}; did you mean “{visible(finding.suggestion)}”?" if finding.suggestion else f"{said}: {listed}"
    if finding.kind == "end":
        return f"the text is not complete; expected {listed}"
    return f"“{visible(finding.text)}” cannot stand here; expected {listed}"


def _total(findings: list[Finding]) -> str:
    ghosts = sum(finding.kind == "ghost" for finding in findings)
    if not findings:
        return "every name exists"
    others = len(findings) - ghosts
    return ", ".join([f"{ghosts:,} ghost{'s' * (ghosts != 1)}", *(["and it is no complete text"] if others else [])])


def _json(name: str, digest: str, reports: dict[str, tuple[str, list[Finding]]]) -> dict[str, object]:
    return {
        "surface": name,
        "surface_sha256": digest,
        "files": [
            {"file": shown(path), "ok": not findings, "findings": [_finding(one) for one in findings]}
            for path, (_, findings) in reports.items()
        ],
        "ok": not any(findings for _, findings in reports.values()),
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "kind": finding.kind,
        "start": finding.start,
        "end": finding.end,
        "text": finding.text,
        "sorts": list(finding.sorts),
        "suggestion": finding.suggestion,
        "expected": list(finding.expected),
    }
