"""Every ready policy, in every text target that carries it, is what its automaton says."""

from __future__ import annotations

import pytest

import langc
from langc.compiler import ready
from langc.compiler.errors import LimitError
from langc.compiler.verify.readers.bnf import GBNF, XGRAMMAR, read_grammar
from langc.compiler.verify.readers.regex import read_regex

TOO_LARGE_FOR_REGEX = {"no-invisible"}
"""It permits some 1,800 sequences of emoji that overlap."""


def test_there_are_ready_policies() -> None:
    """The loops below do not run over nothing."""
    assert len(ready.names()) >= 4
    assert set(ready.names()) >= TOO_LARGE_FOR_REGEX | {"ko", "ko-strict", "en", "ru"}


@pytest.mark.parametrize("name", ready.names())
def test_grammars(name: str) -> None:
    """Both grammars have the policy's automaton."""
    policy = langc.load_policy(name)
    gbnf, xgrammar = (langc.compile(policy, target).text or "" for target in ("gbnf", "xgrammar"))

    assert policy.dfa == read_grammar(gbnf, GBNF)
    assert policy.dfa == read_grammar(xgrammar, XGRAMMAR)


@pytest.mark.parametrize("dialect", ["python", "rust"])
@pytest.mark.parametrize("name", sorted(set(ready.names()) - TOO_LARGE_FOR_REGEX))
def test_expressions(name: str, dialect: str) -> None:
    """The expression has the policy's automaton, in a dialect whose engines backtrack and in one of the others."""
    policy = langc.load_policy(name)

    assert policy.dfa == read_regex(langc.compile(policy, "regex", dialect=dialect).text or "", dialect)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TOO_LARGE_FOR_REGEX))
def test_what_no_expression_can_hold_is_refused(name: str) -> None:
    """The message says so, and the grammars carry it."""
    with pytest.raises(LimitError):
        langc.compile(name, "regex")
