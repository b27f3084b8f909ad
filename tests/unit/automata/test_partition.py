"""Alphabets cut into classes."""

from __future__ import annotations

import pytest

from langc.compiler.automata.partition import Partition
from langc.compiler.unicode.intervals import BYTES, SCALARS, IntervalSet

VOWELS = IntervalSet.of("aeiou")
A_TO_F = IntervalSet.of((0x61, 0x66))


def test_without_sets_there_is_one_class() -> None:
    """Nothing tells two symbols apart; the surrogate gap only splits the range."""
    partition = Partition.of(SCALARS)

    assert partition.ranges == ((0, 0xD7FF), (0xE000, 0x10FFFF))
    assert partition.ids == (0, 0)


def test_classes_are_the_minterms_numbered_by_first_member() -> None:
    """Two overlapping sets cut the bytes into four classes."""
    partition = Partition.of(BYTES, (VOWELS, A_TO_F))

    assert partition.members == (
        IntervalSet.of((0, 0x60), (0x67, 0x68), (0x6A, 0x6E), (0x70, 0x74), (0x76, 0xFF)),
        IntervalSet.of("ae"),
        IntervalSet.of("bcdf"),
        IntervalSet.of("iou"),
    )


def test_the_order_of_sets_and_duplicates_do_not_matter() -> None:
    """Equal partitions are equal objects."""
    assert Partition.of(BYTES, (VOWELS, A_TO_F)) == Partition.of(BYTES, (A_TO_F, VOWELS, VOWELS))


def test_parts_of_a_set_outside_the_alphabet_are_ignored() -> None:
    """A set that covers the whole alphabet, or none of it, cuts nothing."""
    everything = IntervalSet.of((0, 0x10FFFF))
    surrogates = IntervalSet.of((0xD800, 0xDFFF))

    assert Partition.of(SCALARS, (everything, surrogates)) == Partition.of(SCALARS)


def test_class_of_refuses_what_is_not_in_the_alphabet() -> None:
    """Surrogates and values past the last scalar have no class."""
    partition = Partition.of(SCALARS, (VOWELS,))

    assert partition.class_of(0xD7FF) == partition.class_of(0xE000) == partition.class_of(0x10FFFF)
    for outside in (-1, 0xD800, 0xDFFF, 0x110000):
        with pytest.raises(ValueError, match="not in the alphabet"):
            partition.class_of(outside)


def test_classes_in_names_the_classes_of_a_union() -> None:
    """A union of classes is found, the alphabet and the empty set among them."""
    partition = Partition.of(BYTES, (VOWELS, A_TO_F))

    assert partition.classes_in(VOWELS) == (1, 3)
    assert partition.classes_in(BYTES) == (0, 1, 2, 3)
    assert partition.classes_in(IntervalSet()) == ()


@pytest.mark.parametrize("members", ["a", "ab", "abcd", "eb"])
def test_classes_in_refuses_a_set_that_cuts_a_class(members: str) -> None:
    """Also one whose size happens to be right: `ab` takes half of two classes of two."""
    partition = Partition.of(BYTES, (IntervalSet.of("ae"), IntervalSet.of("bf")))

    with pytest.raises(ValueError, match="not a union of classes"):
        partition.classes_in(IntervalSet.of(members))


def test_refine_is_the_coarsest_common_refinement() -> None:
    """It equals the partition by all sets at once, and knows each class's old number."""
    left, right = Partition.of(BYTES, (VOWELS,)), Partition.of(BYTES, (A_TO_F,))
    fine, of_left, of_right = left.refine(right)

    assert fine == Partition.of(BYTES, (VOWELS, A_TO_F))
    assert (of_left, of_right) == ((0, 1, 0, 1), (0, 1, 1, 0))


def test_merged_joins_classes_with_equal_labels() -> None:
    """Classes 1 and 2 become one; each new class names an old one."""
    partition = Partition.of(BYTES, (VOWELS, A_TO_F))
    coarse, old = partition.merged("xyyz")

    assert coarse == Partition.of(BYTES, (A_TO_F, VOWELS - A_TO_F))
    assert old == (0, 1, 3)
