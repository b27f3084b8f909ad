"""Checks parameters: what a guard asks for is given by some call, and what a call gives is asked for.

A parameter goes on from rule to rule until it is given anew, so it may be given anywhere in the surface.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from langc.compiler.source import Span
from langc.compiler.surfaces.model import Action, Call, Element, Guard, Surface, Within
from langc.compiler.surfaces.signatures import GUARDS
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.surfaces.syntax.walk import place, walk

IMPLICIT = {"bind": "merge"}
"""Parameters that actions read without naming them."""
MERGE_WORDS = ("may", "no")


def check_parameters(surface: Surface, own: frozenset[str], report: Report) -> None:
    """Reports parameters in the rules `own` that lead nowhere."""
    given: dict[str, set[str]] = defaultdict(set)
    asked: set[str] = set()
    for rule in surface.rules.values():
        for element in walk(rule.body):
            if isinstance(element, Call):
                for name, value in element.parameters:
                    given[name].add(value)
            asked.update(_asked(element))
    for name in own:
        for element in walk(surface.rules[name].body):
            if isinstance(element, Call):
                _check_call(element, asked, report)
            elif isinstance(element, Guard) and element.name not in GUARDS:
                _check_guard(element, given, report)
            elif isinstance(element, Within):
                _check_scope(element, surface, given, report)
                _check_merging(element, surface, report)


def _asked(element: Element) -> Iterator[str]:
    match element:
        case Guard(name) if name not in GUARDS:
            yield name
        case Action(name) if name in IMPLICIT:
            yield IMPLICIT[name]
        case Within(options=options):
            yield from (value for _, value in options)


def _check_call(call: Call, asked: set[str], report: Report) -> None:
    for name, _ in call.parameters:
        if name not in asked:
            message = f"no rule asks for a parameter `{name}`"
            otherwise = f"a rule asks for it with `[{name}]` or `[{name} = value]`"
            report.unknown("LC0924", message, name, report.word(name, call.span), asked, otherwise)


def _check_guard(guard: Guard, given: dict[str, set[str]], report: Report) -> None:
    if guard.name not in given:
        message = f"`{guard.name}` is neither a guard nor a parameter that a call gives"
        report.unknown("LC0924", message, guard.name, report.word(guard.name, guard.span), {*GUARDS, *given})
        return
    for _, value in guard.arguments:
        if value not in given[guard.name]:
            message = f"no call gives `{guard.name}` the value `{value}`"
            report.unknown("LC0924", message, value, report.word(value, guard.span), given[guard.name])


def _check_scope(within: Within, surface: Surface, given: dict[str, set[str]], report: Report) -> None:
    for keyword, value in within.options:
        if keyword == "feeds" and value not in surface.scopes and value not in given:
            known = {*surface.scopes, *given}
            place = report.word(value, Span(within.span.start, _inside(within)))
            report.unknown("LC0922", f"no scope and no parameter is named `{value}`", value, place, known)


def _check_merging(within: Within, surface: Surface, report: Report) -> None:
    """A scope counts on merging only where something is merged."""
    value = dict(within.options).get("merge", "no")
    if value not in MERGE_WORDS:
        place = report.word(value, Span(within.span.start, _inside(within)))
        report.error("LC0924", f"`merge` is not `{value}`", place, "it is `may` or `no`")
    elif value == "may" and not {None, within.scope} & _merging_scopes(surface):
        place = report.word("merge", Span(within.span.start, _inside(within)))
        help_ = f"`=> merge(x, in = {within.scope})` makes one of what is bound there and of what is bound later"
        report.error("LC0924", f"nothing is ever merged in `{within.scope}`", place, help_)


def _merging_scopes(surface: Surface) -> set[str | None]:
    """The scopes in which something is merged; None stands for the innermost one, whichever that is."""
    elements = (element for rule in surface.rules.values() for element in walk(rule.body))
    return {dict(e.arguments).get("in") for e in elements if isinstance(e, Action) and e.name == "merge"}


def _inside(within: Within) -> int:
    """Where the body of a scope begins, as far as that is known."""
    body = place(within.body)
    return body.start if body else within.span.end
