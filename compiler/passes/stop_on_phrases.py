"""End the text where a stop phrase ends, or before one is complete, wherever that is: inside a region too.

`stop on` ends the text even if a region must be closed; `stop before` only denies its phrases here. That it ends the
text where a model wants to write one is the matcher's business.

The end of the text is a boundary for denied phrases, too: one that waits for its right boundary is complete there.
"""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.ir.language import Language, intersection, phrase_free, stopped
from langc.compiler.ir.nodes import PolicyIR, RuleKind
from langc.compiler.ir.phrases import Phrase
from langc.compiler.passes.open_regions import rules_of, without_denied_phrases


def stop_on_phrases(ir: PolicyIR) -> PolicyIR:
    """The language with texts cut off behind the first stop phrase; unchanged without one."""
    on, before = ([p for r in ir.rules if r.kind is kind for p in r.phrases] for kind in _KINDS)
    language = intersection(ir.language, phrase_free(before)) if before else ir.language
    return replace(ir, language=stopped(language, on, _ended(ir, before) if on else None))


def _ended(ir: PolicyIR, before: list[Phrase]) -> Language | None:
    """What a text that is ended must be in beside: none of its denied phrases is complete. None if none can wait."""
    denied = (p for rules in rules_of(ir) for rule in rules if rule.kind is RuleKind.DENY for p in rule.phrases)
    if not any(p.right_bars for p in (*denied, *before)):
        return None
    return intersection(without_denied_phrases(ir), *([phrase_free(before)] if before else []))


_KINDS = (RuleKind.STOP, RuleKind.STOP_BEFORE)
