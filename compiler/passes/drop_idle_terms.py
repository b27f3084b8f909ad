"""Drop permitted terms that permit nothing new: every character of theirs is permitted anyway."""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.ir.language import Cover, cover
from langc.compiler.ir.nodes import PolicyIR


def drop_idle_terms(ir: PolicyIR) -> PolicyIR:
    """The same language with fewer terms, so that targets stay small."""
    scope = ir.language
    if not isinstance(scope, Cover):
        return ir
    kept = tuple(t for t in scope.terms if any(ord(c) not in scope.base for c in t))
    return replace(ir, language=cover(scope.base, kept))
