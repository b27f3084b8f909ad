"""End the text where a stop phrase ends, wherever that is: inside a region too, and even if it must be closed."""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.ir.language import stopped
from langc.compiler.ir.nodes import PolicyIR, RuleKind


def stop_on_phrases(ir: PolicyIR) -> PolicyIR:
    """The language with texts cut off behind the first stop phrase; unchanged without one."""
    phrases = [p for rule in ir.rules if rule.kind is RuleKind.STOP for p in rule.phrases]
    return replace(ir, language=stopped(ir.language, phrases))
