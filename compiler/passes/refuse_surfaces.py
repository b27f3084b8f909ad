"""Refuse a policy whose texts are those of a surface.

Its language is none that an automaton has: an artefact, a report or a matcher of the rules alone would permit texts
that are not of the surface, and so would not be the policy.
"""

from __future__ import annotations

from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import UnsupportedError
from langc.compiler.ir.nodes import PolicyIR


def refuse_surfaces(ir: PolicyIR) -> PolicyIR:
    """The IR unchanged. Raises UnsupportedError (LC0943) if a surface is asked for."""
    for scope in ir.scopes:
        surface = next(iter(scope.own_surfaces), None)
        if surface is not None:
            texts = "texts" if scope.surface else f"what stands in region `{scope.surface_regions[0].name}`"
            raise UnsupportedError(
                Diagnostic(
                    "LC0943",
                    f"policy `{scope.name}` is for {texts} of surface `{surface}`, which is no regular language",
                    Label(scope.source, scope.span),
                    help="say where its names are: `--env SOURCE` with target processor or `langc check`, "
                    "`langc.load_surface(POLICY, SOURCE)` in a program",
                )
            )
    return ir
