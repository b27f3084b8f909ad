"""All checks of one surface, in the order in which their findings make sense."""

from __future__ import annotations

from langc.compiler.errors import LimitError
from langc.compiler.limits import MAX_SURFACE_ELEMENTS, MAX_SURFACE_RULES, MAX_SURFACE_TOKENS, over_limit
from langc.compiler.surfaces import model
from langc.compiler.surfaces.syntax.grammar import check_grammar
from langc.compiler.surfaces.syntax.lexical import check_lexemes
from langc.compiler.surfaces.syntax.locals import check_locals
from langc.compiler.surfaces.syntax.parameters import check_parameters
from langc.compiler.surfaces.syntax.refinement import check_refinement
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.surfaces.syntax.supply import check_providers, check_supply
from langc.compiler.surfaces.syntax.walk import walk
from langc.compiler.syntax.surfaces import ast


def check_surface(decl: ast.SurfaceDecl, surface: model.Surface, base: model.Surface | None, report: Report) -> None:
    """Reports what is wrong with a surface whose names are all known. Raises LimitError if it is too large to check."""
    own = frozenset(item.name.text for item in decl.items if isinstance(item, ast.RuleDecl))
    _refuse_size(surface, report)
    check_lexemes(decl, report)
    if report.errors:
        return
    check_grammar(surface, own, report)
    check_locals(surface, own, report)
    check_parameters(surface, own, report)
    check_supply(surface, own, report)
    if base is not None:
        check_refinement(decl, surface, base, report)
    check_providers(surface, frozenset(i.name.text for i in decl.items if isinstance(i, ast.EnvDecl)), report)


def _refuse_size(surface: model.Surface, report: Report) -> None:
    elements = sum(1 for rule in surface.rules.values() for _ in walk(rule.body))
    for what, count, limit in (
        ("rules in a surface", len(surface.rules), MAX_SURFACE_RULES),
        ("tokens in a surface", len(surface.tokens), MAX_SURFACE_TOKENS),
        ("elements in the rules of a surface", elements, MAX_SURFACE_ELEMENTS),
    ):
        if count > limit:
            raise LimitError(over_limit(what, limit, report.label(surface.span)))
