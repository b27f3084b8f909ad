"""`use NAME with { items }` means the used policy with the items written into it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langc
from langc.compiler.policy import Policy

pytestmark = pytest.mark.slow


class Line(NamedTuple):
    """One item; `key` is what it shares with the item that it replaces."""

    text: str
    key: str = ""
    needs: str = ""
    """The letters of the sets that a `let` is made of."""


OWN = [
    *(Line("let a = [ab];", "let a"), Line("let b = a | [c];", "let b", "a")),
    *(Line("deny a;"), Line("deny b;"), Line("only [a-d<>];"), Line("allow [c];"), Line('allow "ba";')),
    *(
        Line('region r = between "<" ">" { deny [b] }', "region r"),
        Line('region s = start between "d" "a" { any }', "region s"),
    ),
    *(Line("unclosed r: allow;", "unclosed r"), Line('stop on phrase "cc";'), Line("discourage [d] by 2;")),
]
"""What the used policy may have, each once and in this order."""

CHANGES = [
    *(Line("let n = [bd];", "let n"), Line("let a = [b];", "let a"), Line("let a = n;", "let a", "n")),
    Line("let m = n | a;", "let m", "na"),
    *(Line("let b = [d];", "let b"), Line("let b = a | n;", "let b", "an"), Line("let b = m -- [b];", "let b", "m")),
    Line('region r = between "<" ">" { any }', "region r"),
    Line('region r = between "[" "]" { deny a; }', "region r"),
    *(Line('region t = after n between "(" ")" { only [d] }', "region t"), Line("unclosed r: forbid;", "unclosed r")),
    *(Line("unclosed t: allow;", "unclosed t"), Line("deny m;"), Line("allow a;"), Line("only b | [b<>];")),
    *(Line('allow "dd";'), Line('deny phrase "db";'), Line('stop before phrase "ad";'), Line("discourage b by 3;")),
]
"""What may stand behind `with`; of those with one key one is drawn."""


def pasted(own: Sequence[Line], changes: Sequence[Line]) -> str:
    """The used policy as somebody would write it anew: sets in an order in which each stands above its first use."""
    changed = {line.key for line in changes if line.key}
    lines = [*(line for line in own if line.key not in changed), *changes]
    lets = {line.key[-1]: line for line in lines if line.key.startswith("let")}
    sets: dict[str, str] = {}

    def define(name: str, path: str) -> None:
        if name in lets and name not in sets and name not in path:
            for needed in lets[name].needs:
                define(needed, path + name)
            sets[name] = lets[name].text

    for name in lets:
        define(name, "")
    rest = [line.text for line in lines if not line.key.startswith("let")]
    return f"policy p {{ deny []; {' '.join([*sets.values(), *rest])} }}"


def used(own: Sequence[Line], changes: Sequence[Line]) -> str:
    """The same by `use`."""
    base = f"policy base {{ deny []; {texts(own)} }}"
    return f"{base}\npolicy p {{ use base with {{ {texts(changes)} }} }}"


def texts(lines: Iterable[Line]) -> str:
    """The lines in a row."""
    return " ".join(line.text for line in lines)


def outcome(text: str) -> object:
    """The languages that a policy means, the soft ones too, or the codes of what is wrong in it."""
    try:
        policy = langc.parse_policy(text, "p")
        return policy.dfa, soft(policy)
    except langc.PolicyError as error:
        return {d.code for d in error.diagnostics}


def soft(policy: Policy) -> list[tuple[float, object]]:
    """The soft rules."""
    return [(rule.cost, rule.automaton) for rule in policy.soft_rules]


def some(lines: list[Line], mostly: tuple[str, ...]) -> st.SearchStrategy[list[Line]]:
    """Some of the lines in their order, at most one of each key; what others need is there nearly always."""

    def chosen(marks: list[bool]) -> list[Line]:
        found: dict[str, Line] = {}
        for line, mark in zip(lines, marks, strict=True):
            if mark or (line.key in mostly and any(marks[:4])):
                found.setdefault(line.key or line.text, line)
        return list(found.values())

    return st.lists(st.booleans(), min_size=len(lines), max_size=len(lines)).map(chosen)


@settings(max_examples=40, deadline=None)
@given(some(OWN, ("let a", "let b", "region r")), some(CHANGES, ("let n", "let m", "region t")))
def test_it_is_the_used_policy_with_the_items_in_it(own: list[Line], changes: list[Line]) -> None:
    """The canonical automata are equal, or both texts have the same faults."""
    try:
        langc.parse_policy(f"policy base {{ deny []; {texts(own)} }}")
    except langc.PolicyError:  # what is at fault without any change is no question here
        return

    assert outcome(used(own, changes)) == outcome(pasted(own, changes))
