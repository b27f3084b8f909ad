"""Laws of partitions."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import SCALARS, IntervalSet, union
from tests.property.languages import POOL, sets

families = st.lists(sets, max_size=5)


def holders(family: list[IntervalSet], symbol: int) -> tuple[bool, ...]:
    """Which sets of the family hold the symbol."""
    return tuple(symbol in s for s in family)


@given(families)
def test_invariant(family: list[IntervalSet]) -> None:
    """Sorted disjoint ranges that cover the alphabet, neighbours differ, classes numbered by first member."""
    partition = Partition.of(SCALARS, family)
    firsts = [m.first() for m in partition.members]

    assert all(a[1] < b[0] for a, b in pairwise(partition.ranges))
    assert partition.alphabet == SCALARS
    assert all(
        i != j or a[1] + 1 < b[0] for (a, i), (b, j) in pairwise(zip(partition.ranges, partition.ids, strict=True))
    )
    assert firsts == sorted(firsts)
    assert sorted(set(partition.ids)) == list(range(partition.size))


@given(families)
def test_coarsest(family: list[IntervalSet]) -> None:
    """Two symbols share a class iff the same sets hold them; every set is a union of classes."""
    partition = Partition.of(SCALARS, family)
    for a in map(ord, POOL):
        for b in map(ord, POOL):
            same = holders(family, a) == holders(family, b)
            assert (partition.class_of(a) == partition.class_of(b)) == same
    for members in family:
        assert union(partition.members[c] for c in partition.classes_in(members)) == members


@given(families, families)
def test_refine(left: list[IntervalSet], right: list[IntervalSet]) -> None:
    """The refinement is the partition by both families; the numbers of the old classes are right."""
    a, b = Partition.of(SCALARS, left), Partition.of(SCALARS, right)
    fine, of_a, of_b = a.refine(b)

    assert fine == Partition.of(SCALARS, left + right)
    for members, i, j in zip(fine.members, of_a, of_b, strict=True):
        assert members <= a.members[i]
        assert members <= b.members[j]


@given(families, st.data())
def test_merged(family: list[IntervalSet], data: st.DataObject) -> None:
    """Classes with one label become one class, and stay apart from the others."""
    partition = Partition.of(SCALARS, family)
    labels = data.draw(st.lists(st.integers(0, 2), min_size=partition.size, max_size=partition.size))
    coarse, old = partition.merged(labels)

    assert coarse.size == len(set(labels)) == len(old)
    for members, representative in zip(coarse.members, old, strict=True):
        label = labels[representative]
        joined = union(m for m, other in zip(partition.members, labels, strict=True) if other == label)
        assert members == joined
