"""Flags and cells: sets of code points as arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langc.compiler.tokens.characters.beginnings import Beginnings
from langc.compiler.tokens.characters.code_points import Cells, any_of_last, count, flags_of, set_of
from langc.compiler.unicode.intervals import SCALARS, IntervalSet

scalars = st.integers(0, 0x10FFFF).filter(lambda c: c in SCALARS)
borders = st.sampled_from([0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0x10FFFF])


@given(st.lists(st.tuples(scalars | borders, st.integers(0, 300)), max_size=5))
def test_sets_and_flags_are_inverses(ranges: list[tuple[int, int]]) -> None:
    """A set becomes flags and the same set again, without surrogates."""
    members = IntervalSet(tuple((low, min(low + more, 0x10FFFF)) for low, more in ranges)) & SCALARS
    flags = flags_of(members)

    assert set_of(flags) == members
    assert count(flags) == len(members)


@given(scalars | borders)
def test_a_cell_is_where_the_bytes_say(symbol: int) -> None:
    """The one cell of a code point has the bytes of its encoding as its place."""
    cells = Cells.of(flags_of(IntervalSet.of(symbol)))
    lead, *rest = chr(symbol).encode()
    places = [np.argwhere(part).tolist() for part in (cells.two, cells.three, cells.four)]
    expected: list[list[list[int]]] = [[], [], []]
    if rest:
        first = {1: 0xC0, 2: 0xE0, 3: 0xF0}[len(rest)]
        expected[len(rest) - 1] = [[lead - first, *(byte - 0x80 for byte in rest)]]

    assert places == expected


def test_cells_that_encode_nothing_are_left_out() -> None:
    """Full cells are the scalar values of two to four bytes: no overlong form, no surrogate, nothing beyond."""
    full = Cells(*(np.ones(part.shape, dtype=np.bool_) for part in vars(Cells.of(flags_of(SCALARS))).values()))

    assert set_of(full.flags()) == SCALARS - IntervalSet.of((0, 0x7F))


def test_any_of_last() -> None:
    """An axis is folded with all the axes behind it."""
    cells = np.zeros((2, 3, 4), dtype=np.bool_)
    cells[1, 2, 3] = True

    assert any_of_last(cells, 2).tolist() == [False, True]
    assert any_of_last(cells, 1).tolist() == [[False] * 3, [False, False, True]]


@given(st.lists(scalars | borders, min_size=1, max_size=4), st.binary(min_size=1, max_size=3))
def test_beginnings_of_a_set(symbols: list[int], other: bytes) -> None:
    """The proper beginnings of the members' encodings, and nothing else."""
    beginnings = Beginnings.of(flags_of(IntervalSet.of(*symbols)))
    encodings = [chr(s).encode() for s in symbols]
    expected = {e[:size] for e in encodings for size in range(1, len(e))}
    tried = sorted(expected | {other} | {e for e in encodings if len(e) < 4})
    found = {t for t in tried if beginnings.look_up(np.frombuffer(t, np.uint8).reshape(1, -1))[0]}

    assert found == expected


@pytest.mark.parametrize("row", ["41", "80", "C3A9", "FF", "F5", "E4B8AD", "41B8", "E441"])
def test_what_begins_nothing_is_passed_over(row: str) -> None:
    """Whole characters, continuation bytes, broken pairs and bytes of no text are never beginnings."""
    rows = np.frombuffer(bytes.fromhex(row), np.uint8).reshape(1, -1)
    beginnings = Beginnings.empty()
    beginnings.add(rows)

    assert beginnings.look_up(rows).tolist() == [False]
    assert not any(array.any() for array in vars(beginnings).values())
