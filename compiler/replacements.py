"""Refuse a replacement that the rules around it would refuse.

What `replace … with` puts in must itself be permitted by the rules of its scope, standing alone: by a policy's own
rules, or by those of a region for a `replace` in it. What it makes together with the text around it is seen when a text
is mended, and so is what used policies refuse.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import TypeVar

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.phrase_finder import PhraseFinder
from langc.compiler.diagnostics import Diagnostic, Label
from langc.compiler.errors import PolicyError
from langc.compiler.ir.lower import denote
from langc.compiler.ir.nodes import PolicyIR, Rule, RuleKind, permitted
from langc.compiler.ir.phrases import Phrase
from langc.compiler.unicode.glyphs import visible
from langc.compiler.unicode.intervals import IntervalSet
from langc.compiler.unicode.names import describe

_Owner = TypeVar("_Owner", bound=Hashable)
_PHRASES = (RuleKind.DENY, RuleKind.STOP_BEFORE)


def refuse_replacements(ir: PolicyIR) -> None:
    """Raises PolicyError (LC0335) with each rule whose replacement is refused."""
    scopes = [rules for each in ir.scopes for rules in (each.rules, *(region.rules for region in each.regions))]
    found = [diagnostic for rules in scopes for diagnostic in _refused(rules)]
    if found:
        raise PolicyError(found)


def _refused(rules: Sequence[Rule]) -> Iterator[Diagnostic]:
    scope = _Scope(rules)
    for rule in rules:
        against = scope.rule_against(rule.replacement) if rule.replacement else None
        if against is not None:
            yield _diagnostic(rule, against)


class _Scope:
    """The rules of one scope, with what of them is asked once for every replacement."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self.rule_against = cache(self._rule_against)

    def _rule_against(self, text: str) -> Rule | None:
        """The rule that takes a character of the text away, or whose phrase is in it."""
        outside = [ord(character) for character in text if ord(character) not in self._bare]
        if outside and not self._covering.accepts(map(ord, text)):
            return next(rule for rule in self._rules if any(map(rule.refuses, outside)))
        if _owner(self._any_phrase, text) is None:
            return None
        return _owner(self._finder, text)

    @cached_property
    def _bare(self) -> IntervalSet:
        """What is permitted wherever it stands."""
        return permitted(self._rules)

    @cached_property
    def _covering(self) -> Dfa:
        """What permitted terms give back of what is taken away."""
        return build_dfa(denote([r if r.kind is RuleKind.ALLOW else replace(r, phrases=()) for r in self._rules]))

    @cached_property
    def _phrases(self) -> list[tuple[Rule, Phrase]]:
        return [(rule, p) for rule in self._rules if rule.kind in _PHRASES for p in rule.phrases]

    @cached_property
    def _any_phrase(self) -> PhraseFinder[str]:
        """All phrases together, which takes no longer for more of them. Whose they are is not asked as a rule."""
        return PhraseFinder(("any", phrase) for _, phrase in self._phrases)

    @cached_property
    def _finder(self) -> PhraseFinder[Rule]:
        return PhraseFinder(self._phrases)


def _owner(finder: PhraseFinder[_Owner], text: str) -> _Owner | None:
    """Whose phrase is in the text, or ends with it, where the end is a boundary."""
    if (inside := finder.first_in(text)) is not None:
        return inside
    found = finder.ending(text, "")
    return None if found is None else found.owner


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
