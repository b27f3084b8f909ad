"""Rules as recursive transition networks (Woods 1970): what can come next at a place in a rule.

Invariant: states are numbers; every rule has one start and one end. An edge reads a lexeme (`Read`) or reads nothing
(`Enter` a rule, `Do` an action, `Test` a guard, `Push` and `Pop` a scope, `Leave` a rule at its end). There are no
edges that do nothing: they are followed away when a network is built. No rule can enter itself before it has read
something, so following the edges that read nothing always ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as Row
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias, assert_never

from langc.compiler.surfaces.model import (
    Action,
    Call,
    Choice,
    Element,
    Fresh,
    Guard,
    Literal,
    Open,
    Reference,
    Repeat,
    Sequence,
    Surface,
    TokenUse,
    Within,
)

Terminal: TypeAlias = Literal | TokenUse | Reference | Fresh | Open
Parameters: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, in order of name."""


@dataclass(frozen=True, eq=False, slots=True)
class Read:
    """Reads one lexeme."""

    terminal: Terminal
    target: int


@dataclass(frozen=True, eq=False, slots=True)
class Enter:
    """Goes into a rule; its end comes back to `target`."""

    rule: str
    start: int
    parameters: tuple[tuple[str, str], ...]
    target: int


@dataclass(frozen=True, eq=False, slots=True)
class Do:
    """Tells the world something."""

    action: Action
    target: int


@dataclass(frozen=True, eq=False, slots=True)
class Test:
    """Goes on where a guard holds."""

    guard: Guard
    target: int


@dataclass(frozen=True, eq=False, slots=True)
class Push:
    """Opens a scope."""

    scope: Within
    target: int


@dataclass(frozen=True, eq=False, slots=True)
class Pop:
    """Closes a scope."""

    scope: Within
    target: int


@dataclass(frozen=True, eq=False, slots=True)
class Leave:
    """The end of a rule."""


Edge: TypeAlias = Read | Enter | Do | Test | Push | Pop | Leave
LEAVE = Leave()


@dataclass(frozen=True, eq=False)
class Network:
    """All rules of a surface. `edges[state]` are in the order in which the choices were written."""

    edges: tuple[tuple[Edge, ...], ...]
    starts: Mapping[str, int]
    rule_of: tuple[str, ...]

    @cached_property
    def free(self) -> frozenset[int]:
        """The states from which a rule's end is reached by literals, tokens and rules like that alone.

        Where a text has come to such a state, nothing in this rule can hinder it from going on.
        """
        return _least(self, _is_free)

    @cached_property
    def unhindered(self) -> frozenset[int]:
        """The states from which a rule's end is reached without a name of Γ, if the world keeps its promises.

        And without what a guard asks of a name: it may be the wrong one.
        A rule that is returned to at another state may wait for a name where there is none.
        """
        return _least(self, _is_unhindered)

    @cached_property
    def live_locals(self) -> tuple[frozenset[str], ...]:
        """For each state the locals that something behind it in its rule asks for."""
        return _flow(self, {state: _asked(edges) for state, edges in enumerate(self.edges)})

    @cached_property
    def live_parameters(self) -> Mapping[str, frozenset[str]]:
        """For each rule the parameters that it, or a rule that it enters, asks for."""
        asked = {rule: set[str]() for rule in self.starts}
        for state, edges in enumerate(self.edges):
            asked[self.rule_of[state]] |= _parameters(edges)
        changed = True
        while changed:
            changed = False
            for state, edges in enumerate(self.edges):
                own = asked[self.rule_of[state]]
                for edge in edges:
                    if isinstance(edge, Enter):
                        more = asked[edge.rule] - {name for name, _ in edge.parameters} - own
                        own |= more
                        changed = changed or bool(more)
        return {rule: frozenset(names) for rule, names in asked.items()}

    def given(self, edge: Enter, parameters: Parameters) -> Parameters:
        """The parameters of a rule that is entered from where there are these."""
        asked = self.live_parameters[edge.rule]
        given = {**dict(parameters), **dict(edge.parameters)}
        return tuple(sorted(pair for pair in given.items() if pair[0] in asked))

    @cached_property
    def ends(self) -> frozenset[int]:
        """The states at which nothing but the end of their rule is left, so that no return to them is needed."""
        return frozenset(state for state, edges in enumerate(self.edges) if edges == (LEAVE,))


def build_network(surface: Surface, is_unfilled: Callable[[Reference], bool] = lambda _: False) -> Network:
    """The networks of all rules (Thompson's construction, with the empty edges followed away).

    Without the slots of which `is_unfilled` says that nothing ever fills them.
    """
    build = _Build(surface, is_unfilled)
    for rule in surface.rules.values():
        build.rule(rule.name, rule.body)
    return build.finished()


@dataclass
class _Build:
    surface: Surface
    is_unfilled: Callable[[Reference], bool]
    rules: list[str] = field(default_factory=list)
    empty: list[list[int]] = field(default_factory=list)
    """Edges that do nothing and the others share one order: a number is an index into `edges` (~n: to state n)."""
    edges: list[Edge] = field(default_factory=list)
    starts: dict[str, int] = field(default_factory=dict)
    current: str = ""

    def rule(self, name: str, body: Element) -> None:
        self.current = name
        start = self._begin(name)
        end = self.element(body, start)
        self._edge(end, LEAVE)

    def _begin(self, rule: str) -> int:
        """A rule's first state; made when it is first heard of."""
        if rule not in self.starts:
            before, self.current = self.current, rule
            self.starts[rule] = self._state()
            self.current = before
        return self.starts[rule]

    def _state(self) -> int:
        self.rules.append(self.current)
        self.empty.append([])
        return len(self.rules) - 1

    def _edge(self, source: int, edge: Edge) -> None:
        self.empty[source].append(len(self.edges))
        self.edges.append(edge)

    def _skip(self, source: int, target: int) -> None:
        self.empty[source].append(~target)

    def element(self, element: Element, source: int) -> int:
        """Adds an element behind `source`; the state behind it."""
        match element:
            case Sequence(parts):
                for part in parts:
                    source = self.element(part, source)
                return source
            case Choice(choices):
                return self._choice(choices, source)
            case Repeat():
                return self._repeat(element, source)
            case Within():
                return self._within(element, source)
            case _:
                target = self._state()
                self._edge(source, self._simple(element, target))
                return target

    def _simple(self, element: Element, target: int) -> Edge:
        match element:
            case Literal() | TokenUse() | Reference() | Fresh() | Open():
                return Read(element, target)
            case Call():
                return Enter(element.rule, self._begin(element.rule), element.parameters, target)
            case Action():
                return Do(element, target)
            case Guard():
                return Test(element, target)
            case Sequence() | Choice() | Repeat() | Within():
                raise AssertionError(element)
            case _:
                assert_never(element)

    def _choice(self, choices: Iterable[Element], source: int) -> int:
        end = self._state()
        for choice in choices:
            self._skip(self.element(choice, self._behind(source)), end)
        return end

    def _behind(self, source: int) -> int:
        state = self._state()
        self._skip(source, state)
        return state

    def _repeat(self, repeat: Repeat, source: int) -> int:
        for _ in range(repeat.least):
            source = self.element(repeat.part, source)
        if repeat.most is None:
            loop = self._behind(source)
            self._skip(self.element(repeat.part, loop), loop)
            return self._behind(loop)
        end = self._state()
        for _ in range(repeat.most - repeat.least):
            self._skip(source, end)
            source = self.element(repeat.part, self._behind(source))
        self._skip(source, end)
        return end

    def _within(self, within: Within, source: int) -> int:
        inside, outside = self._state(), self._state()
        self._edge(source, Push(within, inside))
        self._edge(self.element(within.body, inside), Pop(within, outside))
        return outside

    def finished(self) -> Network:
        edges = _productive([tuple(self._reached(state)) for state in range(len(self.rules))])
        like = _alike(edges, self.rules)
        starts = {rule: like[state] for rule, state in self.starts.items()}
        return Network(tuple(tuple(_led(edge, like) for edge in row) for row in edges), starts, tuple(self.rules))

    def _reached(self, state: int) -> Iterator[Edge]:
        seen, waiting = {state}, [iter(self.empty[state])]
        while waiting:
            for number in waiting[-1]:
                if number >= 0:
                    if not self._never(self.edges[number]):
                        yield self.edges[number]
                elif ~number not in seen:
                    seen.add(~number)
                    waiting.append(iter(self.empty[~number]))
                    break
            else:
                waiting.pop()

    def _never(self, edge: Edge) -> bool:
        return isinstance(edge, Read) and isinstance(edge.terminal, Reference) and self.is_unfilled(edge.terminal)


def _productive(edges: list[tuple[Edge, ...]]) -> list[tuple[Edge, ...]]:
    """Without the edges behind which no rule ends, whatever the world says."""
    network = Network(tuple(edges), {}, ())
    ending = _least(network, _can_end)
    return [tuple(edge for edge in row if _can_end(network, (edge,), ending)) for row in edges]


def _can_end(network: Network, edges: tuple[Edge, ...], known: frozenset[int]) -> bool:
    return any(
        isinstance(edge, Leave) or (edge.target in known and (not isinstance(edge, Enter) or edge.start in known))
        for edge in edges
    )


def _alike(edges: Row[tuple[Edge, ...]], rules: Row[str]) -> list[int]:
    """For each state the first one of its rule from which the same can come (Moore 1956).

    So that a text behind `+` and one behind `-` are at one place: what is found out of one is known of the other.
    """
    block: list[int] = [0] * len(edges)
    while True:
        numbers: dict[object, int] = {}
        refined = []
        for state, row in enumerate(edges):
            key = (block[state], rules[state], tuple(_key(edge, block) for edge in row))
            refined.append(numbers.setdefault(key, len(numbers)))
        if refined == block:
            first: dict[int, int] = {}
            return [first.setdefault(number, state) for state, number in enumerate(block)]
        block = refined


def _key(edge: Edge, block: Row[int]) -> object:
    match edge:
        case Leave():
            return None
        case Read(terminal, target):
            return terminal, block[target]
        case Enter(rule, _, parameters, target):
            return rule, parameters, block[target]
        case Do(action, target):
            return action, block[target]
        case Test(guard, target):
            return guard, block[target]
        case Push(scope, target):
            return Push, scope, block[target]
        case Pop(scope, target):
            return Pop, scope, block[target]


def _led(edge: Edge, to: Row[int]) -> Edge:
    """The edge with its targets renamed."""
    match edge:
        case Leave():
            return edge
        case Enter(rule, start, parameters, target):
            return Enter(rule, to[start], parameters, to[target])
    return edge if edge.target == to[edge.target] else replace(edge, target=to[edge.target])


def _is_free(network: Network, edges: tuple[Edge, ...], known: frozenset[int]) -> bool:
    for edge in edges:
        match edge:
            case Leave():
                return True
            case Read(Literal() | TokenUse(), target) if target in known:
                return True
            case Enter(_, start, _, target) if start in known and target in known:
                return True
    return False


def _is_unhindered(network: Network, edges: tuple[Edge, ...], known: frozenset[int]) -> bool:
    for edge in edges:
        match edge:
            case Leave():
                return True
            case Read(Reference(), _) | Test(Guard("has"), _):
                continue
            case Enter(_, start, _, target):
                if start in known and target in known:
                    return True
            case Read() | Do() | Test() | Push() | Pop():
                if edge.target in known:
                    return True
    return False


def _least(network: Network, holds: object) -> frozenset[int]:
    assert callable(holds)
    known: frozenset[int] = frozenset()
    while True:
        more = frozenset(s for s, edges in enumerate(network.edges) if s in known or holds(network, edges, known))
        if more == known:
            return known
        known = more


def _flow(network: Network, asked: Mapping[int, frozenset[str]]) -> tuple[frozenset[str], ...]:
    """What is asked for at each state or behind it in its rule."""
    live = [asked[state] for state in range(len(network.edges))]
    changed = True
    while changed:
        changed = False
        for state in reversed(range(len(live))):
            targets = (edge.target for edge in network.edges[state] if not isinstance(edge, Leave))
            more = live[state].union(*(live[target] for target in targets))
            changed = changed or more != live[state]
            live[state] = more
    return tuple(live)


def _asked(edges: Iterable[Edge]) -> frozenset[str]:
    """The words that edges could read as locals. Too many are no harm: only locals of these names are kept."""
    return frozenset(word for edge in edges for word in _words(edge))


def _words(edge: Edge) -> Iterator[str]:
    match edge:
        case Read(Reference() as slot, _):
            yield from (slot.of or "",)
        case Read(Fresh() as slot, _):
            yield from (slot.as_ or "",)
        case Do(Action(_, arguments), _) | Test(Guard(_, arguments), _):
            yield from _parts(arguments)
        case Push(Within() as within, _) | Pop(Within() as within, _):
            yield from _parts(within.options)


def _parts(arguments: Iterable[tuple[str, str]]) -> Iterator[str]:
    for keyword, value in arguments:
        yield keyword
        yield from (part.strip() for part in value.split("??"))


IMPLICIT = {"bind": frozenset({"merge"}), "feeds": frozenset({"merge"})}
"""Parameters that an action, or a scope with some option, reads without naming them."""


def _parameters(edges: Iterable[Edge]) -> set[str]:
    """The words that edges could read as parameters."""
    found: set[str] = set()
    for edge in edges:
        match edge:
            case Test(guard, _):
                found |= {guard.name, *_parts(guard.arguments)}
            case Do(action, _):
                found |= {*_parts(action.arguments), *_implicit((action.name,))}
            case Push(within, _) | Pop(within, _):
                found |= {*_parts(within.options), *_implicit(dict(within.options))}
    return found


def _implicit(words: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*(IMPLICIT.get(word, ()) for word in words))
