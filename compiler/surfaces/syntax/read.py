"""The surfaces of a source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.errors import PolicyError
from langc.compiler.source import Source
from langc.compiler.surfaces import model
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.surfaces.syntax.resolve import resolve
from langc.compiler.syntax.blocks import surface_blocks
from langc.compiler.syntax.surfaces.ast import SurfaceDecl
from langc.compiler.syntax.surfaces.parse import parse_surface


class Read(NamedTuple):
    """The surfaces of a source, by name in the order of the text, and warnings about them."""

    surfaces: Mapping[str, model.Surface]
    warnings: tuple[Diagnostic, ...]


def read_surfaces(source: Source) -> dict[str, model.Surface]:
    """The surfaces of a source by name, in the order of the text. Raises PolicyError or LimitError."""
    return dict(check_surfaces(source).surfaces)


def check_surfaces(source: Source) -> Read:
    """The surfaces, with warnings.

    Raises PolicyError, with all errors of the first surface that has some, or LimitError.
    """
    found: dict[str, model.Surface] = {}
    warnings: list[Diagnostic] = []
    for decl in _declarations(source):
        report = Report(source)
        surface = _surface(decl, source, found, report)
        report.raise_errors()
        found[surface.name] = surface
        warnings += report.warnings
    return Read(found, tuple(warnings))


def _declarations(source: Source) -> list[SurfaceDecl]:
    declarations = []
    for block in surface_blocks(source.text):
        decl, errors = parse_surface(source, block)
        if errors:
            raise PolicyError(errors)
        declarations.append(decl)
    return declarations


def _surface(decl: SurfaceDecl, source: Source, known: Mapping[str, model.Surface], report: Report) -> model.Surface:
    name = decl.name.text
    if name in known:
        also = (report.label(known[name].span, "first named here"),)
        report.error("LC0925", f"there are two surfaces `{name}`", decl.name.span, also=also)
    base = None
    if decl.refines is not None:
        base = known.get(decl.refines.text)
        if base is None:
            message = f"no surface before this one is named `{decl.refines.text}`"
            report.unknown("LC0937", message, decl.refines.text, decl.refines.span, known)
    return resolve(decl, source, base, report)
