"""End the text where a stop phrase ends, or before one is complete, wherever that is: inside a region too.

`stop on` ends the text even if a region must be closed; `stop before` only denies its phrases here. That it ends the
text where a model wants to write one is the matcher's business.
"""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.ir.language import intersection, phrase_free, stopped
from langc.compiler.ir.nodes import PolicyIR, RuleKind


def stop_on_phrases(ir: PolicyIR) -> PolicyIR:
    """The language with texts cut off behind the first stop phrase; unchanged without one."""
    on, before = ([p for r in ir.rules if r.kind is kind for p in r.phrases] for kind in _KINDS)
    language = intersection(ir.language, phrase_free(before)) if before else ir.language
    return replace(ir, language=stopped(language, on))


_KINDS = (RuleKind.STOP, RuleKind.STOP_BEFORE)
