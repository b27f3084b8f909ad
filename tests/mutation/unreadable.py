"""Faults after which an artefact is none any more: reading it back says where, and nothing is compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from langc.compiler.tokens import portable
from langc.compiler.verify.run import BYTES
from langc.targets import _expression, _grammar, xgrammar
from langc.targets._notation import short_hex
from tests.mutation.biases import listed
from tests.mutation.mutations import Mutation, Seed, result, value
from tests.mutation.notations import BELOW_SURROGATES, BORDER, TERM, range_moved, unescaped
from tests.unit.targets.logit_bias.toys import VOCABULARY

_QUOTE = r'only [a-c]; allow "x\"y";'
_PARENTHESIS = 'only [a-c]; allow "x)y";'
_TAB = r'only [a-c]; allow "\t";'


@dataclass(frozen=True)
class Unreadable:
    """A mutation, and what reading the artefact back says."""

    mutation: Mutation
    message: str

    def __str__(self) -> str:
        """The name of the test."""
        return self.mutation.id


def _of(name: str, target: str, seed: Seed, policy: str, message: str) -> Unreadable:
    vocabulary = VOCABULARY if target.startswith("logit-bias") else BYTES
    return Unreadable(Mutation(name, target, seed, policy, error=message, vocabulary=vocabulary), message)


def _pythons(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(_expression.NOTATIONS, "pcre2", _expression.NOTATIONS["python"])


_SURROGATE = range_moved(0, 1)

UNREADABLE = [
    _of("surrogate", "gbnf", _SURROGATE, BELOW_SURROGATES, "D800 is no scalar value"),
    _of("surrogate", "xgrammar", _SURROGATE, BELOW_SURROGATES, "D800 is no scalar value"),
    _of("surrogate", "llguidance", _SURROGATE, BELOW_SURROGATES, "no scalar values"),
    *(
        _of("surrogate", target, _SURROGATE, BELOW_SURROGATES, "no scalar values")
        for target in ("regex:python", "regex:rust", "regex:pcre2", "regex:ecmascript", "outlines:regex")
    ),
    _of("quote", "gbnf", unescaped('"'), _QUOTE, "a control character"),
    _of("quote", "xgrammar", unescaped('"'), _QUOTE, "a control character"),
    _of("parenthesis", "regex:python", unescaped(")"), _PARENTHESIS, "a parenthesis too many"),
    _of("parenthesis", "llguidance", unescaped(")"), _PARENTHESIS, "a parenthesis too many"),
    _of(
        "x-escape",
        "xgrammar",
        value(xgrammar, "STYLE", lambda style: replace(style, notation=replace(style.notation, by_number=short_hex))),
        _TAB,
        r"no escape \x",
    ),
    _of("other-dialect", "regex:pcre2", _pythons, BORDER, r"the dialect has no escape \u"),
    _of(
        "no-root",
        "gbnf",
        result(_grammar.GrammarWriter, "_name", lambda name: f"{name}-1"),
        TERM,
        "there is no rule root",
    ),
    _of("checksum", "processor", result(portable, "_checksum", lambda digest: digest[::-1]), TERM, "its checksum"),
    _of(
        "true-for-false",
        "logit-bias:llama.cpp",
        listed("llama.cpp", lambda ids, _: (ids, True)),
        "deny [中];",
        "a value is no number",
    ),
]
