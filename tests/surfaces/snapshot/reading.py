"""A reader of grammars that shares no code with what writes them: which texts a rule has, by trying every way."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.snapshot.grammar import Grammar
from langc.compiler.surfaces.snapshot.lexemes import Lexeme


def has(grammar: Grammar, text: str) -> bool:
    """Whether a text is one of the grammar."""

    @cache
    def ends(symbol: int | Lexeme, start: int) -> frozenset[int]:
        if isinstance(symbol, Lexeme):
            return frozenset(_lexeme_ends(symbol, text, start))
        found: set[int] = set()
        for row in grammar.rules[symbol]:
            places = {start}
            for part in row:
                places = {end for place in places for end in ends(part, place)}
            found |= places
        return frozenset(found)

    return len(text) in ends(grammar.start, 0)


def _lexeme_ends(lexeme: Lexeme, text: str, start: int) -> Iterator[int]:
    states = {0}
    for at in range(start, len(text) + 1):
        if states & lexeme.graph.accepting:
            yield at
        if at == len(text):
            return
        states = {target for state in states for label, target in lexeme.graph.edges[state] if ord(text[at]) in label}


def texts(engine: Engine, alphabet: str, longest: int) -> set[str]:
    """All texts of a surface over some characters."""
    found: set[str] = set()
    waiting: list[tuple[str, Config]] = [("", engine.start)]
    for text, config in waiting:
        if config.accepting:
            found.add(text)
        for letter in alphabet if len(text) < longest else "":
            following = config.run(letter.encode())
            if following is not None:
                waiting.append((text + letter, following))
    return found
