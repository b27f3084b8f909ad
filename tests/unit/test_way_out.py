"""A policy that is too large for a target: the help names targets that carry it, or what makes it large."""

from __future__ import annotations

import pytest

import langc
from langc.compiler.automata import budget
from langc.compiler.errors import LimitError
from langc.compiler.policy import Policy
from langc.targets import _fsm, _grammar, _lark, xgrammar
from tests.unit.targets.test_outlines import BYTES

PHRASES = ", ".join(f'"{a}{b} {b}{a}q"' for a in "abcdefgh" for b in "klmnopqr")
MANY = f"policy p {{ deny phrase {PHRASES} {{ ignore case; }} }}"
FEW = 'policy p { deny phrase "as an AI", "delve" { ignore case, space; boundary both word; } }'

DIALECTS = [("regex", d) for d in ("python", "rust", "pcre2", "ecmascript")]
GRAMMARS = [("gbnf", None), ("xgrammar", None), ("llguidance", None)]
TARGETS = [*GRAMMARS, *DIALECTS, ("outlines", "regex"), ("outlines", "fsm")]


def help_of(policy: Policy, target: str, dialect: str | None = None) -> str:
    """The help of the LC0701 that compiling ends in."""
    with pytest.raises(LimitError) as caught:
        langc.compile(policy, target, BYTES if target == "outlines" else None, dialect=dialect)
    [found] = caught.value.diagnostics
    assert (found.code, found.help is None) == ("LC0701", False)
    return found.help or ""


def tighten(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No form has room. The automaton has."""
    owner, name = {
        "gbnf": (_grammar, "MAX_GRAMMAR_SIZE"),
        "xgrammar": (xgrammar, "MAX_XGRAMMAR_TRANSITIONS"),
        "llguidance": (_lark, "MAX_EXPRESSION_SIZE"),
        "outlines": (_fsm, "MAX_FSM_RUNS"),
    }[target]
    monkeypatch.setattr(owner, name, 1)


@pytest.mark.parametrize(("target", "others"), [("gbnf", "llguidance"), ("xgrammar", "gbnf, llguidance")])
def test_another_grammar_and_processor(target: str, others: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were tried and have room. The limit of `gbnf` is that of `xgrammar` too."""
    tighten(target, monkeypatch)

    assert help_of(langc.parse_policy(FEW), target) == f"targets {others} and processor carry this policy"


def test_llguidance_and_outlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other two with limits of their own."""
    tighten("llguidance", monkeypatch)
    expected = "targets gbnf, xgrammar and processor carry this policy"
    assert help_of(langc.parse_policy(FEW), "llguidance") == expected
    tighten("outlines", monkeypatch)
    assert help_of(langc.parse_policy(FEW), "outlines", "fsm") == expected


@pytest.mark.parametrize(("target", "dialect"), [*DIALECTS, ("outlines", "regex")])
def test_expressions(target: str, dialect: str) -> None:
    """Sixty phrases are too many for an expression, and for no grammar."""
    expected = "targets gbnf, xgrammar, llguidance and processor carry this policy"

    assert help_of(langc.parse_policy(MANY), target, dialect) == expected


@pytest.mark.parametrize(("target", "dialect"), [t for t in TARGETS if t[0] != "llguidance" and t[1] != "fsm"])
def test_phrases_without_an_automaton(target: str, dialect: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it would be too large, two targets do without."""
    monkeypatch.setattr(budget, "MAX_DFA_STATES", 50)

    assert help_of(langc.parse_policy(MANY), target, dialect) == "targets llguidance and processor carry this policy"


@pytest.mark.parametrize(("target", "dialect"), TARGETS)
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ('deny phrase "as an AI", "delve into"; region a = inline_code { any }', "deny fewer or shorter phrases"),
        (
            'only [a]; allow "bcdefghij", "cdefghijk", "defghijkl" { boundary both word; }',
            "take fewer or shorter terms",
        ),
        ('region g = between "(" ")" { only [a] up to 40 }', "lower the number behind `up to`"),
    ],
)
def test_an_automaton_that_is_too_large(
    target: str, dialect: str | None, rules: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No target has room for it; what makes it large is said."""
    monkeypatch.setattr(budget, "MAX_DFA_STATES", 5)

    assert help_of(langc.parse_policy(f"policy p {{ {rules} }}"), target, dialect).startswith(expected)
