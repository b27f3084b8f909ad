"""Laws of the operations on automata."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langc.compiler.automata import boolean
from langc.compiler.automata.boolean import universal
from langc.compiler.automata.build import build_dfa
from langc.compiler.automata.dfa import DEAD, Dfa
from langc.compiler.automata.equivalence import equivalent, only_in, shortest
from langc.compiler.automata.lower import lower_to_bytes
from langc.compiler.automata.minimize import minimize
from langc.compiler.automata.partition import Partition
from langc.compiler.errors import LimitError
from langc.compiler.ir import language as expressions
from langc.compiler.ir.language import ANY_TEXT, EMPTY, FAIL, Language, repetition
from langc.compiler.unicode.intervals import BYTES, SCALARS, IntervalSet
from tests.examples import examples
from tests.oracle.residual import Referee, complete
from tests.property.languages import languages, texts


@settings(deadline=None, max_examples=examples(200))
@given(languages, languages, texts)
def test_the_operations_decide_pointwise(left: Language, right: Language, text: str) -> None:
    """And, or, not, and-not of the two verdicts."""
    a, b, symbols = build_dfa(left), build_dfa(right), tuple(map(ord, text))
    in_a, in_b = a.accepts(symbols), b.accepts(symbols)

    assert boolean.intersection(a, b).accepts(symbols) == (in_a and in_b)
    assert boolean.union(a, b).accepts(symbols) == (in_a or in_b)
    assert boolean.difference(a, b).accepts(symbols) == (in_a and not in_b)
    assert boolean.complement(a).accepts(symbols) == (not in_a)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(languages, languages)
def test_operations_on_automata_and_on_expressions(left: Language, right: Language) -> None:
    """Both ways lead to the same object."""
    a, b = build_dfa(left), build_dfa(right)

    assert minimize(boolean.intersection(a, b)) == build_dfa(expressions.intersection(left, right))
    assert minimize(boolean.union(a, b)) == build_dfa(expressions.alternation(left, right))
    assert minimize(boolean.complement(a)) == build_dfa(expressions.complement(left))
    assert minimize(boolean.difference(a, b)) == build_dfa(
        expressions.intersection(left, expressions.complement(right))
    )


@pytest.mark.slow
@settings(deadline=None)
@given(languages, languages, languages)
def test_regular_identities(a: Language, b: Language, c: Language) -> None:
    """Equal languages built in different ways give equal objects."""
    cat, alt, star = expressions.concat, expressions.alternation, repetition
    identities = (
        (cat(a, cat(b, c)), cat(cat(a, b), c)),
        (cat(a, alt(b, c)), alt(cat(a, b), cat(a, c))),
        (star(alt(a, b)), star(cat(star(a), star(b)))),
        (star(star(a, 2, 3)), alt(EMPTY, star(a, 2))),
        (star(a, 1, 3), alt(a, cat(a, a), cat(a, a, a))),
        (alt(a, FAIL), cat(a, EMPTY)),
        (alt(a, FAIL), expressions.intersection(a, ANY_TEXT)),
    )

    for left, right in identities:
        with suppress(LimitError):  # three times a complement can be more states than the budget has
            assert build_dfa(left) == build_dfa(right)


@settings(deadline=None)
@given(languages, languages)
def test_de_morgan(a: Language, b: Language) -> None:
    """On automata, minimized."""
    left, right = build_dfa(a), build_dfa(b)
    outside = boolean.complement(boolean.union(left, right))
    both_outside = boolean.intersection(boolean.complement(left), boolean.complement(right))

    assert minimize(outside) == minimize(both_outside)
    assert minimize(boolean.complement(boolean.complement(left))) == left


@settings(deadline=None)
@given(languages, languages)
def test_lowering_commutes(a: Language, b: Language) -> None:
    """The bytes of an intersection are the intersection of the bytes; of a complement, within well-formed UTF-8."""
    left, right = build_dfa(a), build_dfa(b)
    utf8 = lower_to_bytes(universal(SCALARS))
    low_left, low_right = lower_to_bytes(left), lower_to_bytes(right)

    assert minimize(boolean.intersection(low_left, low_right)) == lower_to_bytes(boolean.intersection(left, right))
    assert minimize(boolean.difference(utf8, low_left)) == lower_to_bytes(boolean.complement(left))
    assert low_left.partition.alphabet == BYTES


@settings(deadline=None, max_examples=examples(200))
@given(languages, languages)
def test_witnesses(a: Language, b: Language) -> None:
    """A difference is witnessed by a sequence on the right side, as short as the referee finds one; none means none."""
    check_witness(a, b, 500)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(languages, languages)
def test_witnesses_of_many_residuals(a: Language, b: Language) -> None:
    """The same, however long the referee takes: for a few languages a minute."""
    check_witness(a, b, None)


def check_witness(a: Language, b: Language, most: int | None) -> None:
    """One way; the referee gives up behind so many residuals."""
    left, right = build_dfa(a), build_dfa(b)
    witness = only_in(left, right)

    assert equivalent(left, right) == (witness is None and only_in(right, left) is None) == (left == right)
    if witness is None:
        assert boolean.difference(left, right).is_empty
    else:
        assert left.accepts(witness)
        assert not right.accepts(witness)
    with suppress(TooManyError):
        assert length(witness) == shortest_by_referee(expressions.intersection(a, expressions.complement(b)), most)


@settings(deadline=None, max_examples=examples(200))
@given(languages)
def test_shortest_is_shortest(language: Language) -> None:
    """Also in bytes, where it is the encoding of some text."""
    dfa = build_dfa(language)
    found, in_bytes = shortest(dfa), shortest(lower_to_bytes(dfa))

    assert length(found) == shortest_by_referee(language)
    assert found is None or dfa.accepts(found)
    assert in_bytes is None or dfa.accepts(map(ord, bytes(in_bytes).decode()))


def length(sequence: tuple[int, ...] | None) -> int | None:
    """Its length, or None."""
    return None if sequence is None else len(sequence)


class TooManyError(Exception):
    """Residuals."""


def shortest_by_referee(language: Language, most: int | None = None) -> int | None:
    """The length of a shortest member, level by level over residuals; None if there is none. Raises TooManyError."""
    referee = Referee(language)
    level, seen, depth = {referee.start}, {referee.start}, 0
    while level:
        if any(map(complete, level)):
            return depth
        if most is not None and len(seen) > most:
            raise TooManyError
        level = {t.after(c) for t in level for c in referee.alphabet} - seen
        seen |= level
        depth += 1
    return None


@st.composite
def padded(draw: st.DrawFn, dfa: Dfa) -> Dfa:
    """The same language with its states renumbered, and some doubled; doubles of the dead state are traps."""
    names = [0, *draw(st.permutations(range(1, dfa.size)))]
    copies = names + [draw(st.sampled_from(names)) for _ in range(draw(st.integers(0, 3)))]
    places = {n: [i for i, copy in enumerate(copies) if copy == n] for n in names}
    table = [tuple(draw(st.sampled_from(places[t])) for t in dfa.table[n]) for n in copies]
    table[DEAD] = dfa.table[DEAD]
    accepting = frozenset(i for i, n in enumerate(copies) if n in dfa.accepting)
    return Dfa(dfa.partition, tuple(table), accepting, draw(st.sampled_from(places[dfa.start])))


@settings(deadline=None, max_examples=examples(200))
@given(st.data())
def test_minimize_undoes_any_padding(data: st.DataObject) -> None:
    """Whatever the shape, the canonical object comes back."""
    dfa = build_dfa(data.draw(languages))

    assert minimize(data.draw(padded(dfa))) == dfa


@st.composite
def random_tables(draw: st.DrawFn) -> Dfa:
    """Any table over three classes: few targets and few accepting states, so that many states are equal."""
    size, seed = draw(st.integers(1, 24)), draw(st.integers(0, 2**32))
    rng = Random(seed)
    partition = Partition.of(SCALARS, (IntervalSet.of("a"), IntervalSet.of("b")))
    targets = rng.sample(range(size), rng.randint(1, size))
    rows = [tuple(rng.choice(targets) for _ in range(partition.size)) for _ in range(size)]
    rows[DEAD] = (DEAD,) * partition.size
    accepting = frozenset(s for s in range(1, size) if rng.random() < rng.choice((0.1, 0.5)))
    return Dfa(partition, tuple(rows), accepting, rng.randrange(size))


def distinguishable(dfa: Dfa) -> int:
    """How many of the states that the start leads to can be told apart, the dead one included: by marking pairs."""
    states = {DEAD, dfa.start}
    for _ in dfa.table:
        states |= {t for s in states for t in dfa.table[s]}
    apart = {(a, b) for a in states for b in states if (a in dfa.accepting) != (b in dfa.accepting)}
    for _ in dfa.table:
        apart |= {
            (a, b)
            for a in states
            for b in states
            if any(step in apart for step in zip(dfa.table[a], dfa.table[b], strict=True))
        }
    return len({frozenset(b for b in states if (a, b) not in apart) for a in states})


@settings(deadline=None, max_examples=examples(400))
@given(random_tables())
def test_minimal_automata_are_minimal(dfa: Dfa) -> None:
    """The same language, and as many states as can be told apart."""
    minimal = minimize(dfa)

    assert minimal.size == distinguishable(dfa)
    assert boolean.difference(minimal, dfa).is_empty
    assert boolean.difference(dfa, minimal).is_empty
