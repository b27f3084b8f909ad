"""`langc fmt` keeps the language: the automata before and after are one and the same object by value."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from langc.compiler.automata.dfa import Dfa
from langc.compiler.errors import LangcError
from langc.compiler.link import link
from langc.compiler.policy import Policy
from langc.compiler.source import Source
from langc.compiler.syntax import ast
from langc.compiler.syntax.parse import parse_form, parse_source
from langc.compiler.syntax.print import format_file
from langc.compiler.syntax.read import read_source
from tests.property import strategies

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "grammars").glob("*.policy"), *(ROOT / "tests" / "corpus").glob("*.policy")])


def _automata(file: ast.PolicyFile, path: Path | None = None) -> list[Dfa]:
    return [Policy(link(policy, file, path)).dfa for policy in file.policies]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_of_every_policy_that_is_here(path: Path) -> None:
    """Ready policies and those of the corpus, squeezed on few lines before they are formatted."""
    file = parse_source(read_source(path)).file
    squeezed = parse_form(Source(path.name, format_file(file).replace("\n    ", "\n "))).file

    assert _automata(file, path) == _automata(parse_source(Source(path.name, format_file(squeezed))).file, path)


def test_there_are_policies_to_try() -> None:
    """The two folders were found."""
    assert len(FILES) >= 30


nameless_rules = st.one_of(
    st.builds(ast.Deny, st.tuples(strategies.nameless_sets())),
    st.builds(ast.Only, st.tuples(strategies.nameless_sets())),
)


@given(strategies.policies(nameless_rules))
def test_of_any_rules(policy: ast.PolicyDecl) -> None:
    """Drawn rules: their automaton is that of what is printed."""
    assume(policy.items)
    drawn = ast.PolicyFile((policy,), source=Source("<drawn>", ""))
    try:
        before = _automata(drawn)
    except LangcError:
        assume(False)

    assert before == _automata(parse_source(Source("<printed>", format_file(drawn))).file)
