"""The values of strings: those of the policy, held to lengths, patterns and formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.ir.language import (
    ANY_CHARACTER,
    ANY_TEXT,
    FAIL,
    Alternation,
    Class,
    Concat,
    Cover,
    JsonString,
    Language,
    Repetition,
    class_,
    intersection,
    repetition,
)
from langc.compiler.ir.nodes import Rule
from langc.compiler.json_schema.formats import format_language
from langc.compiler.json_schema.patterns import PatternError, pattern_language
from langc.compiler.json_schema.shape import Shape
from langc.compiler.json_schema.values import Node, fault


class Strings:
    """What the policy permits, and who is to blame for the rest."""

    def __init__(self, permitted: Language, blame: Callable[[int], Rule | None]) -> None:
        self.permitted = permitted
        self._blame = blame

    @classmethod
    def of_any(cls, wanted: Sequence[Language]) -> Strings:
        """The texts that are in all of some languages, whatever a policy says."""
        return cls(intersection(*wanted), lambda _: None)

    def of(self, least: int, most: int | None, wanted: Iterable[Language] = ()) -> Language:
        """The permitted texts of a length, counted in code points, that are in all of the wanted languages."""
        if most is not None and most < least:
            return FAIL
        languages = tuple(wanted)
        bounds = () if (least, most) == (0, None) else (repetition(ANY_CHARACTER, least, most),)
        base = self.permitted
        if not isinstance(base, Cover) or base.terms or base.patterns:
            return intersection(*(p for p in (base, *languages, *bounds) if p != ANY_TEXT))
        # A pattern may read one text in several ways; expressions for an intersection are written from an automaton.
        return intersection(base, *languages, *bounds) if languages else repetition(class_(base.base), least, most)

    def permits(self, text: str) -> bool:
        """Whether the policy permits a text."""
        return self._dfa.accepts(map(ord, text))

    def rule_against(self, text: str) -> Rule | None:
        """The rule that a refused text breaks, as far as one character breaks it."""
        state = self._dfa.start
        for character in text:
            state = self._dfa.step(state, ord(character))
            if state == DEAD:
                return self._blame(ord(character))
        return None

    @cached_property
    def _dfa(self) -> Dfa:
        return build_dfa(self.permitted)


@lru_cache(256)
def is_empty(language: Language) -> bool:
    """Whether a language has no text."""
    match language:
        case Class(members):
            return not members
        case Repetition(part, least):
            return least > 0 and is_empty(part)
        case Concat(parts):
            return any(map(is_empty, parts))
        case Alternation(parts):
            return all(map(is_empty, parts))
        case JsonString(part):
            return is_empty(part)
        case _:
            return not isinstance(language, Cover) and build_dfa(language).is_empty


def wanted_of(shape: Shape) -> list[Language]:
    """What patterns and formats ask for; `warnings.py` speaks of unknown formats. Raises PolicyError (LC0368)."""
    formats = (format_language(node.text) for node in shape.formats)
    return [*patterns_of(shape), *(f for f in formats if f is not None)]


def patterns_of(shape: Shape) -> list[Language]:
    """What patterns ask for. Raises PolicyError (LC0368) for one that cannot be read."""
    return [*map(_pattern, shape.patterns)]


def _pattern(node: Node) -> Language:
    try:
        return pattern_language(node.text)
    except PatternError as error:
        help_ = "docs/json-schema.md has what patterns may hold"
        message = f"the pattern has, at offset {error.offset}, {error.message}"
        raise fault("LC0368", message, node, help=help_) from None
