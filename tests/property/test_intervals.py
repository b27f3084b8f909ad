"""The algebra of interval sets against Python's sets, on small universes where everything can be tried."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from operator import and_, le, or_, sub, xor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.unicode.intervals import EMPTY_SET, MAX_SYMBOL, SCALARS, SURROGATES, IntervalSet, Range, union

SMALL = 6
SUBSETS = [frozenset(i for i in range(SMALL) if mask >> i & 1) for mask in range(1 << SMALL)]

EDGES = sorted(
    {0, 1, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x10000, MAX_SYMBOL - 1, MAX_SYMBOL}
)
symbols = st.one_of(st.sampled_from(EDGES), st.integers(0, MAX_SYMBOL))
ranges = st.tuples(symbols, symbols).map(lambda pair: (min(pair), max(pair)))
range_lists = st.lists(ranges, max_size=8)
near_ranges = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)).map(lambda p: (p[0], p[0] + p[1])), max_size=8)


def of(members: frozenset[int]) -> IntervalSet:
    """The interval set of some integers, given one by one in no order."""
    return IntervalSet.of(*members)


def is_canonical(found: IntervalSet) -> bool:
    """Sorted, with bounds that do not cross, and with a gap between neighbours."""
    ends = all(low <= high for low, high in found.ranges)
    return ends and all(a[1] + 1 < b[0] for a, b in zip(found.ranges, found.ranges[1:], strict=False))


@pytest.mark.parametrize("operation", [or_, and_, sub, xor])
def test_operators_are_those_of_sets(operation: Callable[[Any, Any], Any]) -> None:
    """Over all pairs of subsets of six numbers the result has the right members and is canonical."""
    pairs = list(product(SUBSETS, SUBSETS))

    wrong = [(a, b) for a, b in pairs if operation(of(a), of(b)) != of(operation(a, b))]
    ragged = [(a, b) for a, b in pairs if not is_canonical(operation(of(a), of(b)))]

    assert len(pairs) == 4096
    assert wrong == []
    assert ragged == []


def test_predicates_are_those_of_sets() -> None:
    """Inclusion, disjointness, equality, membership, size, truth, order of iteration, and the first member."""
    for a, b in product(SUBSETS, SUBSETS):
        assert le(a, b) == le(of(a), of(b))
        assert a.isdisjoint(b) == of(a).isdisjoint(of(b))
        assert (a == b) == (of(a) == of(b))
    for a in SUBSETS:
        assert sorted(a) == list(of(a))
        assert [i in a for i in range(-1, SMALL + 1)] == [i in of(a) for i in range(-1, SMALL + 1)]
        assert (len(a), bool(a)) == (len(of(a)), bool(of(a)))
        assert not a or min(a) == of(a).first()


def test_the_empty_set_has_no_first_member() -> None:
    """Asking for it is a ValueError."""
    with pytest.raises(ValueError, match="no first member"):
        EMPTY_SET.first()


@given(near_ranges)
def test_any_ranges_make_a_canonical_set(pieces: list[Range]) -> None:
    """Overlapping, touching and repeated ranges in any order unite."""
    expected = {i for low, high in pieces for i in range(low, high + 1)}

    made = IntervalSet(tuple(pieces))

    assert expected == set(made)
    assert is_canonical(made)


@given(range_lists, range_lists)
def test_every_operation_keeps_the_invariant(a: list[Range], b: list[Range]) -> None:
    """At the ends of the code space and around the surrogates too."""
    left, right = IntervalSet(tuple(a)), IntervalSet(tuple(b))
    results = [left | right, left & right, left - right, left ^ right, left.complement(), union([left, right, left])]

    assert [is_canonical(r) for r in results] == [True] * 6
    assert left | right == results[5]
    assert (left - right) | (left & right) == left


@given(range_lists, symbols)
def test_the_complement_is_of_scalar_values(pieces: list[Range], symbol: int) -> None:
    """A scalar value is in a set or in its complement, a surrogate never in the complement."""
    members = IntervalSet(tuple(pieces))

    assert (symbol in members.complement()) == (symbol not in members and symbol not in SURROGATES)
    assert members & SCALARS == members.complement().complement()


@pytest.mark.parametrize("pieces", [((5, 4),), ((0, 1), (9, 3))])
def test_a_range_that_ends_before_it_starts_is_refused(pieces: tuple[Range, ...]) -> None:
    """It would break the invariant."""
    with pytest.raises(ValueError, match="ends before it starts"):
        IntervalSet(pieces)
