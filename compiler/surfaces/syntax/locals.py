"""Checks the locals of a rule: each that is asked for is kept before, on every path that leads there.

A forward data-flow analysis over the tree of the rule (Kildall 1973): `must` are the locals that every path up to
a place has kept, `may` those that some path has. In `a ?? b`, `a` may be missing where `b` is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from langc.compiler.source import Span
from langc.compiler.surfaces.model import (
    Action,
    Choice,
    Element,
    Fresh,
    Guard,
    Open,
    Reference,
    Repeat,
    Rule,
    Sequence,
    Surface,
    TokenUse,
    Within,
)
from langc.compiler.surfaces.signatures import ACTIONS, GUARDS, SCOPE_OPTIONS, WANT_WORDS, Signature
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.surfaces.syntax.walk import calls, walk

Names = frozenset[str]


def check_locals(surface: Surface, own: frozenset[str], report: Report) -> None:
    """Reports locals of the rules `own` that are unknown, or not kept yet where they are asked for."""
    parameters = frozenset(
        name for rule in surface.rules.values() for call in calls(rule.body) for name, _ in call.parameters
    )
    for name in surface.rules:
        if name in own:
            rule = surface.rules[name]
            kept = {local: None for element in walk(rule.body) if (local := _kept(element))}
            _Flow(rule, frozenset(kept), parameters, report).element(rule.body, frozenset(), frozenset())


@dataclass(frozen=True)
class _Flow:
    rule: Rule
    known: Names
    """The locals of the rule."""
    parameters: Names
    report: Report

    def element(self, element: Element, must: Names, may: Names) -> tuple[Names, Names]:
        """What is kept behind an element, given what is before it."""
        match element:
            case Sequence(parts):
                for part in parts:
                    must, may = self.element(part, must, may)
                return must, may
            case Choice(choices):
                ends = [self.element(choice, must, may) for choice in choices]
                return frozenset.intersection(*(m for m, _ in ends)), frozenset().union(*(m for _, m in ends))
            case Repeat():
                return self._repeat(element, must, may)
            case Within(_, body):
                self._check(_asked_by_scope(element, self.known, self.parameters), element.span, must, may)
                return self.element(body, must, may)
            case Action(name):
                self._check(_asked(element.arguments, ACTIONS[name]), element.span, must, may)
            case Guard(name) if name in GUARDS:
                self._check(_asked(element.arguments, GUARDS[name]), element.span, must, may)
            case Reference(of=str(owner)):
                self._check([(owner, True)], element.span, must, may)
            case Fresh(as_=str(other)):
                self._check([(other, True)], element.span, must, may)
        kept = _kept(element)
        return (must | {kept}, may | {kept}) if kept else (must, may)

    def _repeat(self, repeat: Repeat, must: Names, may: Names) -> tuple[Names, Names]:
        again = may if repeat.most == 1 else may | {k for e in walk(repeat.part) if (k := _kept(e))}
        inner_must, inner_may = self.element(repeat.part, must, again)
        return (inner_must if repeat.least else must), may | inner_may

    def _check(self, asked: Iterable[tuple[str, bool]], span: Span, must: Names, may: Names) -> None:
        for name, needed in asked:
            if name not in self.known:
                message = f"nothing in rule `{self.rule.name}` is kept as `{name}`"
                otherwise = f"keep it: `{name}=…`"
                self.report.unknown("LC0923", message, name, self.report.word(name, span), self.known, otherwise)
            elif name not in may:
                message = f"`{name}` is asked for before it is kept"
                self.report.error("LC0932", message, self.report.word(name, span), f"`{name}=…` has to come first")
            elif needed and name not in must:
                message = f"`{name}` may not have been kept here"
                help_ = (
                    "some way through the rule leads past it; in an action, `a ?? b` takes `b` where there is no `a`"
                )
                self.report.error("LC0932", message, self.report.word(name, span), help_)


def _kept(element: Element) -> str | None:
    return element.local if isinstance(element, TokenUse | Reference | Fresh | Open) else None


def _asked(arguments: tuple[tuple[str, str], ...], signature: Signature) -> Iterator[tuple[str, bool]]:
    """The locals that an action or a guard asks for, each with whether it must be there."""
    holds: Mapping[str, str] = {**dict(signature.positional), **(signature.keywords or {})}
    for keyword, value in arguments:
        if holds[keyword].startswith("local"):
            *first, last = value.split(" ?? ")
            for word, needed in [*((w, False) for w in first), (last, not holds[keyword].endswith("?"))]:
                if word not in signature.words:
                    yield word, needed


def _asked_by_scope(within: Within, known: Names, parameters: Names) -> Iterator[tuple[str, bool]]:
    """As for actions. A number of results may also be a number, one of several words, or a parameter."""
    other = WANT_WORDS | (parameters - known)
    for keyword, value in within.options:
        is_number = keyword == "want" and (value.isdigit() or value in other)
        if (keyword == "want" and not is_number) or SCOPE_OPTIONS[keyword].startswith("local"):
            yield value, True
