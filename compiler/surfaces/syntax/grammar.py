"""Rules as a context-free grammar: which are used, which end, which begin with themselves.

Guards are taken to hold, actions to succeed and slots to offer something: what is found here does not depend on Γ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from langc.compiler.surfaces.model import Action, Call, Choice, Element, Guard, Repeat, Rule, Sequence, Surface, Within
from langc.compiler.surfaces.syntax.report import Report
from langc.compiler.surfaces.syntax.walk import calls, parts, place, walk


def check_grammar(surface: Surface, own: frozenset[str], report: Report) -> None:
    """Reports rules that never end, begin with themselves, do things for ever, or are not used.

    `own` are the rules that were written in this surface; the others were checked where they stand.
    """
    grammar = Grammar(surface.rules)
    _check_ends(grammar, own, report)
    _check_left_recursion(grammar, own, report)
    _check_idle_loops(grammar, own, report)
    _check_use(surface, grammar, own, report)


@dataclass(frozen=True)
class Grammar:
    """The rules of a surface, and what follows from them."""

    rules: Mapping[str, Rule]

    @cached_property
    def callers(self) -> Mapping[str, list[str]]:
        """The rules that call each rule."""
        found: dict[str, list[str]] = {name: [] for name in self.rules}
        for name, rule in self.rules.items():
            for called in dict.fromkeys(call.rule for call in calls(rule.body)):
                found[called].append(name)
        return found

    @cached_property
    def ending(self) -> frozenset[str]:
        """The rules that some finite row of lexemes is of."""
        return self._least(_ends)

    @cached_property
    def empty(self) -> frozenset[str]:
        """The rules that nothing at all may be of."""
        return self._least(_may_be_empty)

    @cached_property
    def idle(self) -> frozenset[str]:
        """The rules that may do something without reading anything."""
        return self._least(lambda element, known: _may_idle(element, self.empty, known))

    def first(self, rule: str) -> Iterator[Call]:
        """The calls that a rule may begin with."""
        return _first(self.rules[rule].body, self.empty)

    def _least(self, holds: Callable[[Element, frozenset[str] | set[str]], bool]) -> frozenset[str]:
        """The least set of rules such that it has each rule whose body holds, given the set. Worklist algorithm."""
        known: set[str] = set()
        waiting = dict.fromkeys(reversed([*self.rules]))  # later rules are mostly the ones that earlier ones call
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            if name not in known and holds(self.rules[name].body, known):
                known.add(name)
                waiting.update(dict.fromkeys(self.callers[name]))
        return frozenset(known)


def _ends(element: Element, known: frozenset[str] | set[str]) -> bool:
    match element:
        case Call(rule):
            return rule in known
        case Choice(choices):
            return any(_ends(choice, known) for choice in choices)
        case Repeat(part, least):
            return least == 0 or _ends(part, known)
    return all(_ends(part, known) for part in parts(element))


def _may_be_empty(element: Element, known: frozenset[str] | set[str]) -> bool:
    match element:
        case Call(rule):
            return rule in known
        case Choice(choices):
            return any(_may_be_empty(choice, known) for choice in choices)
        case Repeat(part, least):
            return least == 0 or _may_be_empty(part, known)
        case Sequence(row):
            return all(_may_be_empty(part, known) for part in row)
        case Within(_, body):
            return _may_be_empty(body, known)
    return isinstance(element, Action | Guard)


def _may_idle(element: Element, empty: frozenset[str], known: frozenset[str] | set[str]) -> bool:
    """Whether an action may be done, or a scope be opened and closed, with nothing read."""
    match element:
        case Action():
            return True
        case Call(rule):
            return rule in known
        case Within(_, body):
            return _may_be_empty(body, empty)
        case Choice(choices):
            return any(_may_idle(choice, empty, known) for choice in choices)
        case Repeat(part):
            return _may_idle(part, empty, known)
        case Sequence(row):
            return _may_be_empty(element, empty) and any(_may_idle(part, empty, known) for part in row)
    return False


def _first(element: Element, empty: frozenset[str]) -> Iterator[Call]:
    match element:
        case Call():
            yield element
        case Sequence(row):
            for part in row:
                yield from _first(part, empty)
                if not _may_be_empty(part, empty):
                    return
        case _:
            for part in parts(element):
                yield from _first(part, empty)


# --- findings ---------------------------------------------------------------------------------------------------------


def _check_ends(grammar: Grammar, own: frozenset[str], report: Report) -> None:
    """Rules that go on for ever; one of each circle is named."""
    told: set[str] = set()
    for name in grammar.rules:
        if name in grammar.ending or name in told:
            continue
        trail = _endless(grammar, name)
        told |= {name, *trail}
        circle = trail[trail.index(trail[-1]) :]
        place = next((step for step in circle if step in own), name)
        report.error(
            "LC0927",
            f"no text of rule `{place}` ever ends",
            grammar.rules[place].span,
            help="give it a choice that does not lead back to it",
            notes=(f"every choice leads back: {_arrows(_turned(circle[:-1], place))}",),
        )


def _endless(grammar: Grammar, start: str) -> list[str]:
    """A walk along calls of rules that never end, up to the first rule that comes twice."""
    trail = [start]
    while trail.count(trail[-1]) < 2:
        body = grammar.rules[trail[-1]].body
        trail.append(next(call.rule for call in calls(body) if call.rule not in grammar.ending))
    return trail


def _turned(circle: list[str], first: str) -> list[str]:
    """The circle from a member of it back to that."""
    at = circle.index(first)
    return [*circle[at:], *circle[:at], first]


def _arrows(names: Iterable[str]) -> str:
    return " → ".join(f"`{name}`" for name in names)


def _check_left_recursion(grammar: Grammar, own: frozenset[str], report: Report) -> None:
    """Circles of rules that begin with one another; a shortest one through each rule that no earlier one names."""
    edges = {name: list(grammar.first(name)) for name in grammar.rules}
    told: set[str] = set()
    for name in grammar.rules:
        if name not in own or name in told:
            continue
        circle = _circle(edges, name)
        if circle is None:
            continue
        told |= {name, *(call.rule for call in circle)}
        steps = [name, *(call.rule for call in circle)]
        report.error(
            "LC0928",
            f"rule `{name}` begins with itself",
            circle[0].span,
            help='write it as a repetition: `sum := part ("+" part)*;` in the place of `sum := sum "+" part | part;`',
            notes=(f"before anything is read: {_arrows(steps)}",),
        )


def _circle(edges: Mapping[str, list[Call]], start: str) -> list[Call] | None:
    """A shortest way along edges from a rule back to it (breadth first)."""
    came: dict[str, tuple[str, Call]] = {}
    queue = [start]
    for name in queue:
        for call in edges[name]:
            if call.rule == start:
                return _way(came, name, start, call)
            if call.rule not in came:
                came[call.rule] = (name, call)
                queue.append(call.rule)
    return None


def _way(came: Mapping[str, tuple[str, Call]], at: str, start: str, last: Call) -> list[Call]:
    way = [last]
    while at != start:
        at, call = came[at]
        way.append(call)
    return way[::-1]


def _check_idle_loops(grammar: Grammar, own: frozenset[str], report: Report) -> None:
    """Repetitions of something that may be done without reading: they would go on doing it."""
    for name in own:
        for element in walk(grammar.rules[name].body):
            if not isinstance(element, Repeat) or element.most is not None:
                continue
            if _may_be_empty(element.part, grammar.empty) and _may_idle(element.part, grammar.empty, grammar.idle):
                report.error(
                    "LC0945",
                    f"a repetition in rule `{name}` may go on for ever without reading anything",
                    place(element) or grammar.rules[name].span,
                    help="let what is repeated read at least one lexeme, or take the action out of it",
                )


def _check_use(surface: Surface, grammar: Grammar, own: frozenset[str], report: Report) -> None:
    """Rules that no text comes to."""
    if surface.start not in grammar.rules:
        return
    reached, queue = {surface.start}, [surface.start]
    for name in queue:
        for call in calls(grammar.rules[name].body):
            if call.rule not in reached:
                reached.add(call.rule)
                queue.append(call.rule)
    for name, rule in grammar.rules.items():
        if name in own and name not in reached:
            message = f"rule `{name}` is never used: `{surface.start}` does not lead to it"
            report.warning("LC0926", message, rule.span)
