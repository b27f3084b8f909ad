"""Terms that permit nothing new go, and the language stays."""

from __future__ import annotations

from langc.compiler.automata.build import build_dfa
from langc.compiler.ir.language import cover, literal
from langc.compiler.ir.nodes import PolicyIR
from langc.compiler.passes.drop_idle_terms import drop_idle_terms
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

HAN = IntervalSet.of((0x4E00, 0x9FFF))


def test_terms_over_the_base_go() -> None:
    """`서울` is permitted anyway; `漢江` and `a漢` are not."""
    before = PolicyIR("p", None, (), cover(SCALARS - HAN, ("서울", "漢江", "a漢")))
    after = drop_idle_terms(before)

    assert after.language == cover(SCALARS - HAN, ("漢江", "a漢"))
    assert build_dfa(after.language) == build_dfa(before.language)


def test_other_languages_are_left_alone() -> None:
    """The pass knows covers only."""
    ir = PolicyIR("p", None, (), literal("ab"))

    assert drop_idle_terms(ir) is ir


def test_patterns_over_the_base_go() -> None:
    """A pattern stays if any of its sets holds a character outside the base."""
    hangul, letters = IntervalSet.of((0xAC00, 0xD7A3)), IntervalSet.of((0x61, 0x7A))
    before = PolicyIR("p", None, (), cover(SCALARS - HAN, (), ((hangul, letters), (letters, HAN), (hangul | HAN,))))
    after = drop_idle_terms(before)

    assert after.language == cover(SCALARS - HAN, (), ((letters, HAN), (hangul | HAN,)))
    assert build_dfa(after.language) == build_dfa(before.language)


def test_terms_that_shorter_ones_cover_go() -> None:
    """`漢江大橋` is covered by `漢江` and `大橋`; `江大` is not, and a term does not cover itself."""
    before = PolicyIR("p", None, (), cover(SCALARS - HAN, ("漢江", "大橋", "漢江大橋", "江大", "漢a江")))
    after = drop_idle_terms(before)

    assert after.language == cover(SCALARS - HAN, ("漢江", "大橋", "江大", "漢a江"))
    assert build_dfa(after.language) == build_dfa(before.language)
