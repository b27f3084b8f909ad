"""The rule that a violation is laid to, against the definition: there are rules with which it makes the difference.

A rule is to blame for a violation if, with some of the other rules of the policy, the text breaks there, and with
those alone it does not. A region that must be closed counts as a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise, product
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.checking.check import StreamChecker, check
from langc.compiler.checking.report import Violation
from langc.compiler.policy import Policy
from tests.examples import examples
from tests.oracle.bounded import Scope, Stopping
from tests.oracle.phrases import Wanted
from tests.oracle.reader import Opening, Reader, Regioned
from tests.oracle.trying import Trying
from tests.property.rule_worlds import escaped

W = Wanted
NEUTRAL = "é."


class Unit(NamedTuple):
    """One rule: characters or a phrase that a scope denies, a stop phrase, or that a region must be closed (None)."""

    scope: int
    what: str | Wanted | None
    stops: bool = False


@dataclass(frozen=True)
class Case:
    """Regions by their openings, rules, and what texts are made of."""

    openings: tuple[Opening, ...]
    units: tuple[Unit, ...]
    pieces: str
    terms: tuple[Wanted, ...] = ()
    """Permitted outside all regions."""

    @property
    def lines(self) -> list[tuple[str, Unit | None]]:
        """The policy, with the rule that stands in each line."""
        lines: list[tuple[str, Unit | None]] = [("policy p {", None), *self._rules(0)]
        lines += [(f'allow "{escaped(t.text)}";', None) for t in self.terms]
        for number, opening in enumerate(self.openings, 1):
            must = Unit(number, None)
            lines += [
                (f"region r{number} = {_kind(opening)} {{", must),
                *self._rules(number),
                ("any", None),
                ("}", None),
            ]
            choice = "forbid" if must in self.units else "allow"
            lines.append((f"unclosed r{number}: {choice};", must))
        return [(line, unit) for line, unit in (*lines, ("}", None)) if line != "any" or not self._rules(number)]

    def _rules(self, scope: int) -> list[tuple[str, Unit | None]]:
        return [(_line(unit), unit) for unit in self.units if unit.scope == scope and unit.what is not None]

    def judge(self, units: Sequence[Unit]) -> Trying:
        """The referee of the policy with these rules alone."""
        openings = [
            replace(opening, scope=n, unclosed=Unit(n, None) not in units) for n, opening in enumerate(self.openings, 1)
        ]
        scopes = tuple(_scope(units, n, self.terms) for n in range(len(self.openings) + 1))
        judge = Regioned(Reader(openings), scopes).trying(self.pieces + NEUTRAL, 3)
        stops = tuple(unit.what for unit in units if unit.stops and isinstance(unit.what, Wanted))
        return Stopping(judge, stops).trying((*judge.pieces,), 3) if stops else judge


def _scope(units: Sequence[Unit], number: int, terms: tuple[Wanted, ...]) -> Scope:
    found = [unit.what for unit in units if unit.scope == number and not unit.stops]
    denied = "".join(what for what in found if isinstance(what, str))
    banned = tuple(what for what in found if isinstance(what, Wanted))
    return Scope(lambda c: c not in denied, terms if number == 0 else (), banned)


def _kind(opening: Opening) -> str:
    if opening.kind in ("fence", "inline_code"):
        return opening.kind
    kind = f"after [{escaped(opening.after)}] between" if opening.kind == "after" else opening.kind
    return f'{kind} "{escaped(opening.opener)}" "{escaped(opening.closer)}"'


def _line(unit: Unit) -> str:
    if isinstance(unit.what, str):
        return f"deny [{escaped(unit.what)}];"
    assert unit.what is not None
    return f'{"stop on" if unit.stops else "deny"} phrase "{escaped(unit.what.text)}" {unit.what.options}'


@cache
def _policy(case: Case) -> Policy:
    return langc.parse_policy("\n".join(line for line, _ in case.lines))


@cache
def _judges(case: Case) -> list[tuple[frozenset[Unit], Trying]]:
    sizes = range(len(case.units) + 1)
    return [(frozenset(some), case.judge(some)) for size in sizes for some in combinations(case.units, size)]


def unit_of(case: Case, violation: Violation) -> Unit | None:
    """The rule that a violation names, by the line that it stands in."""
    assert violation.rule_at is not None, violation
    return case.lines[int(violation.rule_at.split(":")[1]) - 1][1]


def to_blame(case: Case, text: str, at: int) -> set[Unit]:
    """The rules that make the difference at an offset of a text."""
    breaking = {some: judge.first_violation(text) == at for some, judge in _judges(case)}
    return {u for some, breaks in breaking.items() if breaks for u in some if not breaking[some - {u}]}


BETWEEN, LONG = Opening("between", "<", ">"), Opening("between", "((", "))")
FENCE, CODE = Opening("fence"), Opening("inline_code")
GLOSS = Opening("after", "(", ")", after="a")
CASES: dict[str, Case] = {
    "characters": Case((BETWEEN,), (Unit(0, "x"), Unit(1, "y"), Unit(1, "b")), "xy<>b"),
    "the same characters": Case(
        (BETWEEN, Opening("between", "(", ")")), (Unit(0, "x"), Unit(1, "x"), Unit(2, "xy")), "xy<>()"
    ),
    "phrases": Case((BETWEEN,), (Unit(0, W("ab")), Unit(1, W("ba", right="word")), Unit(1, None)), "ab<> "),
    "a long closer": Case((LONG,), (Unit(1, W("a", right="word")), Unit(0, "b"), Unit(1, None)), "ab()"),
    "must be closed": Case((BETWEEN, LONG), (Unit(1, None), Unit(2, "x"), Unit(2, None)), "x<>()"),
    "code": Case((CODE,), (Unit(0, "x"), Unit(1, "y")), "xy`\n"),
    "stop": Case((BETWEEN,), (Unit(0, W("ab"), True), Unit(0, "x"), Unit(1, None)), "abx<>"),
    "stop at a boundary": Case((), (Unit(0, W("a", right="word"), True), Unit(0, W("ba"))), "ab "),
    "behind a character": Case((GLOSS,), (Unit(0, "xb"), Unit(1, W("by"))), "axby()"),
    "a term": Case((BETWEEN,), (Unit(0, "xy"), Unit(1, "x")), "xy<>", (W("xyx"),)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_first_violation_of_every_short_text(name: str) -> None:
    """What is named makes the difference somewhere; something is always named."""
    case = CASES[name]
    seen = set()
    for text in map("".join, product(case.pieces, repeat=5 if len(case.pieces) < 5 else 4)):
        for violation in check(text, _policy(case)).violations[:1]:
            named = unit_of(case, violation)
            seen.add(named)

            assert named in to_blame(case, text, violation.offset), (text, violation)

    assert seen == set(case.units)


@st.composite
def _texts(draw: st.DrawFn, names: Sequence[str]) -> tuple[Case, str]:
    case = CASES[draw(st.sampled_from(names))]
    return case, draw(st.text(case.pieces + "\n", max_size=12))


@settings(max_examples=examples(300), deadline=None)
@given(_texts(list(CASES)), st.lists(st.integers(0, 12), max_size=6))
def test_a_stream_names_the_same(drawn: tuple[Case, str], cuts: list[int]) -> None:
    """However the text is cut: the same rules, places and figures."""
    case, text = drawn
    checker = StreamChecker(_policy(case))
    ends = sorted(min(cut, len(text)) for cut in cuts)
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        checker.feed_text(text[start:end])
    checker.finish()
    report, whole = checker.report(), check(text, _policy(case))

    assert report == whole
    assert [v.rule_at for v in report.violations] == [v.rule_at for v in whole.violations]
    assert all(v.rule_at for v in whole.violations)


SETTLED = ["characters", "the same characters", "must be closed", "a term"]
"""Cases in which a violation is a character that leaves the regions as they are."""


@settings(max_examples=300, deadline=None)
@given(_texts(SETTLED))
def test_behind_a_violation_the_rules_are_those_of_the_same_place(drawn: tuple[Case, str]) -> None:
    """A later violation is laid to what it would be laid to if the characters before it had been harmless."""
    case, text = drawn
    violations = check(text, _policy(case)).violations
    for before, violation in pairwise(violations):
        harmless = "".join(c if c in "<>()" else "." for c in before.text)
        text = text[: before.start] + harmless + text[before.end :]
        (first, *_) = check(text, _policy(case)).violations

        assert (first.offset, first.rule_at) == (violation.offset, violation.rule_at)
        assert first.text == violation.text or first.is_unclosed
