"""Which bytes may come next at a place of a text, without trying all of them.

Invariant: the bytes are just those for which there is a step; each comes once, those within the lexeme first.
"""

from __future__ import annotations

from collections.abc import Iterator

from langc.compiler.surfaces.engine.config import Config
from langc.compiler.surfaces.engine.lexemes import Lexeme, Spellings


def next_bytes(config: Config) -> Iterator[int]:
    """The bytes that may come next."""
    seen = set[int]()
    for byte in _candidates(config):
        if byte not in seen:
            seen.add(byte)
            if config.step(byte) is not None:
                yield byte


def _candidates(config: Config) -> Iterator[int]:
    yield from _within(config.lexeme)
    if config.lexeme.begun and config.behind is not None:
        yield from _within(config.behind.expected.start)


def _within(lexeme: Lexeme) -> Iterator[int]:
    """The bytes with which a lexeme stays alive."""
    for names, low, high in lexeme.listed:
        for byte in _following(names, low, high, lexeme.depth):
            yield byte
            if lexeme.fold_case and 0x61 <= byte <= 0x7A:
                yield byte - 32
    for shape, state in lexeme.shapes:
        yield from (byte for byte, target in enumerate(shape.table[state]) if target)


def _following(names: Spellings, low: int, high: int, depth: int) -> Iterator[int]:
    while low < high:
        spelling = names.spellings[low]
        if len(spelling) == depth:
            low += 1
        else:
            yield spelling[depth]
            low = max(names.narrow(low, high, depth, spelling[depth])[1], low + 1)
