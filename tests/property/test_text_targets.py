"""Whatever the cover, every text target says it exactly: read back from its text, it has the policy's automaton."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.cover_graph import cover_graph
from langc.compiler.automata.determinize import determinize
from langc.compiler.automata.dfa import Dfa
from langc.compiler.automata.eliminate import plain
from langc.compiler.automata.graph import Graph, dfa_graph
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.nfa import Nfa
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError
from langc.compiler.ir.language import Cover, Language, cover
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.pipeline import compile_policy
from langc.compiler.policy import Policy
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from langc.compiler.verify.readers.bnf import GBNF, XGRAMMAR, read_grammar
from langc.compiler.verify.readers.fsm import read_fsm
from langc.compiler.verify.readers.lark import read_lark
from langc.compiler.verify.readers.regex import DIALECTS, read_regex
from langc.targets._lark import write_terminals
from tests.property.languages import covers, languages
from tests.unit.targets.test_outlines import BYTES

symbols = st.one_of(
    st.sampled_from(tuple(map(ord, '\0\n !"$()*+-./09?AZ[\\]^_az{|}~\x7f\x80\x85\u2028\ud7ff\ue000\uffff\U0010ffff'))),
    st.integers(0, 0xD7FF),
    st.integers(0xE000, 0x10FFFF),
)
ranges = st.tuples(symbols, symbols).map(lambda ends: (min(ends), max(ends)))
any_sets = st.lists(ranges, min_size=1, max_size=8).map(lambda r: IntervalSet(tuple(r)) & SCALARS)
any_terms = st.lists(st.text(symbols.map(chr), min_size=1, max_size=5), max_size=4).map(tuple)
any_covers = st.builds(cover, any_sets.filter(bool), any_terms)


def policy(language: Language) -> Policy:
    """A policy with no rules but this language."""
    return Policy(PolicyIR("drawn", None, (), language))


@given(any_covers | covers.filter(lambda c: isinstance(c, Cover) and bool(c.base or c.terms or c.patterns)))
@settings(deadline=None)
def test_grammars_are_exact(language: Language) -> None:
    """Both grammars have the policy's automaton."""
    drawn = policy(language)
    texts = [compile_policy(drawn, name).text or "" for name in ("gbnf", "xgrammar")]

    assert [drawn.dfa] * 2 == [read_grammar(t, d) for t, d in zip(texts, (GBNF, XGRAMMAR), strict=True)]


@given(any_covers)
@settings(deadline=None)
def test_expressions_are_exact(language: Language) -> None:
    """The expressions of all dialects have the policy's automaton."""
    drawn = policy(language)
    texts = {d: compile_policy(drawn, "regex", dialect=d).text or "" for d in DIALECTS}

    assert dict.fromkeys(DIALECTS, drawn.dfa) == {d: read_regex(t, d) for d, t in texts.items()}


@given(any_covers | languages.filter(lambda language: not build_dfa(language).is_empty))
@settings(deadline=None)
def test_terminals_are_exact(language: Language) -> None:
    """Whatever operators an expression has, the terminals of llguidance have its automaton, or do not fit."""
    with suppress(LimitError):
        assert build_dfa(language) == read_lark(f"start: TEXT\n{write_terminals(language)}")


@given(covers.filter(lambda c: isinstance(c, Cover) and bool(c.base or c.terms or c.patterns)), st.booleans())
@settings(deadline=None, max_examples=50)
def test_expressions_of_patterns_are_exact_or_refused(language: Language, ambiguous: bool) -> None:
    """Patterns over wide sets that overlap can be too much for an expression; then that is what is said."""
    with suppress(LimitError):
        assert build_dfa(language) == build_dfa(plain(language, ambiguous))


@given(any_covers)
@settings(deadline=None)
def test_token_automata_are_exact(language: Language) -> None:
    """Over single bytes the token automaton is the policy's byte automaton."""
    drawn = policy(language)

    assert drawn.byte_dfa == read_fsm(compile_policy(drawn, "outlines", BYTES).text or "")


@given(languages)
@settings(deadline=None, max_examples=50)
def test_plain_expressions_keep_the_language(language: Language) -> None:
    """Complement, intersection and cover can be eliminated from any expression, if there is room."""
    with suppress(LimitError):
        assert build_dfa(language) == build_dfa(plain(language))


@given(any_covers | covers)
@settings(deadline=None)
def test_small_automata_read_the_cover(language: Language) -> None:
    """The small automaton of a cover accepts what the big one does, and so does the graph of the big one."""
    assert isinstance(language, Cover)
    dfa = build_dfa(language)

    assert dfa == as_dfa(cover_graph(language))
    assert dfa == as_dfa(dfa_graph(dfa))


def as_dfa(graph: Graph) -> Dfa:
    """The canonical automaton of a graph."""
    partition = Partition.of(SCALARS, dict.fromkeys(label for edges in graph.edges for label, _ in edges))
    rows = tuple(
        tuple((number, target) for label, target in edges for number in partition.classes_in(label))
        for edges in graph.edges
    )
    return minimize(determinize(Nfa(partition, rows, ((),) * len(rows), 0, graph.accepting)))
