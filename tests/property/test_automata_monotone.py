"""Laws of rules: one that takes away never gives, and the other way round; used policies only take away."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.equivalence import only_in
from langc.compiler.errors import PolicyError
from langc.compiler.ir.language import intersection
from langc.compiler.ir.lower import denote
from langc.compiler.ir.nodes import PolicyIR, Rule, RuleKind
from langc.compiler.passes import run_passes
from langc.compiler.passes.drop_idle_terms import drop_idle_terms
from tests.examples import examples
from tests.oracle.residual import Referee
from tests.oracle.scope import violation_of_rules
from tests.property.languages import POOL, rules

scopes = st.lists(rules, max_size=4)


def dfa_of(scope: list[Rule]) -> Dfa:
    """The automaton of a scope."""
    return build_dfa(denote(scope))


@settings(deadline=None, max_examples=examples(200))
@given(scopes, rules, st.integers(0, 4))
def test_adding_a_rule(scope: list[Rule], rule: Rule, place: int) -> None:
    """`deny` and `only` never make the language larger, `allow` never makes it smaller, wherever they stand."""
    before, after = dfa_of(scope), dfa_of([*scope[:place], rule, *scope[place:]])
    smaller, larger = (before, after) if rule.kind is RuleKind.ALLOW else (after, before)

    assert only_in(smaller, larger) is None


@settings(deadline=None)
@given(st.data())
def test_order_does_not_matter(data: st.DataObject) -> None:
    """The rules of one scope in any order are the same policy."""
    scope = data.draw(scopes)

    assert dfa_of(scope) == dfa_of(data.draw(st.permutations(scope)))


@settings(deadline=None)
@given(scopes)
def test_a_rule_twice_is_the_rule(scope: list[Rule]) -> None:
    """Repeating rules changes nothing."""
    assert dfa_of(scope) == dfa_of(scope + scope)


@settings(deadline=None, max_examples=200)
@given(scopes, st.text(st.sampled_from(POOL), max_size=8))
def test_the_meaning_of_a_scope(scope: list[Rule], text: str) -> None:
    """The rules, judged one by one by the referee, and the automaton of what they denote."""
    dfa = dfa_of(scope)
    state, violation = dfa.start, None
    for offset, character in enumerate(text):
        state = dfa.step(state, ord(character))
        if not state:
            violation = offset
            break
    else:
        violation = None if state in dfa.accepting else len(text)

    assert violation == violation_of_rules(scope, text)


def ir_of(scope: list[Rule], used: tuple[PolicyIR, ...] = ()) -> PolicyIR:
    """A policy of these rules."""
    return PolicyIR("drawn", None, tuple(scope), denote(scope), used=used)


@settings(deadline=None, max_examples=examples(200))
@given(st.lists(scopes, min_size=2, max_size=3), st.text(st.sampled_from(POOL), max_size=8))
def test_used_policies(drawn: list[list[Rule]], text: str) -> None:
    """A text is permitted iff every scope permits it; it is lost where all of them together leave nothing."""
    own, *others = map(ir_of, drawn)
    try:
        whole = run_passes(ir_of(drawn[0], tuple(others))).language
    except PolicyError:
        assume(False)
    dfa, referee = build_dfa(whole), Referee(intersection(*(ir.language for ir in (own, *others))))

    assert dfa.accepts(map(ord, text)) == all(violation_of_rules(scope, text) is None for scope in drawn)
    assert (dfa.run(map(ord, text)) != DEAD) == referee.viable(text)
    assert only_in(dfa, dfa_of(drawn[0])) is None


@settings(deadline=None, max_examples=examples(200))
@given(scopes)
def test_dropping_idle_terms_keeps_the_language(scope: list[Rule]) -> None:
    """Whatever terms hold, cover or overlap."""
    before = ir_of(scope)

    assert build_dfa(drop_idle_terms(before).language) == build_dfa(before.language)
