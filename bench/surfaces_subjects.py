"""Surfaces to be timed, each with texts of it: `sql` over a shop, `git`, `calls`, and `json`.

`calls` is a small language of API calls, the kind that arXiv 2607.18357 times: names of functions and their parameters,
values, and variables that a text declares and uses. `json` is a list of calls in JSON, the kind of grammar that engines
are made for: every name ends at a quote. Their texts are made here, with names that share their beginnings.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Engine
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.syntax import read_surfaces
from tests.surfaces.cli import test_git
from tests.surfaces.cli.walks import engine as line_engine
from tests.surfaces.cli.walks import refused_at
from tests.surfaces.sql import samples, walks

CALLS = r"""
surface calls (word = pattern /[A-Za-z_][A-Za-z0-9_]*/, start = text) {
    token NUMBER = pattern /[0-9]+/;
    token STRING = pattern /"[^"\n\0]*"/;
    skip SPACE = pattern /[ \n]+/;
    keywords "let";
    sort Function;
    sort Parameter of Function;
    sort Variable;
    scope Call;
    env api;

    text := statement+;
    statement := "let" x=fresh(Variable) "=" value ";" => bind(x, Variable) | call ";";
    value := NUMBER | STRING | ref(Variable) | call;
    call := f=ref(Function) "(" in Call(of = f) {
        (ref(Parameter, of f, once) "=" value ("," ref(Parameter, of f, once) "=" value)*)?
    } ")";
}
"""
JSON = r"""
surface json (word = pattern /[A-Za-z_][A-Za-z0-9_]*/, start = text) {
    token NUMBER = pattern /[0-9]+/;
    token STRING = pattern /"[^"\\\u{0}-\u{1f}]*"/;
    sort Function;
    sort Parameter of Function;
    scope Call;
    env api;

    text := "[" call ("," call)* "]";
    call := "{" "\"function\":\"" f=ref(Function) "\",\"arguments\":{" in Call(of = f) {
        ("\"" ref(Parameter, of f, once) "\":" value ("," "\"" ref(Parameter, of f, once) "\":" value)*)?
    } "}" "}";
    value := NUMBER | STRING;
}
"""
_VERBS = ("create", "delete", "get", "list", "search", "update")
_THINGS = ("account", "customer", "file", "invoice", "issue", "message", "order", "order_line", "product", "user")
_PARAMETERS = ("after", "before", "customer", "fields", "id", "limit", "name", "order", "status", "user")
_TEXTS = 200


@dataclass(frozen=True)
class Subject:
    """A surface over an environment, and texts of it."""

    engine: Callable[[], Engine]
    texts: Callable[[Engine], Iterator[str]]


def _api() -> Environment:
    chosen = random.Random(0)
    functions = [
        Entry(f"{verb}_{thing}", "Function", members={"Parameter": _parameters(chosen)})
        for verb in _VERBS
        for thing in _THINGS
    ]
    return Environment("api", {"Function": Group.of(functions)})


def _parameters(chosen: random.Random) -> Group:
    return Group.of(Entry(name, "Parameter") for name in sorted(chosen.sample(_PARAMETERS, 4)))


def _calls() -> Engine:
    return Engine(read_surfaces(Source.of("calls.policy", CALLS))["calls"], _api())


def _json() -> Engine:
    return Engine(read_surfaces(Source.of("json.policy", JSON))["json"], _api())


def _texts_of_calls(engine: Engine) -> Iterator[str]:
    for calls in _chosen(engine):
        yield "\n".join(f"let found_{at} = {name}({_arguments(given, '=')});" for at, (name, given) in enumerate(calls))


def _texts_of_json(engine: Engine) -> Iterator[str]:
    for calls in _chosen(engine):
        objects = (_object(name, {f'"{key}"': value for key, value in given.items()}) for name, given in calls)
        yield f"[{','.join(objects)}]"


def _object(name: str, given: dict[str, str]) -> str:
    return f'{{"function":"{name}","arguments":{{{_arguments(given, ":")}}}}}'


def _arguments(given: dict[str, str], sign: str) -> str:
    return ",".join(f"{name}{sign}{value}" for name, value in given.items())


def _chosen(engine: Engine) -> Iterator[list[tuple[str, dict[str, str]]]]:
    """Calls at random: names of functions, and values of some of their parameters."""
    functions = list(engine.environment.groups["Function"])
    for seed in range(_TEXTS):
        chosen = random.Random(seed)
        yield [_call(chosen, functions) for _ in range(chosen.randint(2, 5))]


def _call(chosen: random.Random, functions: list[Entry]) -> tuple[str, dict[str, str]]:
    function = chosen.choice(functions)
    parameters = chosen.sample([one.name for one in function.members["Parameter"]], chosen.randint(0, 3))
    return function.name, {name: chosen.choice(("10", '"open"', "7", '"a name"')) for name in parameters}


def _sql() -> Engine:
    return walks.engine(samples.SCHEMAS["shop"])


def _statements(engine: Engine) -> Iterator[str]:
    lines = [text for schema, text in samples.statements("gold") if schema == "shop"]
    random.Random(0).shuffle(lines)
    return (line for line in lines if walks.refused_at(engine, line) is None)


def _git() -> Engine:
    return line_engine(test_git.POLICY, "git", test_git.NAMES)


def _lines(engine: Engine) -> Iterator[str]:
    return (line for line in test_git.VALID.strip().splitlines() if refused_at(engine, line) is None)


SUBJECTS = {
    "calls": Subject(_calls, _texts_of_calls),
    "json": Subject(_json, _texts_of_json),
    "git": Subject(_git, _lines),
    "sql": Subject(_sql, _statements),
}
