"""Refuse a replacement that the rules around it would refuse.

What `replace … with` puts in must itself be permitted by the rules of its scope, standing alone: by a policy's own
rules, or by those of a region for a `replace` in it. What it makes together with the text around it is seen when a text
is mended, and so is what used policies refuse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.phrase_finder import PhraseFinder
from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.ir.lower import denote
from langc.compiler.ir.nodes import PolicyIR, Rule, RuleKind, permitted
from langc.compiler.unicode.glyphs import visible
from langc.compiler.unicode.names import describe

_PHRASES = (RuleKind.DENY, RuleKind.STOP_BEFORE)


def refuse_replacements(ir: PolicyIR) -> None:
    """Raises PolicyError (LC0335) with each rule whose replacement is refused."""
    scopes = [rules for each in ir.scopes for rules in (each.rules, *(region.rules for region in each.regions))]
    found = [diagnostic for rules in scopes for diagnostic in _refused(rules)]
    if found:
        raise PolicyError(found)


def _refused(rules: Sequence[Rule]) -> Iterator[Diagnostic]:
    for rule in rules:
        against = _rule_against(rule.replacement, rules) if rule.replacement else None
        if against is not None:
            yield _diagnostic(rule, against)


def _rule_against(text: str, rules: Sequence[Rule]) -> Rule | None:
    """The rule that takes a character of the text away, or whose phrase is in it."""
    bare = permitted(rules)
    outside = [ord(character) for character in text if ord(character) not in bare]
    if outside and not _covered(text, rules):
        return next(rule for rule in rules if any(map(rule.refuses, outside)))
    finder = PhraseFinder((rule, p) for rule in rules if rule.kind in _PHRASES for p in rule.phrases)
    return finder.first_in(text) or _owner(finder, text)


def _owner(finder: PhraseFinder[Rule], text: str) -> Rule | None:
    """Whose phrase ends with the text, where the end is a boundary."""
    found = finder.ending(text, "")
    return None if found is None else found.owner


def _covered(text: str, rules: Sequence[Rule]) -> bool:
    """Whether permitted terms give back what is taken away."""
    without_phrases = [r if r.kind is RuleKind.ALLOW else replace(r, phrases=()) for r in rules]
    return build_dfa(denote(without_phrases)).accepts(map(ord, text))


def _diagnostic(rule: Rule, against: Rule) -> Diagnostic:
    assert rule.replacement is not None
    taken = next((describe(ord(c)) for c in rule.replacement if against.refuses(ord(c))), None)
    what = f"{taken} is not permitted" if taken else "a phrase in it is denied"
    other = () if against is rule else (Label(against.source, against.span, "refused here"),)
    return Diagnostic(
        "LC0335",
        f"the replacement “{visible(rule.replacement)}” is refused itself: {what}",
        Label(rule.source, rule.span),
        other,
        help='take one that the policy permits, or `with ""` to leave out what is denied',
    )
