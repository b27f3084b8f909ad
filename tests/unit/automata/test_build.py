"""From expressions to automata: each operator, and expressions that are the same language."""

from __future__ import annotations

import pytest

from langc.compiler.automata.boolean import universal
from langc.compiler.automata.build import build_dfa, build_nfa, partition_of
from langc.compiler.automata.determinize import determinize
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.partition import Partition
from langc.compiler.ir.language import (
    ANY_TEXT,
    EMPTY,
    FAIL,
    Language,
    Repetition,
    alternation,
    class_,
    complement,
    concat,
    cover,
    intersection,
    literal,
    repetition,
)
from langc.compiler.unicode.intervals import SCALARS, IntervalSet
from tests.unit.automata.machines import NOTHING

A, B, C = (literal(c) for c in "abc")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (alternation(A, B), class_(IntervalSet.of("ab"))),
        (concat(A, alternation(B, C)), alternation(literal("ab"), literal("ac"))),
        (repetition(A, 1), concat(A, repetition(A))),
        (repetition(A, 0, 3), alternation(EMPTY, A, literal("aa"), literal("aaa"))),
        (repetition(repetition(A, 2, 3), 0), complement(alternation(A, complement(repetition(A))))),
        (repetition(repetition(A, 0, 1), 2, 3), repetition(A, 0, 3)),
        (repetition(alternation(A, EMPTY), 3, 3), repetition(A, 0, 3)),
        (complement(complement(A)), A),
        (complement(ANY_TEXT), FAIL),
        (intersection(repetition(A), repetition(B)), EMPTY),
        (intersection(A, B), FAIL),
        (complement(alternation(A, B)), intersection(complement(A), complement(B))),
        (cover(SCALARS), ANY_TEXT),
        (cover(IntervalSet.of("a")), repetition(A)),
        (cover(IntervalSet(), ("ab",)), repetition(literal("ab"))),
        (
            cover(IntervalSet(), ("aba",)),
            alternation(EMPTY, repetition(concat(literal("ab"), repetition(literal("ab")), A))),
        ),
        (repetition(alternation(repetition(A), repetition(B))), repetition(class_(IntervalSet.of("ab")))),
        (class_(SCALARS - IntervalSet.of("a")), intersection(class_(SCALARS), complement(A))),
    ],
)
def test_one_language_built_in_two_ways(left: Language, right: Language) -> None:
    """Equal languages give equal automata."""
    assert build_dfa(left) == build_dfa(right)


def test_fail_and_empty_are_different() -> None:
    """No text at all, and the empty text alone."""
    assert build_dfa(FAIL) == NOTHING
    assert build_dfa(EMPTY).accepts(())
    assert build_dfa(EMPTY) != build_dfa(FAIL)


def test_every_text() -> None:
    """The automaton of all texts is the universal one."""
    assert build_dfa(ANY_TEXT) == minimize(universal(SCALARS))


def test_partition_of_an_expression() -> None:
    """Its sets cut it, the characters of terms among them; what stands twice counts once."""
    expression = concat(cover(SCALARS - IntervalSet.of((0x61, 0x7A)), ("ab",)), A, A)
    letters = IntervalSet.of((0x61, 0x7A))

    assert partition_of(expression) == Partition.of(SCALARS, (letters, IntervalSet.of("a"), IntervalSet.of("b")))


def test_the_nondeterministic_automaton_has_the_same_language() -> None:
    """What `dump --stage nfa` prints is what is determinized."""
    language = concat(repetition(alternation(A, literal("bc"))), cover(IntervalSet.of("x"), ("yz",)))

    assert minimize(determinize(build_nfa(language))) == build_dfa(language)


def test_a_part_is_built_once() -> None:
    """A thousand uses of one cover take no thousand constructions; and the uses do not mix."""
    part = cover(IntervalSet.of("x"), ("yz",))
    thrice = Repetition(concat(part, A), 3, 3)

    assert build_dfa(thrice).accepts(map(ord, "axayza"))
    assert not build_dfa(thrice).accepts(map(ord, "axayz"))
    assert build_dfa(repetition(concat(part, A), 1000, 1000)).size == 2002  # two a copy, the end, the dead state
