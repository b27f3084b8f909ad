"""Small surfaces for snapshots: one without worlds, one of declarations, and walks through any."""

from __future__ import annotations

import random
from collections.abc import Iterator

from langc.compiler.source import Source
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.environment.names import Entry, Environment, Group
from langc.compiler.surfaces.model import Surface
from langc.compiler.surfaces.syntax import read_surfaces

PLAIN = """
surface plain (case = ascii-fold, word = pattern /[abxABX]+/, quote = "'") {
    env names;
    sort Name;
    token NUMBER = pattern /1+/ munch /[1abxABX]+/;
    token DOTTED = pattern /1?\\.1|a\\./;
    skip SPACE = pattern /[ ]+/;
    keywords "b";
    text := item ("," item | DOTTED item)*;
    item := ref(Name) | "b" ref(Name) | NUMBER | "(" item(nested = yes) ")" | [nested] "x" | [nested = yes] ",";
}
"""
LET = """
surface let (word = pattern /[a-z][a-z0-9]*/, quote = "'") {
    env library;
    sort Variable; sort Function;
    scope Block;
    token NUMBER = pattern /[0-9]+/ munch /[0-9a-z]+/;
    skip SPACE = pattern /[ \\n]+/;
    keywords "let", "print", "and";
    script := in Block { statement* };
    statement := "let" v=fresh(Variable) "=" value => bind(v, Variable, in = Block) ";"
        | "print" value(nice = yes) ";"
        | "{" in Block { statement* } "}";
    value := term ("+" term | [nice] "and" term)*;
    term := NUMBER | ref(Function) "(" value ")" | ref(Variable);
}
"""


def surface(text: str) -> Surface:
    """The one surface of a text."""
    return next(iter(read_surfaces(Source.of("toy.policy", text)).values()))


def plain(*names: str, text: str = PLAIN) -> Engine:
    """The surface without worlds."""
    return Engine(surface(text), Environment("names", {"Name": Group.of_names("Name", names)}))


def let(*functions: str) -> Engine:
    """The surface of declarations."""
    return Engine(surface(LET), Environment("library", {"Function": Group.of_names("Function", functions)}))


def tables(count: int) -> Environment:
    """Γ of as many tables with two columns each."""
    members = {"Column": Group.of_names("Column", ["id", "name"])}
    attributes = frozenset({"table"})
    return Environment(
        "db", {"Table": Group.of(Entry(f"table_{n:06}", "Table", attributes, members=members) for n in range(count))}
    )


def walks(engine: Engine, draw: random.Random, count: int, length: int) -> Iterator[bytes]:
    """Texts that random steps through a surface came to an end with, by lexemes rather than by bytes."""
    for _ in range(count):
        config, text = engine.start, b""
        best = b"" if config.accepting else None
        for _ in range(length):
            step = _step(config, draw)
            if step is None:
                break
            byte, config = step
            text += bytes((byte,))
            best = text if config.accepting else best
        if best is not None:
            yield best


def _step(config: Config, draw: random.Random) -> tuple[int, Config] | None:
    """One byte, letters and blanks rather than what comments and strings are full of."""
    bytes_ = list(range(0x20, 0x7F))
    draw.shuffle(bytes_)
    for byte in bytes_:
        following = config.step(byte)
        if following is not None:
            return byte, following
    return None
