"""A table-driven LALR(1) parser: the scanner and the loop, without a grammar of its own.

The tables are data (`tables/policy.json`, made by `build_tables.py` from `grammars/policy.lark`), so
nothing of lark is imported at run time. The loop is the classical one (Aho, Lam, Sethi and Ullman,
*Compilers*, section 4.5) and does not recurse: deep input costs stack entries, never Python frames.

Invariant: for every text `parse` accepts what lark accepts with the same grammar, and its reductions
build the same tree. A test compares the two on random texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from langc.compiler.source import Span

END = "$END"
UNKNOWN = "$UNKNOWN"
Reducer = Callable[[str, Span, list[Any]], Any]
"""Makes a value from a rule's name, its span, and the values of its parts (a `Token` for a terminal)."""


class Token(NamedTuple):
    """A terminal as it was read. Its kind is `END` at the end of the text, `UNKNOWN` if none begins there."""

    kind: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One production.

    `children` are the parts kept: an index (None for an absent `[part]`), and whether that part is a list
    to be spliced in. The value of a `spliced` rule is its list of children; a `transparent` rule with one
    child has that child's value.
    """

    origin: str
    name: str
    length: int
    spliced: bool
    transparent: bool
    children: Sequence[tuple[int | None, bool]]


@dataclass(frozen=True, slots=True)
class State:
    """A row of the table. An action is a state to shift to, or the complement (`~n`) of the rule to reduce by.

    `symbol` is what was shifted or reduced last, whenever the parser is in this state.
    """

    symbol: str
    mode: int
    actions: Mapping[str, int]
    gotos: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Mode:
    """The terminals in force together: one regular expression, and the keywords it first reads as a name.

    `names` are the terminals that a keyword is first read as; others that look like one are none.
    """

    pattern: re.Pattern[str]
    keywords: Mapping[str, str]
    names: frozenset[str]


@dataclass(frozen=True)
class Tables:
    """A compiled grammar. The parser starts in state 0 and accepts at the end of the text in state `end`."""

    states: tuple[State, ...]
    rules: tuple[Rule, ...]
    modes: tuple[Mode, ...]
    ignored: frozenset[str]
    spelling: Mapping[str, str]
    """The text of each terminal that is one fixed text."""
    end: int


class Unexpected(Exception):
    """The text is no sentence of the grammar from `token` on.

    `states` is the parser's stack before the token and `spans` has the place of each symbol on it (one
    fewer); `previous` is the last token that fitted.
    """

    def __init__(self, tables: Tables, token: Token, states: list[int], spans: list[Span], previous: Token | None):
        super().__init__(token.kind)
        self.tables, self.token, self.previous = tables, token, previous
        self.states, self.spans = tuple(states), tuple(spans)

    def acceptable(self) -> frozenset[str]:
        """The terminals that could have stood there instead."""
        candidates = self.tables.states[self.states[-1]].actions
        return frozenset(t for t in candidates if _shifts(self.tables, self.states, t))

    def symbols(self) -> Iterator[tuple[str, Span]]:
        """The symbols on the stack with their spans, innermost first."""
        for state, span in zip(reversed(self.states), reversed(self.spans), strict=False):
            yield self.tables.states[state].symbol, span


def _shifts(tables: Tables, states: tuple[int, ...], terminal: str) -> bool:
    """Whether the reductions that `terminal` asks for end in shifting it (LALR tables may reduce in vain)."""
    stack = list(states)
    while (action := tables.states[stack[-1]].actions.get(terminal)) is not None:
        if action >= 0:
            return True
        rule = tables.rules[~action]
        if rule.length:
            del stack[-rule.length :]
        stack.append(tables.states[stack[-1]].gotos[rule.origin])
        if terminal == END and stack[-1] == tables.end:
            return True
    return False


def parse(tables: Tables, text: str, reduce: Reducer, observe: Callable[[Token], None]) -> Any:
    """The value of the start rule. `observe` sees every token as it is read, the ignored ones too.

    Raises Unexpected at the first token that does not fit. Linear in the length of the text.
    """
    states = [0]
    values: list[Any] = []
    spans: list[Span] = []
    previous: Token | None = None
    at = 0
    while True:
        token = _scan(tables, text, at, tables.modes[tables.states[states[-1]].mode])
        observe(token)
        at = token.span.end
        if token.kind in tables.ignored:
            continue
        while (action := tables.states[states[-1]].actions.get(token.kind)) is not None and action < 0:
            rule = tables.rules[~action]
            span, parts = _pop(rule.length, token, states, values, spans)
            values.append(_value(rule, span, parts, reduce))
            spans.append(span)
            states.append(tables.states[states[-1]].gotos[rule.origin])
        if token.kind == END and states[-1] == tables.end:
            return values[0]
        if action is None:
            raise Unexpected(tables, token, states, spans, previous)
        states.append(action)
        values.append(token)
        spans.append(token.span)
        previous = token


def _scan(tables: Tables, text: str, at: int, mode: Mode) -> Token:
    match = mode.pattern.match(text, at)
    if match is None:
        return Token(UNKNOWN, Span(at, at + 1), text[at]) if at < len(text) else Token(END, Span(at, at), "")
    kind, found = match.lastgroup or UNKNOWN, match.group()
    if kind in mode.names:
        kind = mode.keywords.get(found, kind)
    return Token(kind, Span(at, match.end()), found)


def _pop(length: int, ahead: Token, states: list[int], values: list[Any], spans: list[Span]) -> tuple[Span, list[Any]]:
    """The last `length` values, taken off the stacks, with their common span (empty before `ahead` if none)."""
    if not length:
        return Span(ahead.span.start, ahead.span.start), []
    span, parts = spans[-length].to(spans[-1]), values[-length:]
    del states[-length:], values[-length:], spans[-length:]
    return span, parts


def _value(rule: Rule, span: Span, parts: list[Any], reduce: Reducer) -> Any:
    children: list[Any] = []
    for index, splice in rule.children:
        if index is None:
            children.append(None)
        elif not splice:
            children.append(parts[index])
        elif children:
            children.extend(parts[index])
        else:
            children = parts[index]  # nobody else holds the list: growing it keeps long lists linear
    if rule.spliced:
        return children
    if rule.transparent and len(children) == 1:
        return children[0]
    return reduce(rule.name, span, children)


@cache
def load(path: Path) -> Tables:
    """The tables in a JSON file written by `build_tables.py`."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Tables(
        states=tuple(State(*row) for row in data["states"]),
        rules=tuple(Rule(*row) for row in data["rules"]),
        modes=tuple(Mode(re.compile(m["pattern"]), m["keywords"], frozenset(m["names"])) for m in data["modes"]),
        ignored=frozenset(data["ignored"]),
        spelling=data["spelling"],
        end=data["end"],
    )
