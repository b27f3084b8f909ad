"""The surfaces of a source."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from langc.compiler import ready
from langc.compiler.diagnostics import Diagnostic
from langc.compiler.source import Source
from langc.compiler.surfaces import model
from langc.compiler.surfaces.syntax.check import check_surface
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.surfaces.syntax.resolve import resolve
from langc.compiler.syntax.parse import parse_form
from langc.compiler.syntax.read import read_source
from langc.compiler.syntax.surfaces.ast import SurfaceDecl, Word


class Read(NamedTuple):
    """The surfaces of a source, by name in the order of the text, and warnings about them."""

    surfaces: Mapping[str, model.Surface]
    warnings: tuple[Diagnostic, ...]


def read_surfaces(source: Source) -> dict[str, model.Surface]:
    """The surfaces of a source by name, in the order of the text. Raises PolicyError or LimitError."""
    return dict(check_surfaces(source).surfaces)


def check_surfaces(source: Source) -> Read:
    """The surfaces, with warnings.

    Raises PolicyError, with all syntax errors of the file, or all errors of the first surface that has some, or
    LimitError.
    """
    return _check(source, ready.surfaces())


def _check(source: Source, others: Collection[str]) -> Read:
    found: dict[str, model.Surface] = {}
    warnings: list[Diagnostic] = []
    for decl in parse_form(source).file.surfaces:
        report = Report(source)
        found[decl.name.text] = _surface(decl, found, others, report)
        report.raise_errors()
        warnings += report.warnings
    return Read(found, tuple(warnings))


def _surface(
    decl: SurfaceDecl, known: Mapping[str, model.Surface], others: Collection[str], report: Report
) -> model.Surface:
    name = decl.name.text
    if name in known:
        also = (report.label(known[name].span, "first named here"),)
        report.error("LC0925", f"there are two surfaces `{name}`", decl.name.span, also=also, remark="named again here")
    base = _base(decl.refines, known, others, report) if decl.refines else None
    surface = resolve(decl, base, report)
    if not report.errors:
        check_surface(decl, surface, base, report)
    return surface


def _base(
    named: Word, known: Mapping[str, model.Surface], others: Collection[str], report: Report
) -> model.Surface | None:
    """The surface that is refined: one that stands further up, or a ready one. Those refine none of other files."""
    if named.text in known:
        return known[named.text]
    if named.text in others:
        return _check(read_source(ready.path(named.text)), ()).surfaces[named.text]
    message = f"no surface before this one is named `{named.text}`"
    report.unknown("LC0937", message, named.text, named.span, {*known, *others})
    return None
