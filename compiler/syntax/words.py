"""Terminals in the words of a person, and the words that later versions of the language need."""

from __future__ import annotations

from collections.abc import Collection, Mapping

RULE_KEYWORDS = (
    *("use", "let", "deny", "discourage", "replace", "only", "allow"),
    *("region", "unclosed", "surface", "accept", "reject"),
)

RESERVED = {
    "require": "requirements are",
    "on_dead_end": "a choice for dead ends is",
}
"""The reserved words (the terminal RESERVED), each with what it is about and a verb."""

_NOUNS = {
    "NAME": "a name",
    "STRING": "a string",
    "INTEGER": "a number",
    "CODE_POINT": "a code point",
    "PROPERTY": "a property",
    "CHARACTER": "a character",
    "ESCAPE": "an escape",
    "_OPEN": "`[`",
    "_CHARACTERS": "`characters`",
    "_COMPAT": "`compat`",
    "_UP_TO": "`up to`",
    "_STOP_ON": "`stop on`",
    "_STOP_BEFORE": "`stop before`",
    "_TERMS_FROM": "`terms from`",
    "_PHRASES_FROM": "`phrases from`",
    "$END": "the end of the file",
}

_FUNCTIONS = {"ENCODABLE", "_CHARACTERS", "_COMPAT"}
_SETS = {"_OPEN", "OPEN_NOT", "PROPERTY", "CODE_POINT", "NAME", "STRING", "LPAR"}

_GROUPS: tuple[tuple[str, set[str], set[str]], ...] = (
    ("a rule", {k.upper() for k in RULE_KEYWORDS}, {"_STOP_ON", "_STOP_BEFORE"}),
    ("an operator", {"DIFFERENCE", "INTERSECTION", "VBAR", "LPAR"}, {*_SETS, *_FUNCTIONS}),  # after a set, a sequence
    ("a set", _SETS, {"BANG", *_FUNCTIONS}),
    ("a character", {"CHARACTER", "ESCAPE"}, set()),
    ("a set", {"PROPERTY", "_OPEN", "OPEN_NOT"}, set()),
    ("an operator", {"DIFFERENCE", "INTERSECTION"}, {"VBAR"}),
)
"""Terminals that are named together: what to say, which must all be there, and which go without saying then."""


def noun(kind: str, spelling: Mapping[str, str]) -> str:
    """What a terminal is called, where it is expected."""
    return f"`{spelling[kind]}`" if kind in spelling else _NOUNS[kind]


def expectation(kinds: Collection[str], spelling: Mapping[str, str]) -> str:
    """Such as: an operator, `,` or `;`. What only ends a list of scripts is left out if there is more."""
    left = set(kinds) - {"STRICTLY"} or set(kinds)
    phrases: list[str] = []
    for phrase, needed, implied in _GROUPS:
        if needed <= left:
            phrases.append(phrase)
            left -= needed | implied
    phrases += sorted(noun(k, spelling) for k in left)
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"
